#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "console/args/command.h"
#include "console/reading/planned_cluster.h"
#include "gang/plan/groups.h"
#include "gang/plan/notes.h"
#include "gang/plan/planner.h"
#include "gang/plan/pods.h"

// One plan of all that waits in a cluster, as the agents' desk makes it.

namespace outrigger::cli {

/// Settings of the agents by which a plan is made.
struct PlanFlags {
  std::vector<std::string> scheduler_names;
  plan::SchedulerChecks checks;  ///< without what the cluster says
  bool order_by_pod_priority = true;
};

/// --scheduler-names, --unchecked, and those of the cluster that is planned.
std::vector<Flag> PlanningFlags();
/// Reads the first two. InvalidArgument names the flag.
absl::StatusOr<PlanFlags> ReadPlanFlags(const Given& given);

/// A plan, and all that went into it. It knows nothing of what an agent remembers besides the
/// cluster: refusals of kube-scheduler, gangs that gave up their places. The places that an agent
/// has nominated for gangs are kept.
struct ClusterPlan {
  using PodPtr = std::shared_ptr<const Pod>;

  /// `cluster` outlives this.
  ClusterPlan(const PlannedCluster& cluster, PlanFlags flags);

  plan::GroupOptions group_options;
  plan::PlanOptions plan_options;
  std::span<const PodPtr> pods;  ///< all of the cluster
  plan::GroupedUnits grouped;    ///< in order
  /// Units that all pending pods together ask too much for (plan::TermLimit): they are not planned.
  std::vector<plan::Unit> left_out;
  std::vector<plan::Note> notes;  ///< what was malformed, and how it was taken
  plan::Planner planner;
  plan::Plan plan;  ///< of grouped.units

 private:
  void PlanUnits(const PlannedCluster& cluster);

  plan::PlannedPods planned_pods_;  // owns `pods`
};

}  // namespace outrigger::cli
