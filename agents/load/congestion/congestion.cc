// Prefers nodes whose annotated congestion is low.
#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>

#include "newcomers.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/node_memo.h"

namespace outrigger::congestion {
namespace {

constexpr std::string_view kFactor = "congestion-factor";

struct Settings {
  int64_t max = 100;
  static constexpr auto kFields = std::tuple{
      Setting{"max", &Settings::max, Range{int64_t{1}, std::numeric_limits<int64_t>::max()},
              "congestion factor from which on a node scores 0"}
          .LegacyEnv("CONGESTION_FACTOR_MAX")};
};

class Congestion final : public Agent, public Scorer {
 public:
  Congestion(const Settings& settings, const AgentDeps& deps) : max_(settings.max) {
    if (deps.cluster != nullptr) newcomers_.emplace(deps.cluster, deps.clock);
  }

  static std::vector<Alias> Aliases() {
    return {{"/scheduler/priorities/congestion", Alias::Verb::kPrioritize, ""}};
  }

  Needs Reads() const override { return Needs().NodeAnnotations({kFactor}).ClusterPods(); }

  absl::Status Score(const Request& request, std::span<NodeScore> scores) const override {
    std::shared_ptr<const Newcomers::Counts> counts;
    if (newcomers_) {
      counts = newcomers_->Take([&](const Node& node) { return FactorOf(request, node); });
    }
    const auto most = static_cast<double>(max_);
    NodeMemo<int64_t>::Session memo(&memo_, request.nodes);
    for (size_t i = 0; i < request.nodes.size(); ++i) {
      const auto factor =
          static_cast<double>(memo.Get(i, [&] { return FactorOf(request, request.nodes[i]); }));
      const int64_t came = counts != nullptr ? CountOn(request.nodes[i], *counts) : 0;
      if (came == 0) {
        scores[i] = {1 - factor / most, request.Why("congestion factor {} of {}", factor, max_)};
        continue;
      }
      const double more = static_cast<double>(came) * counts->per_pod;
      scores[i] = {1 - std::clamp(factor + more, 0.0, most) / most,
                   request.Why("congestion factor {} of {}, {:+.1f} for {:+} pods since then",
                               factor, max_, more, came)};
    }
    return absl::OkStatus();
  }

 private:
  // No factor, or one that cannot be read, means no congestion.
  int64_t FactorOf(const Request& request, const Node& node) const {
    return std::clamp(request.AnnotationInt(node, kFactor).value_or(0), int64_t{0}, max_);
  }
  static int64_t CountOn(const Node& node, const Newcomers::Counts& counts) {
    if (counts.by_node.empty()) return 0;
    const auto found = counts.by_node.find(node.name);
    return found == counts.by_node.end() ? 0 : found->second;
  }

  const int64_t max_;
  mutable std::optional<Newcomers> newcomers_;  // nothing: the cluster is not known
  mutable NodeMemo<int64_t> memo_;              // the factors
};

}  // namespace

OUTRIGGER_AGENT(Congestion, Settings)

}  // namespace outrigger::congestion
