#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "outrigger/agent/page.h"

namespace outrigger::page {

inline constexpr std::pair<PageColumn::Type, std::string_view> kTypeNames[] = {
    {PageColumn::Type::kText, "text"},
    {PageColumn::Type::kInteger, "integer"},
    {PageColumn::Type::kNumber, "number"},
    {PageColumn::Type::kBoolean, "boolean"},
};

/// Returns the JSON name of a type.
constexpr std::string_view NameOf(PageColumn::Type type) {
  for (const auto& entry : kTypeNames) {
    if (entry.first == type) return entry.second;
  }
  return "";
}

/// Returns the type with that JSON name, or nothing.
constexpr std::optional<PageColumn::Type> TypeOf(std::string_view name) {
  for (const auto& entry : kTypeNames) {
    if (entry.second == name) return entry.first;
  }
  return std::nullopt;
}

}  // namespace outrigger::page
