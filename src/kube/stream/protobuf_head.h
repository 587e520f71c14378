#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "kube/stream/object_head.h"

namespace outrigger::kube {

/// ReadHead() of object_head.h for the protobuf message of an object. InvalidArgument if that is
/// broken.
absl::Status ReadHead(std::string_view object, bool annotations, ObjectHead* head);

}  // namespace outrigger::kube
