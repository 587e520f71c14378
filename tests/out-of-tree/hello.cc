// Prefers nodes that greet, and shows its greeting: an agent outside Outrigger's tree.
#include "outrigger/agent/agent.h"

namespace outrigger::hello {
namespace {

struct Settings {
  std::string greeting = "world";
  static constexpr auto kFields = std::tuple{
      Setting{"greeting", &Settings::greeting, "value of the node label \"hello\" that is liked"},
  };
};

class Hello final : public Agent, public Scorer, public PageSource {
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

  std::vector<PageSpec> Pages() const override {
    return {{.name = "greetings",
             .help = "the greetings that are liked",
             .columns = {{"greeting", PageColumn::Type::kText},
                         {"letters", PageColumn::Type::kInteger}}}};
  }

  absl::Status FillPage(std::string_view /*page*/, PageTable* table) const override {
    table->Add({greeting_, static_cast<int64_t>(greeting_.size())});
    return absl::OkStatus();
  }

 private:
  const std::string greeting_;
};

}  // namespace

OUTRIGGER_AGENT(Hello, Settings)

}  // namespace outrigger::hello
