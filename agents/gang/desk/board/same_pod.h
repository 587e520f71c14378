#pragma once

#include "gang/desk/board.h"

namespace outrigger::desk {

/// False if something of the pod has changed by which kube-scheduler may judge it otherwise: its
/// status may differ. Null is the same as null only.
bool AskTheSame(const PodPtr& a, const PodPtr& b);
/// True if two pods ask for the same of a node by itself.
bool AskNodesTheSame(const Pod& a, const Pod& b);

}  // namespace outrigger::desk
