#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tuple>

#include "outrigger/agent/settings.h"
#include "outrigger/desk/options.h"

namespace outrigger::gang {

struct Settings {
  std::string mode = "extender";
  std::string scheduler_names = "default-scheduler";
  std::string scheduler_lease = "kube-system/kube-scheduler";
  std::string host_name;
  int64_t timeout = 300;
  int64_t reserve_after = 120;
  std::string lease = "outrigger/outrigger";
  bool leave_upstream = false;
  bool preempt = false;
  bool write_status = false;
  // Former ones.
  bool only_groups = false;
  std::string unchecked;
  int64_t bind_timeout = 630;
  int64_t partial_timeout = 0;  // 0: not given
  int64_t min_run_time = 60;

  desk::Mode DeskMode() const {
    return mode == "alone" ? desk::Mode::kAlone : desk::Mode::kExtender;
  }

  static constexpr auto kFields = std::tuple{
      Setting{"mode", &Settings::mode, "extender|alone",
              "extender: kube-scheduler calls this agent. alone: no scheduler calls it; members "
              "wait with the gate outrigger.dev/queue, are nominated for their places and let go "
              "together, and are bound one by one"}
          .FormerSwitch("without-extender", "alone", "extender"),
      Setting{"scheduler-names", &Settings::scheduler_names,
              "schedulerName of the pods that are planned, separated by commas; if it is not set, "
              "the profiles of --scheduler-config"},
      Setting{"scheduler-lease", &Settings::scheduler_lease,
              "Lease that the scheduler of this agent holds while it schedules, as "
              "NAMESPACE/NAME; \"none\" for a scheduler without leader election; if it is not set, "
              "that of --scheduler-config"},
      Setting{"host-name", &Settings::host_name,
              "host name by which the scheduler of this agent holds its Lease; empty: this "
              "machine's, which the containers of a pod share"},
      Setting{
          "timeout", &Settings::timeout, Range{1, 86'400},
          "seconds for which a gang may keep places without being complete, unless its PodGroup "
          "has scheduleTimeoutSeconds; then it comes after those of its priority"},
      Setting{"reserve-after", &Settings::reserve_after, Range{0, 86'400},
              "seconds after which nodes are kept free for the first that waits, gang or single "
              "pod; 0: never"},
      Setting{"lease", &Settings::lease,
              "with mode=alone: Lease that one of the replicas of this agent holds while it acts, "
              "as NAMESPACE/NAME"},
      Setting{"leave-upstream", &Settings::leave_upstream,
              "leave groups of spec.schedulingGroup to kube-scheduler, whose feature gates handle "
              "them"},
      Setting{"preempt", &Settings::preempt,
              "evict whole gangs and single pods of lower priority for a gang that does not fit: "
              "the cheapest set that lets it fit, within disruption budgets"},
      Setting{"write-status", &Settings::write_status,
              "keep the status of PodGroups up to date, where their own controller does not run"},
  };

  static constexpr auto kFormer = std::tuple{
      Setting{"only-groups", &Settings::only_groups,
              "it is read from --scheduler-config, which wins already"},
      Setting{"unchecked", &Settings::unchecked,
              "it is read from --scheduler-config, which wins already"},
      Setting{"bind-timeout", &Settings::bind_timeout, Range{5, 86'400},
              "it is read from --scheduler-config, which wins already, or else 630"},
      Setting{"partial-timeout", &Settings::partial_timeout, Range{1, 86'400},
              "it is 60, and never more than timeout"},
      Setting{"min-run-time", &Settings::min_run_time, Range{0, 86'400}, "it is 60"},
  };

  static constexpr std::array kRetired{
      Retired{"gates", "true", "pods with the gate are always released"},
      Retired{"claim-timeout", "620",
              "it is bindTimeoutSeconds of --scheduler-config and 20 s more, else 620"},
      Retired{"nomination-grace", "5", "it is 5"},
      Retired{"lease-grace", "5", "it is 5"},
      Retired{"nominate", "", "members are nominated where another pod may take a place"},
      Retired{"lease-seconds", "15", "it is 15"},
      Retired{"window", "1000", "it is 1000"},
      Retired{"ahead", "1", "it is 1; 0 with mode=alone"},
      Retired{"weight", "", "the agent scores no nodes"},
  };
};

}  // namespace outrigger::gang
