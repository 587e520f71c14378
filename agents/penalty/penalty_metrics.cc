#include "penalty_metrics.h"

#include <string>
#include <utility>

namespace outrigger::penalty {
namespace {

MetricSpec Spec(MetricSpec::Kind kind, std::string_view name, std::string_view help,
                std::string_view label = "", std::vector<double> buckets = {}) {
  return {kind, std::string(name), std::string(help), std::string(label), std::move(buckets)};
}

}  // namespace

std::vector<MetricSpec> PenaltyMetrics() {
  using Kind = MetricSpec::Kind;
  return {
      Spec(Kind::kGauge, metric::kLeading, "1: this process holds the Lease and writes; else 0."),
      Spec(Kind::kGauge, metric::kValue, "The value of each penalised PriorityClass.", "class"),
      Spec(Kind::kGauge, metric::kPoints,
           "By how many points the value of each class is to be below its base.", "class"),
      Spec(Kind::kCounter, metric::kStarts, "Starts of PodGroups that were counted.", "class"),
      Spec(Kind::kCounter, metric::kCompletions,
           "Completions of PodGroups that were counted; those that are taken back stay counted "
           "here.",
           "class"),
      Spec(Kind::kCounter, metric::kReplacements,
           "Classes that were to be deleted and created again, by what became of it.", "result"),
      Spec(Kind::kHistogram, metric::kGap,
           "Seconds from the answer to the DELETE of a class to the answer to its CREATE.", "",
           {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5}),
      Spec(Kind::kGauge, metric::kLeftAlone, "Selected classes that are left alone, by reason.",
           "reason"),
      Spec(Kind::kCounter, metric::kDropped,
           "Nodes that preempt calls offered and that were left out: a victim there has the "
           "preemptor's class, or is of its gang."),
      Spec(Kind::kCounter, metric::kErrors, "Calls of the API server that failed, by what they do.",
           "call"),
  };
}

}  // namespace outrigger::penalty
