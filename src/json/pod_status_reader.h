#pragma once

#include "json/reader.h"
#include "outrigger/agent/needs.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::json {

/// Reads a pod's `status` into the fields of `pod` that come from there and are needed.
absl::Status ReadPodStatus(Value value, const Path& at, const Needs& needs, Pod* pod);

}  // namespace outrigger::json
