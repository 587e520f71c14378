// Prefers nodes whose annotated congestion is low.
#include <algorithm>
#include <array>
#include <limits>

#include "outrigger/agent/agent.h"
#include "outrigger/agent/node_memo.h"

namespace outrigger::congestion {
namespace {

constexpr std::string_view kFactor = "congestion-factor";

struct Settings {
  int64_t max = 100;
  static constexpr auto kFields = std::tuple{
      Setting{"max", &Settings::max, Range{int64_t{1}, std::numeric_limits<int64_t>::max()},
              "congestion factor at which a node's score reaches 0"}
          .LegacyEnv("CONGESTION_FACTOR_MAX")};
};

class Congestion final : public Agent, public Scorer {
 public:
  explicit Congestion(const Settings& settings) : max_(settings.max) {}

  static std::vector<Alias> Aliases() {
    return {{"/scheduler/priorities/congestion", Alias::Verb::kPrioritize, ""}};
  }

  Needs Reads() const override { return Needs().NodeAnnotations({kFactor}); }

  absl::Status Score(const Request& request, std::span<NodeScore> scores) const override {
    NodeMemo<int64_t>::Session memo(&memo_, request.nodes);
    for (size_t i = 0; i < request.nodes.size(); ++i) {
      // No factor, or one that cannot be read, means no congestion.
      const int64_t read =
          memo.Get(i, [&] { return request.AnnotationInt(request.nodes[i], kFactor).value_or(0); });
      const int64_t factor = std::clamp(read, int64_t{0}, max_);
      scores[i] = {1 - static_cast<double>(factor) / static_cast<double>(max_),
                   request.Why("congestion factor {} of {}", factor, max_)};
    }
    return absl::OkStatus();
  }

 private:
  const int64_t max_;
  mutable NodeMemo<int64_t> memo_;  // the factors
};

}  // namespace

OUTRIGGER_AGENT(Congestion, Settings)

}  // namespace outrigger::congestion
