#pragma once

#include "lab/framework/api.h"
#include "lab/framework/random.h"
#include "lab/framework/timers.h"
#include "lab/framework/waiting_pods.h"
#include "lab/framework/workers.h"

namespace outrigger::lab {

/// What the scheduler and its plugins get from outside (framework.Handle): nothing in the lab reads
/// a clock, rolls dice, starts a thread or calls the API server but by these. All outlive whoever
/// has the handle.
struct Handle {
  Timers* timers = nullptr;
  Random* random = nullptr;  // of the scheduling cycle's thread
  WaitingPods* waiting_pods = nullptr;
  Executor* background = nullptr;  // of binding cycles
  /// Of what is written about pods that found no node. Apart from those, which it must not hold up.
  Executor* reports = nullptr;
  SchedulerApi* api = nullptr;
};

}  // namespace outrigger::lab
