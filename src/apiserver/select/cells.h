#pragma once

#include <span>
#include <string>
#include <string_view>

#include "apiserver/select/columns.h"

namespace outrigger::apiserver {

/// A column of a built-in kind ("apps/Deployment"). A title begins with '*' if it is for -o wide,
/// then with '#', '?' or '!' of integers, booleans and the name.
struct ColumnRow {
  std::string_view kind;
  std::string_view title;
  const char* path;
  CellFunction cell;
  const char* otherwise = "";
};

std::span<const ColumnRow> BuiltInColumns();

/// All values that are texts, or the JSON of others.
Json TextCell(const CellSource& source);
/// How long ago the time was.
Json AgeCell(const CellSource& source);

// Of pods (pod_cells.cc).
Json PodReadyCell(const CellSource& source);
Json PodStatusCell(const CellSource& source);
Json PodRestartsCell(const CellSource& source);
Json PodGatesCell(const CellSource& source);

/// The `status` of the condition of that type, or "".
std::string_view ConditionOf(const Json& object, std::string_view type);

}  // namespace outrigger::apiserver
