#include "queue_metrics.h"

#include <string>
#include <utility>

namespace outrigger::qos {
namespace {

MetricSpec Spec(MetricSpec::Kind kind, std::string_view name, std::string_view help,
                std::string_view label = "") {
  return {kind, std::string(name), std::string(help), std::string(label), {}};
}

}  // namespace

std::vector<MetricSpec> QueueMetrics() {
  using Kind = MetricSpec::Kind;
  return {
      Spec(Kind::kGauge, metric::kLeading, "1 while this process is in charge, else 0."),
      Spec(Kind::kGauge, metric::kLength, "Units, gangs and single pods, that want a place."),
      Spec(Kind::kGauge, metric::kHeadAge,
           "Seconds since the first unit of the queue was created; 0: the queue is empty."),
      Spec(Kind::kGauge, metric::kHeld, "Units without a place, by what they lack.", "cause"),
      Spec(Kind::kCounter, metric::kInversions,
           "Pods that were bound where a unit before them in the queue had its place, which it "
           "lost by that."),
  };
}

}  // namespace outrigger::qos
