#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "outrigger/agent/settings.h"

namespace outrigger::gang {

struct Settings {
  std::string scheduler_names = "default-scheduler";
  std::string scheduler_lease = "kube-system/kube-scheduler";
  std::string host_name;
  std::string unchecked;
  int64_t timeout = 300;
  int64_t claim_timeout = 620;
  int64_t bind_timeout = 630;
  int64_t nomination_grace = 5;
  int64_t partial_timeout = 60;
  int64_t reserve_after = 0;
  std::string nominate = "rejected";
  bool only_groups = false;
  bool gates = false;
  bool without_extender = false;
  std::string lease = "outrigger/outrigger";
  int64_t lease_seconds = 15;
  int64_t window = 1000;
  int64_t ahead = 1;
  bool leave_upstream = false;
  bool preempt = false;
  int64_t min_run_time = 60;
  bool write_status = false;

  static constexpr auto kFields = std::tuple{
      Setting{"scheduler-names", &Settings::scheduler_names,
              "schedulerName of the pods that are planned, separated by commas: the profiles of "
              "the scheduler beside this agent"},
      Setting{"scheduler-lease", &Settings::scheduler_lease,
              "Lease that the scheduler beside this agent holds while it schedules, as "
              "NAMESPACE/NAME; \"none\" for a scheduler without leader election"},
      Setting{"host-name", &Settings::host_name,
              "host name by which the scheduler beside this agent holds its Lease; empty: this "
              "machine's, which the containers of a pod share"},
      Setting{
          "unchecked", &Settings::unchecked,
          "what kube-scheduler does not compare, and so is not planned by, separated by commas: "
          "extended resources (example.com/score), groups of them (example.com/*), plugins that "
          "are off (NodePorts); PROFILE:ITEM is of that profile alone. scheduler-config prints it"},
      Setting{
          "timeout", &Settings::timeout, Range{1, 86'400},
          "seconds for which a gang may keep places without being complete, unless its PodGroup "
          "has scheduleTimeoutSeconds; then it goes behind those of its priority"},
      Setting{
          "claim-timeout", &Settings::claim_timeout, Range{1, 86'400},
          "seconds for which at least a gang is waited for while volumes of its members are yet "
          "to be bound, or devices to be allocated: somewhat more than bindTimeoutSeconds of the "
          "scheduler (600 there)"},
      Setting{"bind-timeout", &Settings::bind_timeout, Range{5, 86'400},
              "httpTimeout of the bind entry in seconds; a gang that is not complete two seconds "
              "before it gives up"},
      Setting{"nomination-grace", &Settings::nomination_grace, Range{1, 3600},
              "seconds in which the scheduler must ask about a pod that was nominated, once it has "
              "nothing else to do; if it does not, it is taken to refuse the node"}
          .FormerName("lease-grace"),
      Setting{
          "partial-timeout", &Settings::partial_timeout, Range{1, 86'400},
          "seconds for which a gang may be bound in part before an Event says so, and before it "
          "is evicted if it is to restart; with without-extender so long without a further "
          "member being bound"},
      Setting{"reserve-after", &Settings::reserve_after, Range{0, 86'400},
              "seconds after which nodes are kept free for the first that waits, gang or single "
              "pod; 0: "
              "never"},
      Setting{
          "nominate", &Settings::nominate, "rejected|all",
          "which members of a gang with places are nominated: those that the scheduler has "
          "rejected, or all, where percentageOfNodesToScore is not 100; with only-groups always "
          "all"},
      Setting{"only-groups", &Settings::only_groups,
              "the scheduler calls this agent only about pods that ask for outrigger.dev/gang and "
              "outrigger.dev/gang-bind, as scheduler-config --only-groups has it; members that do "
              "not ask for both are reported"},
      Setting{
          "gates", &Settings::gates,
          "members wait with the scheduling gate outrigger.dev/queue, which their template or an "
          "admission policy gives them, and this agent takes it off gangs that have a place"},
      Setting{"without-extender", &Settings::without_extender,
              "no scheduler calls this agent: members wait with the gate outrigger.dev/queue, are "
              "nominated for their places, and are let go together; bindings are one by one then"},
      Setting{"lease", &Settings::lease,
              "with without-extender: Lease that one of the replicas of this agent holds while it "
              "acts, as NAMESPACE/NAME"},
      Setting{"lease-seconds", &Settings::lease_seconds, Range{3, 600},
              "with without-extender: for how long that Lease is held without being renewed: so "
              "long nothing is done after the leader has died"},
      Setting{
          "window", &Settings::window, Range{1, 100'000},
          "with gates: so many members of gangs with places may be released and not bound yet; a "
          "larger gang goes alone"},
      Setting{"ahead", &Settings::ahead, Range{0, 1000},
              "with gates: so many gangs without a place are released all the same, so that "
              "autoscalers see what is missing; with without-extender none"},
      Setting{"leave-upstream", &Settings::leave_upstream,
              "leave groups of spec.schedulingGroup to kube-scheduler, whose feature gates handle "
              "them"},
      Setting{"preempt", &Settings::preempt,
              "evict whole gangs and single pods of lower priority for a gang that does not fit: "
              "the cheapest set that lets it fit, within disruption budgets"},
      Setting{"min-run-time", &Settings::min_run_time, Range{0, 86'400},
              "seconds for which pods run before they may be evicted for others"},
      Setting{"write-status", &Settings::write_status,
              "keep the status of PodGroups up to date, where their own controller does not run"},
  };
};

}  // namespace outrigger::gang
