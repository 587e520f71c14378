// Prefers nodes that greet: an agent outside Outrigger's tree.
#include "outrigger/agent/agent.h"

namespace outrigger::hello {
namespace {

struct Settings {
  std::string greeting = "world";
  static constexpr auto kFields = std::tuple{
      Setting{"greeting", &Settings::greeting, "value of the node label \"hello\" that is liked"},
  };
};

class Hello final : public Agent, public Scorer {
 public:
  explicit Hello(const Settings& settings) : greeting_(settings.greeting) {}

  Needs Reads() const override { return Needs().NodeLabels(); }

  absl::Status Score(const Request& request, std::span<NodeScore> scores) const override {
    for (size_t i = 0; i < request.nodes.size(); ++i) {
      const std::string_view greeting = request.nodes[i].labels.Get("hello");
      scores[i] = {greeting == greeting_ ? 1.0 : 0.0, request.Why("it says '{}'", greeting)};
    }
    return absl::OkStatus();
  }

 private:
  const std::string greeting_;
};

}  // namespace

OUTRIGGER_AGENT(Hello, Settings)

}  // namespace outrigger::hello
