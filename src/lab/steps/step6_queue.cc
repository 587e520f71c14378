#include <memory>

#include "lab/framework/scheduling_queue.h"
#include "lab/steps/steps.h"

// Step 6. So far a pod that found no node was forgotten. Now the queue has three parts: active,
// those whose turn may come; unschedulable, those that found no node; backoff, those that may try
// again when some time has passed. What lies in unschedulable for five minutes is tried again.

namespace outrigger::lab {

Profile Step6Queue(const Handle& handle, const QueueSort& sort) {
  Profile profile = Step5Permit(handle, sort);
  profile.queue = std::make_unique<SchedulingQueue>(handle.timers, LessOf(sort), QueueOptions());
  return profile;
}

}  // namespace outrigger::lab
