#include "reward_metrics.h"

#include <string>

namespace outrigger::reward {
namespace {

MetricSpec Spec(MetricSpec::Kind kind, std::string_view name, std::string_view help,
                std::string_view label = "") {
  return {kind, std::string(name), std::string(help), std::string(label), {}};
}

}  // namespace

std::vector<MetricSpec> RewardMetrics() {
  using Kind = MetricSpec::Kind;
  return {
      Spec(Kind::kGauge, metric::kLeading, "1: this process counts and writes; else 0."),
      Spec(Kind::kCounter, metric::kOutcomes,
           "Counted events: failures (exit, oom, evicted, start), success, running.", "kind"),
      Spec(Kind::kGauge, metric::kPairs, "Known pairs of pod type and node."),
      Spec(Kind::kGauge, metric::kLeftOut,
           "Least used pairs that did not fit into the last written state."),
      Spec(Kind::kGauge, metric::kBytes, "Bytes of the last written state."),
      Spec(Kind::kCounter, metric::kErrors, "Calls that failed, by what they are for.", "call"),
  };
}

}  // namespace outrigger::reward
