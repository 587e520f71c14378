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
      Spec(Kind::kGauge, metric::kLeading, "1: this process holds the Lease and writes; else 0."),
      OfClass(Kind::kGauge, metric::kValue, "The value of each penalised PriorityClass."),
      OfClass(
          Kind::kGauge, metric::kPoints,
          "The penalty of each class now, at most base - floor: base less this, rounded, is the "
          "value that is due."),
      OfClass(Kind::kCounter, metric::kStarts, "Starts of PodGroups that were counted."),
      OfClass(Kind::kCounter, metric::kCompletions,
              "Completions of PodGroups that were counted; those that are taken back stay counted "
              "here."),
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
