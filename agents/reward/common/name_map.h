#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace outrigger::reward {

struct NameHash {
  using is_transparent = void;
  size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
};

/// By name; a look into it makes no string.
template <typename T>
using NameMap = absl::flat_hash_map<std::string, T, NameHash, std::equal_to<>>;

}  // namespace outrigger::reward
