#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codec/json/reader.h"
#include "outrigger/k8s/priority_class.h"

namespace outrigger::kube {

/// Reads a PriorityClass of scheduling.k8s.io/v1, nothing of the former content of `read` stays;
/// its manifest stays empty. Its kind and apiVersion are not looked at. InvalidArgument names the
/// place of what has a wrong type, is no integer of 32 bits, or of a missing name.
absl::Status ReadPriorityClassJson(json::Object object, const json::Path& at, PriorityClass* read);

/// The same of a text, which is copied.
absl::StatusOr<PriorityClass> ReadPriorityClassJson(std::string_view text);

}  // namespace outrigger::kube
