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

  static constexpr std::array kRetired{
      Retired{
          "only-groups", "",
          "whether kube-scheduler calls about all pods or members is read from --scheduler-config; "
          "without that file, and until a pod asks for calls, all is assumed"},
      Retired{"gates", "true", "pods with the gate are always released"},
      Retired{"unchecked", "",
              "the agent reads it from --scheduler-config; without that file it plans as if the "
              "scheduler checked everything"},
      Retired{"bind-timeout", "630",
              "it is httpTimeout of --scheduler-config; without that file 630, and a scheduler "
              "that gives up earlier binds no gang that takes longer"},
      Retired{"claim-timeout", "620",
              "it is bindTimeoutSeconds of --scheduler-config and 20 s more, else 620"},
      Retired{"nomination-grace", "5", "it is 5"},
      Retired{"lease-grace", "5", "it is 5"},
      Retired{"partial-timeout", "60",
              "it is 60, or timeout if that is less: so long after a loss a gang with restart is "
              "evicted, whatever was set"},
      Retired{"nominate", "", "members are nominated where another pod may take a place"},
      Retired{"lease-seconds", "15", "it is 15"},
      Retired{"window", "1000", "it is 1000"},
      Retired{"ahead", "1", "it is 1; 0 with mode=alone"},
      Retired{"min-run-time", "60",
              "it is 60: preempt may evict what has run for longer, whatever was set"},
      Retired{"weight", "", "the agent scores no nodes"},
  };
};

}  // namespace outrigger::gang
