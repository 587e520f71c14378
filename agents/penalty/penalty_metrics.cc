#include "penalty_metrics.h"

#include <string>
#include <utility>

#include "penalty/classes/journal_maps.h"
#include "penalty/classes/ledger.h"

namespace outrigger::penalty {
namespace {

MetricSpec Spec(MetricSpec::Kind kind, std::string_view name, std::string_view help,
                std::string_view label = "", std::vector<double> buckets = {}) {
  return {kind, std::string(name), std::string(help), std::string(label), std::move(buckets)};
}

// A series for each class that the journal can hold.
MetricSpec OfClass(MetricSpec::Kind kind, std::string_view name, std::string_view help) {
  MetricSpec spec = Spec(kind, name, help, "class");
  spec.most_values = static_cast<size_t>(kClassMaps) * kMostSlots;
  return spec;
}

}  // namespace

std::vector<MetricSpec> PenaltyMetrics() {
  using Kind = MetricSpec::Kind;
  return {
      Spec(Kind::kGauge, metric::kLeading, "1: this process acquired the Lease; writing; else 0."),
      OfClass(Kind::kGauge, metric::kValue, "The value of each penalised PriorityClass."),
      OfClass(Kind::kGauge, metric::kPoints,
              "The current penalty of each class, at most base - floor; the target value is base "
              "minus penalty, rounded."),
      OfClass(Kind::kCounter, metric::kStarts, "Counted starts of PodGroups."),
      OfClass(Kind::kCounter, metric::kCompletions,
              "Counted completions of PodGroups, including those retracted later."),
      Spec(Kind::kCounter, metric::kReplacements,
           "Replacements of classes (deleted and created again), by result.", "result"),
      Spec(Kind::kHistogram, metric::kGap,
           "Seconds from the response to the DELETE of a class to the response to its CREATE.", "",
           {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5}),
      Spec(Kind::kGauge, metric::kLeftAlone, "Selected classes that are left alone, by reason.",
           "reason"),
      Spec(Kind::kCounter, metric::kDropped,
           "Nodes of preempt calls that were left out because a victim there has the preemptor's "
           "class or is in its gang."),
      Spec(Kind::kCounter, metric::kErrors, "Calls of the API server that failed, by what they do.",
           "call"),
  };
}

}  // namespace outrigger::penalty
