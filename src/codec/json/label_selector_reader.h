#pragma once

#include "codec/json/reader.h"
#include "outrigger/k8s/selector.h"

namespace outrigger::json {

/// Read a LabelSelector and one of its matchExpressions, as Read() of other types do; readers of
/// optional ones and of lists find them by their namespace.
absl::Status Read(Value value, const Path& at, SelectorRequirement* requirement);
absl::Status Read(Value value, const Path& at, LabelSelector* selector);

}  // namespace outrigger::json
