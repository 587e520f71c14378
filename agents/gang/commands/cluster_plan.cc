#include "gang/commands/cluster_plan.h"

#include <algorithm>
#include <utility>

#include "console/args/flags.h"
#include "console/reading/input.h"
#include "fmt/format.h"
#include "gang/plan/claims.h"
#include "gang/plan/terms.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {

std::vector<Flag> PlanningFlags() {
  return Together(
      {{{.name = "--scheduler-names",
         .value = "LIST",
         .help = "comma-separated schedulerNames of the pods to plan, as in the agent's setting "
                 "(default default-scheduler)"},
        {.name = "--unchecked",
         .value = "LIST",
         .help =
             "comma-separated checks that kube-scheduler does not make: extended resources "
             "(example.com/score), groups of them (example.com/*), disabled plugins (NodePorts); "
             "PROFILE:ITEM applies to that profile only (default: it checks everything)"}},
       ClusterFlags("nodes,pods,podgroups,priorityclasses,pv,pvc,resourceclaims,deviceclasses",
                    " (omit podgroups if not installed; before Kubernetes 1.34 omit resourceclaims "
                    "and deviceclasses)")});
}

absl::StatusOr<PlanFlags> ReadPlanFlags(const Given& given) {
  const std::string scheduler_names = given.Value("--scheduler-names", "default-scheduler");
  PlanFlags flags;
  flags.scheduler_names = SplitList(scheduler_names);
  const auto& names = flags.scheduler_names;
  if (std::find(names.begin(), names.end(), "") != names.end()) {
    return absl::InvalidArgumentError(
        Printable(fmt::format("--scheduler-names: \"{}\" is not accepted; expected names of the "
                              "scheduler's profiles, separated by commas",
                              scheduler_names)));
  }
  auto checks = plan::SchedulerChecks::Parse(given.Value("--unchecked"));
  if (!checks.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("--unchecked: {}", std::string(checks.status().message())));
  }
  flags.checks = *std::move(checks);
  return flags;
}

ClusterPlan::ClusterPlan(const PlannedCluster& cluster, PlanFlags flags) {
  planned_pods_.LeaveOut(flags.checks);
  flags.checks.device_resources = cluster.device_resources;
  plan_options.checks = std::make_shared<const plan::SchedulerChecks>(std::move(flags.checks));
  group_options.served = cluster.served;
  group_options.unknown_versions = cluster.unknown_versions;
  group_options.scheduler_names = std::move(flags.scheduler_names);
  group_options.priority_classes = cluster.priority_classes;
  group_options.order_by_pod_priority = flags.order_by_pod_priority;
  pods = planned_pods_.Of(*cluster.snapshot);
  plan::NotesOnce taken;
  grouped = plan::BuildUnits(pods, cluster.pod_groups, group_options, &taken);
  notes = taken.Take();
  PlanUnits(cluster);
}

void ClusterPlan::PlanUnits(const PlannedCluster& cluster) {
  plan::PinToClaims(*cluster.claims, grouped.units);
  left_out = plan::TermLimit().TakeOut(&grouped.units);
  for (plan::Unit& unit : grouped.units) {
    // What the agent reserves it nominates. A single pod may be nominated by preemption.
    if (unit.key.dialect == Dialect::kNone) continue;
    for (plan::Member& member : unit.members) member.reserved = member.pod->nominated_node_name;
  }
  plan = planner.Run(cluster.snapshot, grouped.units, plan_options);
}

}  // namespace outrigger::cli
