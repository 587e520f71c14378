#pragma once

#include <string>
#include <vector>

#include "groups_testing.h"

namespace outrigger::plan {

/// Pods and objects of a random cluster; drawn by rapidcheck. Few values, so that groups, times and
/// names coincide; pods' names are unique.
struct Input {
  Pods pods;
  std::vector<PodGroupObject> objects;
};
Input RandomInput();

/// pod-<number> of such an input.
PodPtr RandomPod(int number);
PodGroupObject RandomObject(int number);

}  // namespace outrigger::plan
