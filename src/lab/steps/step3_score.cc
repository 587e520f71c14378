#include <memory>

#include "lab/plugins/node_number.h"
#include "lab/steps/steps.h"

// Step 3. Of the nodes that will do, which is best? Score gives each a number of points; the node
// with the most wins, and chance decides among equals.

namespace outrigger::lab {

Profile Step3Score(const Handle& handle, const QueueSort& sort) {
  Profile profile = Step2Filter(handle, sort);
  profile.score.push_back(std::make_shared<NodeNumber>(handle.timers, handle.waiting_pods));
  return profile;
}

}  // namespace outrigger::lab
