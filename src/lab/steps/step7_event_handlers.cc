#include <memory>

#include "lab/framework/scheduling_queue.h"
#include "lab/steps/steps.h"

// Step 7. Five minutes are long where what the pod waits for has come after one second. Each plugin
// says which events may help the pods that it rejected; event handlers tell the queue what happens,
// and the queue wakes those pods, and no others.

namespace outrigger::lab {

Profile Step7EventHandlers(const Handle& handle, const QueueSort& sort) {
  Profile profile = Step6Queue(handle, sort);
  profile.queue = std::make_unique<SchedulingQueue>(
      handle.timers, LessOf(sort), QueueOptions{.registered = RegisteredEvents(profile)});
  profile.has_event_handlers = true;
  return profile;
}

}  // namespace outrigger::lab
