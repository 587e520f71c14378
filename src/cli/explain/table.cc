#include <algorithm>

#include "cli/explain/text.h"
#include "console/format/text.h"
#include "console/format/text_table.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

using engine::ExplainedAgent;
using engine::ExplainedAnswer;
using engine::ExplainedNode;
using engine::ExplainedScore;
using Kind = Verdict::Kind;

Cell Number(const std::string& text) {
  return {text, Style::kPlain, true};
}

// "7", or "7 (0.712)".
std::string ScoreText(int points, double value, bool wide) {
  return wide ? fmt::format("{} ({:.3f})", points, value) : std::to_string(points);
}

std::string ScoreText(const std::optional<ExplainedScore>& score, bool wide) {
  return score ? ScoreText(score->points, score->value, wide) : "-";
}

Cell VerdictCell(const ExplainedAgent& agent, const ExplainedAnswer& answer) {
  if (!answer.verdict) {
    return agent.filters ? Cell{"no answer", Style::kUnsure} : Cell{"-"};
  }
  switch (*answer.verdict) {
    case Kind::kFits:
      return {"fits", Style::kGood};
    case Kind::kRejected:
      return {"rejected", Style::kBad};
    case Kind::kUnresolvable:
      return {"unresolvable", Style::kBad};
    case Kind::kLeftOut:
      return {"left out", Style::kBad};
  }
  return {};
}

Cell FitsCell(const engine::Explanation& explanation, const ExplainedNode& node) {
  if (node.verdict != Kind::kFits) return {"no", Style::kBad};
  return explanation.filter_failed ? Cell{"?", Style::kUnsure} : Cell{"yes", Style::kGood};
}

// Why the agent says what it says. The column before has its name already.
std::string WhyText(const ExplainedAgent& agent, const ExplainedAnswer& answer, bool wide) {
  std::string figures = answer.score ? answer.score->why : "";
  if (!answer.reason.empty()) {
    const std::string prefix = agent.name + ": ";
    const std::string reason =
        answer.reason.starts_with(prefix) ? answer.reason.substr(prefix.size()) : answer.reason;
    return wide && !figures.empty() ? fmt::format("{} ({})", reason, figures) : reason;
  }
  if (!agent.filters && !agent.scores) return "neither filters nor scores";
  return figures;
}

class Table {
 public:
  Table(const ExplainedPod& explained, const TableForm& form)
      : explanation_(explained.explanation), form_(form) {}

  std::string Text() {
    Add({"NODE", "FITS", "TOTAL", "AGENT", "VERDICT", "SCORE", "WHY"});
    for (const ExplainedNode& node : explanation_.nodes) AddNode(node);
    return TextTable(rows_, form_.color, form_.columns);
  }

 private:
  void Add(const std::vector<std::string>& titles) {
    std::vector<Cell>& row = rows_.emplace_back();
    for (const std::string& title : titles) {
      row.push_back({title, Style::kStrong, title == "TOTAL" || title == "SCORE"});
    }
  }

  void AddNode(const ExplainedNode& node) {
    const std::string total = node.points ? ScoreText(*node.points, node.value, form_.wide) : "-";
    std::vector<Cell> of_node = {
        {node.name, Style::kStrong}, FitsCell(explanation_, node), Number(total)};
    for (size_t i = 0; i < node.answers.size(); ++i) {
      const ExplainedAgent& agent = explanation_.agents[i];
      const ExplainedAnswer& answer = node.answers[i];
      std::vector<Cell>& row = rows_.emplace_back(of_node);
      row.push_back({agent.name});
      row.push_back(VerdictCell(agent, answer));
      row.push_back(Number(ScoreText(answer.score, form_.wide)));
      row.push_back({WhyText(agent, answer, form_.wide)});
      of_node.assign(3, Cell{});  // on its first row only
      if (form_.wide) AddScorers(agent, answer);
    }
  }

  void AddScorers(const ExplainedAgent& agent, const ExplainedAnswer& answer) {
    for (size_t i = 0; i < answer.scorers.size(); ++i) {
      const std::optional<ExplainedScore>& score = answer.scorers[i];
      const bool says_more =
          score && (!answer.score || score->why != answer.score->why);  // than the agent's row
      std::vector<Cell>& row = rows_.emplace_back(3);
      row.push_back({agent.name + "/" + agent.scorers[i], Style::kFaint});
      row.push_back({""});
      row.push_back(Number(ScoreText(score, true)));
      row.push_back({says_more ? score->why : ""});
    }
  }

  const engine::Explanation& explanation_;
  const TableForm form_;
  std::vector<std::vector<Cell>> rows_;
};

std::string FaultText(const engine::ExplainedFault& fault) {
  const bool filters = fault.path.ends_with("/filter");
  return fmt::format(
      "{} (from {}: {})", fault.text, fault.path,
      filters ? "scheduling fails for the pod" : "the scheduler continues without this score");
}

std::string HeadText(const ExplainedPod& explained, bool color) {
  const engine::Explanation& explanation = explained.explanation;
  const Pod& pod = explained.pod;
  std::string text;
  const auto line = [&](std::string_view title, const std::string& value,
                        Style style = Style::kPlain) {
    text += fmt::format("{:<10} {}\n", title, Styled(Printable(value), style, color));
  };
  line("Pod:", fmt::format("{}/{}{}", pod.namespace_, pod.name,
                           pod.node_name.empty() ? "" : " (bound to " + pod.node_name + ")"));
  line("Requests:", RequestsText(pod));
  if (explanation.agents.empty()) return text;
  line("Fits:",
       fmt::format("{} of {} node{}, kube-scheduler's own filters aside", explanation.fitting,
                   explained.nodes, explained.nodes == 1 ? "" : "s"),
       explanation.fitting > 0 ? Style::kGood : Style::kBad);
  if (!explained.event.empty()) {
    line("Event:", explained.event);
  } else if (!explanation.reasons.empty()) {
    line("Rejected:", engine::CountedReasonsText(explanation.reasons));
  }
  for (const ExplainedAgent& agent : explanation.agents) {
    for (const engine::ExplainedFault& fault : agent.faults) {
      line("Fault:", FaultText(fault), Style::kUnsure);
    }
  }
  return text;
}

}  // namespace

std::string RequestsText(const Pod& pod) {
  std::string text;
  for (const auto& [name, quantity] : PodRequests(pod)) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, quantity.ToString());
  }
  return text.empty() ? "none" : text;
}

std::string ExplainTable(const ExplainedPod& explained, const TableForm& form) {
  std::string text = HeadText(explained, form.color);
  if (!explained.explanation.agents.empty()) text += "\n" + Table(explained, form).Text();
  if (explained.claims != nullptr) {
    text += "\n" + ClaimsTable(*explained.claims, form.color, form.columns);
  }
  if (explained.dra != nullptr) {
    text += "\n" + DraTable(*explained.dra, {form.wide, form.color, form.columns});
  }
  return text;
}

}  // namespace outrigger::cli
