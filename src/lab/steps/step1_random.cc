#include <memory>

#include "lab/framework/fifo_queue.h"
#include "lab/plugins/default_binder.h"
#include "lab/steps/steps.h"

// Step 1. A scheduler is a loop: take a pod, choose a node, tell the API server. This one chooses
// any node, by chance. No plugin rejects a node and none prefers one; all there is is a queue and a
// plugin that binds.

namespace outrigger::lab {

Profile Step1Random(const Handle& handle, const QueueSort& sort) {
  Profile profile;
  profile.queue = std::make_unique<FifoQueue>(handle.timers, LessOf(sort));
  profile.bind.push_back(std::make_shared<DefaultBinder>(handle.api));
  return profile;
}

}  // namespace outrigger::lab
