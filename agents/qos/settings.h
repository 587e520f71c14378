#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "outrigger/agent/settings.h"

namespace outrigger::qos {

struct Settings {
  std::string scheduler_names = "default-scheduler";
  std::string scheduler_lease = "kube-system/kube-scheduler";
  std::string host_name;
  std::string unchecked;
  int64_t reserve_after = 0;
  bool without_extender = false;
  std::string lease = "outrigger/outrigger";
  int64_t lease_seconds = 15;
  int64_t window = 1000;
  bool pod_priority = true;

  static constexpr auto kFields = std::tuple{
      Setting{"scheduler-names", &Settings::scheduler_names,
              "schedulerName of the pods that are queued, separated by commas: the profiles of "
              "the scheduler next to this agent. In one process with gang it is gang's, too"},
      Setting{"scheduler-lease", &Settings::scheduler_lease,
              "Lease that the scheduler next to this agent holds while it schedules, as "
              "NAMESPACE/NAME; \"none\" for a scheduler without leader election. In one process "
              "with gang it is gang's, too"},
      Setting{"host-name", &Settings::host_name,
              "host name by which the scheduler next to this agent holds its Lease; empty: this "
              "machine's, which the containers of a pod share"},
      Setting{
          "unchecked", &Settings::unchecked,
          "what kube-scheduler does not compare, and so is not planned by, separated by commas: "
          "extended resources (example.com/score), groups of them (example.com/*), plugins that "
          "are off (NodePorts); PROFILE:ITEM is of that profile alone. scheduler-config prints it"},
      Setting{"reserve-after", &Settings::reserve_after, Range{0, 86'400},
              "seconds after which nodes are kept free for the first unit that waits, gang or "
              "single pod; 0: never"},
      Setting{
          "without-extender", &Settings::without_extender,
          "no scheduler calls this agent: pods wait with the gate outrigger.dev/queue, are "
          "nominated for their places, and are let go in the order of the queue. In one process "
          "with gang it is gang's, too"},
      Setting{"lease", &Settings::lease,
              "with without-extender: Lease that one of the replicas of this agent holds while it "
              "acts, as NAMESPACE/NAME. In one process with gang it is gang's, too"},
      Setting{"lease-seconds", &Settings::lease_seconds, Range{3, 600},
              "with without-extender: for how long that Lease is held without being renewed: so "
              "long nothing is done after the leader has died"},
      Setting{"window", &Settings::window, Range{1, 100'000},
              "with without-extender: so many pods with places may be let go and not bound yet"},
      Setting{"pod-priority", &Settings::pod_priority,
              "order by the pod's priority, after groupPriority and before the QoS class; false: "
              "leave it out"},
  };
};

}  // namespace outrigger::qos
