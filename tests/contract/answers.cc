#include "answers.h"

#include <algorithm>

#include "gmock/gmock.h"

namespace outrigger::contract {
namespace {

// Reports are the engine's business; this one is thread-safe by having no state.
class Unheard final : public Diagnostics {
 public:
  void Malformed(std::string_view, std::string_view field, std::string_view,
                 std::string_view accepted) override {
    EXPECT_FALSE(field.empty());
    EXPECT_FALSE(accepted.empty());
  }
};

std::vector<const Scorer*> ScorersOf(const Agent& agent) {
  std::vector<const Scorer*> scorers;
  if (const auto* own = dynamic_cast<const Scorer*>(&agent)) scorers.push_back(own);
  for (const NamedScorer& named : agent.NamedScorers()) scorers.push_back(named.scorer);
  return scorers;
}

// An agent that judges a pod as a whole gives the reason once, and leaves out the other nodes: it
// is theirs, too.
void TakeReasonOfTheWhole(std::vector<Answer>* answers) {
  const auto given = std::find_if(answers->begin(), answers->end(), [](const Answer& answer) {
    return answer.kind != Verdict::Kind::kFits && !answer.reason.empty();
  });
  if (given == answers->end()) return;
  const Answer whole = *given;
  for (Answer& answer : *answers) {
    if (answer.kind != Verdict::Kind::kLeftOut) continue;
    answer.kind = whole.kind;
    answer.reason_class = whole.reason_class;
    answer.reason = whole.reason;
  }
}

void AddVerdicts(const Agent& agent, const Request& request, std::vector<Answer>* answers) {
  const auto* filterer = dynamic_cast<const Filterer*>(&agent);
  if (filterer == nullptr) return;
  std::vector<Verdict> verdicts(request.nodes.size());
  EXPECT_TRUE(filterer->Filter(request, verdicts).ok());
  for (size_t i = 0; i < verdicts.size(); ++i) {
    (*answers)[i].kind = verdicts[i].kind();
    (*answers)[i].reason_class = verdicts[i].reason_class();
    (*answers)[i].reason = verdicts[i].reason();
  }
  TakeReasonOfTheWhole(answers);
}

void AddScores(const Agent& agent, const Request& request, std::vector<Answer>* answers) {
  for (const Scorer* scorer : ScorersOf(agent)) {
    std::vector<NodeScore> scores(request.nodes.size());
    EXPECT_TRUE(scorer->Score(request, scores).ok());
    for (size_t i = 0; i < scores.size(); ++i) {
      (*answers)[i].scores.push_back(scores[i].value);
      (*answers)[i].whys.push_back(scores[i].why.text());
    }
  }
}

}  // namespace

void PrintTo(const Answer& answer, std::ostream* out) {
  *out << "kind " << static_cast<int>(answer.kind) << " [" << answer.reason_class << "] "
       << answer.reason;
  for (size_t i = 0; i < answer.scores.size(); ++i) {
    *out << "; " << answer.scores[i] << " (" << answer.whys[i] << ")";
  }
}

std::vector<Answer> Ask(const Agent& agent, const Pod& pod, const std::vector<Node>& nodes) {
  const std::vector<NodeRef> refs(nodes.begin(), nodes.end());
  Unheard diagnostics;
  const Request request{
      .pod = pod, .nodes = NodeList(refs), .diagnostics = diagnostics, .explaining = true};
  std::vector<Answer> answers(nodes.size());
  AddVerdicts(agent, request, &answers);
  AddScores(agent, request, &answers);
  return answers;
}

std::string FaultOf(const Answer& answer) {
  const bool fits = answer.kind == Verdict::Kind::kFits;
  if (!fits && answer.reason.empty()) return "a rejection without a reason";
  if (!fits && answer.reason_class.empty()) return "a rejection without a reason class";
  if (answer.reason.find('%') != std::string::npos) {
    return "a reason with '%', which kube-scheduler takes for a format: " + answer.reason;
  }
  if (answer.reason.size() > 300) return "a reason longer than people read: " + answer.reason;
  for (const double score : answer.scores) {
    if (!(score >= 0 && score <= 1)) return fmt::format("score {} outside [0, 1]", score);
  }
  return "";
}

}  // namespace outrigger::contract
