#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tuple>

#include "outrigger/agent/settings.h"
#include "outrigger/desk/options.h"

namespace outrigger::qos {

struct Settings {
  std::string mode = "extender";
  std::string scheduler_names = "default-scheduler";
  std::string scheduler_lease = "kube-system/kube-scheduler";
  std::string host_name;
  int64_t reserve_after = 120;
  std::string lease = "outrigger/outrigger";
  bool pod_priority = true;
  std::string unchecked;  // a former one

  desk::Mode DeskMode() const {
    return mode == "alone" ? desk::Mode::kAlone : desk::Mode::kExtender;
  }

  static constexpr auto kFields = std::tuple{
      Setting{"mode", &Settings::mode, "extender|alone",
              "extender: kube-scheduler calls this agent. alone: no scheduler calls it; pods wait "
              "with the gate outrigger.dev/queue, are nominated for their places and let go in the "
              "order of the queue. In one process with gang it is gang's, too"}
          .FormerSwitch("without-extender", "alone", "extender"),
      Setting{"scheduler-names", &Settings::scheduler_names,
              "schedulerName of the pods that are queued, separated by commas; if it is not set, "
              "the profiles of --scheduler-config. In one process with gang it is gang's, too"},
      Setting{"scheduler-lease", &Settings::scheduler_lease,
              "Lease that the scheduler of this agent holds while it schedules, as "
              "NAMESPACE/NAME; \"none\" for a scheduler without leader election; if it is not set, "
              "that of --scheduler-config. In one process with gang it is gang's, too"},
      Setting{"host-name", &Settings::host_name,
              "host name by which the scheduler of this agent holds its Lease; empty: this "
              "machine's, which the containers of a pod share"},
      Setting{"reserve-after", &Settings::reserve_after, Range{0, 86'400},
              "seconds after which nodes are kept free for the first that waits, gang or single "
              "pod; 0: never"},
      Setting{"lease", &Settings::lease,
              "with mode=alone: Lease that one of the replicas of this agent holds while it acts, "
              "as NAMESPACE/NAME. In one process with gang it is gang's, too"},
      Setting{"pod-priority", &Settings::pod_priority,
              "order by the pod's priority, after groupPriority and before the QoS class; false: "
              "leave it out"},
  };

  static constexpr auto kFormer = std::tuple{
      Setting{"unchecked", &Settings::unchecked,
              "it is read from --scheduler-config, which wins already"},
  };

  static constexpr std::array kRetired{
      Retired{"lease-seconds", "15", "it is 15"},
      Retired{"window", "1000", "it is 1000"},
      Retired{"weight", "1", "the scores of this agent count once"},
  };
};

}  // namespace outrigger::qos
