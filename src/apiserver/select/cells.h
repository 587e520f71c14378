#pragma once

#include <string_view>

#include "absl/time/time.h"
#include "apiserver/json.h"

namespace outrigger::apiserver {

/// What a cell is computed by: of `object`, with the path that the table of columns has.
using CellFunction = Json (*)(const Json& object, std::string_view path, absl::Time now);

/// The function of that name; nullptr: there is none.
CellFunction FindCellFunction(std::string_view name);

/// How long ago the time at `path` was; null where there is none.
Json AgeCell(const Json& object, std::string_view path, absl::Time now);

// Of pods (pod_cells.cc).
Json PodReadyCell(const Json& pod, std::string_view path, absl::Time now);
Json PodStatusCell(const Json& pod, std::string_view path, absl::Time now);
Json PodRestartsCell(const Json& pod, std::string_view path, absl::Time now);
Json PodGatesCell(const Json& pod, std::string_view path, absl::Time now);

/// The `status` of the condition of that type, or "".
std::string_view ConditionOf(const Json& object, std::string_view type);

}  // namespace outrigger::apiserver
