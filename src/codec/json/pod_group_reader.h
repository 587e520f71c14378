#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codec/json/reader.h"
#include "outrigger/k8s/pod_group.h"

namespace outrigger::json {

/// Whether phase and version of PodGroups are read.
enum class GroupParts : uint8_t { kAllButStatus, kAll };

/// Reads a PodGroup of `dialect` anew, nothing of the former content of `group` stays. Its kind and
/// apiVersion are not looked at. InvalidArgument names the place of what has a wrong type, is no
/// integer of 64 bits, or of a missing name; a malformed quantity or time is left out and listed.
absl::Status ReadPodGroup(Object object, const Path& at, Dialect dialect, GroupParts parts,
                          PodGroup* group);

/// The same of a text, which is copied, with all parts.
absl::StatusOr<PodGroup> ReadPodGroup(Dialect dialect, std::string_view json);

}  // namespace outrigger::json
