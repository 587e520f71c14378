#pragma once

#include "outrigger/desk/board.h"

namespace outrigger::desk {

/// False if something of the pod has changed by which kube-scheduler may judge it otherwise: its
/// status may differ. Null is the same as null only.
bool AskTheSame(const PodPtr& a, const PodPtr& b);

}  // namespace outrigger::desk
