#include <memory>

#include "lab/plugins/node_number.h"
#include "lab/steps/steps.h"

// Step 5. A node is chosen, but must the pod go there at once? Permit may answer "wait". So that
// the others need not wait as well, the rest of the way, the binding cycle, runs in the background.

namespace outrigger::lab {

Profile Step5Permit(const Handle& handle, const QueueSort& sort) {
  Profile profile = Step4PreScore(handle, sort);
  profile.permit.push_back(std::make_shared<NodeNumber>(handle.timers, handle.waiting_pods));
  profile.binds_in_background = true;
  return profile;
}

}  // namespace outrigger::lab
