#pragma once

#include "board/board.h"

namespace outrigger::gang {

/// False if something of the pod has changed by which kube-scheduler may judge it otherwise: its
/// status may differ. Null is the same as null only.
bool AskTheSame(const PodPtr& a, const PodPtr& b);

}  // namespace outrigger::gang
