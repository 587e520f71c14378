#include <memory>

#include "lab/plugins/node_unschedulable.h"
#include "lab/steps/steps.h"

// Step 2. Not every node will do: Filter asks, of each node, "may the pod go there?". One plugin
// that says no is enough. A pod for which no node is left is not bound.

namespace outrigger::lab {

Profile Step2Filter(const Handle& handle, const QueueSort& sort) {
  Profile profile = Step1Random(handle, sort);
  profile.filter.push_back(std::make_shared<NodeUnschedulable>());
  return profile;
}

}  // namespace outrigger::lab
