// An example to copy: keeps pods away from labelled nodes.
#include "outrigger/agent/agent.h"

namespace outrigger::template_agent {
namespace {

struct Settings {
  std::string label = "example.com/avoid";
  static constexpr auto kFields = std::tuple{
      Setting{"label", &Settings::label, "node label that keeps pods away"},
  };
};

class Template final : public Agent, public Filterer, public Scorer {
 public:
  explicit Template(const Settings& settings) : label_(settings.label) {}

  static std::vector<Alias> Aliases() {
    return {{"/scheduler/predicates/foo", Alias::Verb::kFilter, ""},
            {"/scheduler/priorities/foo", Alias::Verb::kPrioritize, ""}};
  }

  Needs Reads() const override { return Needs().NodeLabels(); }

  absl::Status Filter(const Request& request, std::span<Verdict> verdicts) const override {
    for (size_t i = 0; i < request.nodes.size(); ++i) {
      if (request.nodes[i].labels.Get(label_) != "true") continue;
      // Unresolvable, not Rejected: evicting pods would not remove a label.
      verdicts[i] = Verdict::Unresolvable("avoided", "label {}=true keeps pods away", label_);
    }
    return absl::OkStatus();
  }

  absl::Status Score(const Request& request, std::span<NodeScore> scores) const override {
    for (size_t i = 0; i < request.nodes.size(); ++i) {
      const bool last_choice = request.nodes[i].labels.Get(label_) == "prefer";
      scores[i] = {last_choice ? 0.0 : 1.0,
                   request.Why("label {} is {}prefer", label_, last_choice ? "" : "not ")};
    }
    return absl::OkStatus();
  }

 private:
  const std::string label_;
};

}  // namespace

OUTRIGGER_AGENT(Template, Settings)

}  // namespace outrigger::template_agent
