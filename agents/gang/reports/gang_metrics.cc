#include "reports/gang_metrics.h"

#include <string>
#include <utility>

namespace outrigger::gang {
namespace {

MetricSpec Spec(MetricSpec::Kind kind, std::string_view name, std::string_view help,
                std::string_view label = "", std::vector<double> buckets = {}) {
  return {kind, std::string(name), std::string(help), std::string(label), std::move(buckets)};
}

}  // namespace

std::vector<MetricSpec> GangMetrics() {
  using Kind = MetricSpec::Kind;
  const std::vector<double> seconds = {0.01, 0.1, 0.5, 1, 5, 15, 60, 300, 1800};
  return {
      Spec(Kind::kGauge, metric::kLeading, "1 while this process is in charge, else 0."),
      Spec(Kind::kGauge, metric::kWaitingGangs, "Waiting gangs, by what they lack.", "cause"),
      Spec(Kind::kHistogram, metric::kAdmission,
           "Time from when a gang began to wait until its first member was bound.", "", seconds),
      Spec(Kind::kGauge, metric::kWaiters,
           "Members whose bind calls wait at a barrier, at the last plan."),
      Spec(Kind::kGauge, metric::kStanding,
           "Gangs with members that wait at a barrier, at the last plan."),
      Spec(Kind::kGauge, metric::kPartial, "Partly bound gangs, below their minimum."),
      Spec(Kind::kGauge, metric::kPlanning,
           "Duration of the current planning round so far; 0: none is running."),
      Spec(Kind::kGauge, metric::kReserved, "Nodes reserved for the first unit of the queue."),
      Spec(Kind::kCounter, metric::kBarriers, "Ended barriers, by result.", "end"),
      Spec(Kind::kHistogram, metric::kHeld, "Time that members waited at a barrier, by its result.",
           "end", seconds),
      Spec(Kind::kCounter, metric::kNominations,
           "Writes of status.nominatedNodeName: written, withdrawn, failed.", "result"),
      Spec(Kind::kGauge, metric::kGated,
           "Pods with the scheduling gate outrigger.dev/queue, by reason.", "by"),
      Spec(Kind::kCounter, metric::kReleases,
           "Removals of scheduling gates from pods: released, failed, gone.", "result"),
      Spec(Kind::kCounter, metric::kTimeouts,
           "Gangs that gave up their nodes because they were incomplete."),
      Spec(Kind::kGauge, metric::kUnasked,
           "Members that do not request calls, if the scheduler calls only for members that do: "
           "waiting, bound.",
           "pods"),
  };
}

}  // namespace outrigger::gang
