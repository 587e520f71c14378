#pragma once

#include "absl/status/statusor.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/config_maps.h"
#include "outrigger/agent/priority_classes.h"
#include "outrigger/penalty/replacement.h"

namespace outrigger::penalty {

/// Brings the class of an intent that was edited into order, without obeying it: what it is, its
/// manifest says, if that is intact. A class that is absent is made with its base; one that is
/// there is left as it is, with the base that it shows. Then the account is to be written, and the
/// ConfigMap to be removed. Errors: those of calls, and InvalidArgument if the manifest cannot be
/// used, or DELETE may arrive yet: the ConfigMap stays.
absl::StatusOr<Replacement> RepairClassOf(PriorityClassAccess* classes, const ConfigMap& map,
                                          const CallLimits& limits);

}  // namespace outrigger::penalty
