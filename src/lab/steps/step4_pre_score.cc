#include <memory>

#include "lab/plugins/node_number.h"
#include "lab/steps/steps.h"

// Step 4. Score runs once for each node, but what it finds out about the pod is the same each time.
// PreScore runs once for each pod, before Score, and hands its result on in the cycle's state.

namespace outrigger::lab {

Profile Step4PreScore(const Handle& handle, const QueueSort& sort) {
  Profile profile = Step3Score(handle, sort);
  profile.pre_score.push_back(std::make_shared<NodeNumber>(handle.timers, handle.waiting_pods));
  return profile;
}

}  // namespace outrigger::lab
