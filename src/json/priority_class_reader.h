#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "json/reader.h"
#include "outrigger/k8s/priority_class.h"

namespace outrigger::json {

/// Reads a PriorityClass of scheduling.k8s.io/v1 anew; its manifest stays empty. Its kind and
/// apiVersion are not looked at. InvalidArgument names the place of what has a wrong type, is no
/// integer of 32 bits, or of a missing name.
absl::Status ReadPriorityClass(Object object, const Path& at, PriorityClass* read);

/// The same of a text, which is copied.
absl::StatusOr<PriorityClass> ReadPriorityClass(std::string_view json);

}  // namespace outrigger::json
