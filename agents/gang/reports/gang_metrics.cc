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
      Spec(Kind::kGauge, metric::kWaitingGangs, "Gangs that wait for a place, by what they lack.",
           "cause"),
      Spec(Kind::kHistogram, metric::kAdmission,
           "Time from when a gang was first seen to wait until its first member was bound.", "",
           seconds),
      Spec(Kind::kGauge, metric::kWaiters,
           "Members whose bind calls wait at a barrier, at the last plan."),
      Spec(Kind::kGauge, metric::kStanding,
           "Gangs of which members wait at a barrier, at the last plan."),
      Spec(Kind::kGauge, metric::kPartial, "Gangs that are bound in part, below their minimum."),
      Spec(Kind::kGauge, metric::kPlanning,
           "For how long the round of planning under way has taken; 0: none is under way."),
      Spec(Kind::kGauge, metric::kReserved, "Nodes that are kept free for the first that waits."),
      Spec(Kind::kCounter, metric::kBarriers, "Barriers that have ended, by how.", "end"),
      Spec(Kind::kHistogram, metric::kHeld,
           "Time for which members waited at a barrier, by how it ended.", "end", seconds),
      Spec(Kind::kCounter, metric::kNominations,
           "Writes of status.nominatedNodeName: written, withdrawn, failed.", "result"),
      Spec(Kind::kGauge, metric::kGated,
           "Pods with the scheduling gate outrigger.dev/queue, by what holds them.", "by"),
      Spec(Kind::kCounter, metric::kReleases,
           "Scheduling gates taken off pods: released, failed, gone.", "result"),
      Spec(Kind::kCounter, metric::kTimeouts, "Gangs that gave up their places, being incomplete."),
      Spec(
          Kind::kGauge, metric::kUnasked,
          "Members that do not ask for calls, where the scheduler calls about those that do alone: "
          "waiting, bound.",
          "pods"),
  };
}

}  // namespace outrigger::gang
