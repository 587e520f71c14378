#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "kube/resource.h"
#include "sdk/base/dialects.h"

namespace outrigger::kube {

/// The PodGroups of one dialect as the API server has them.
struct PodGroupKind {
  Dialect dialect = Dialect::kNone;
  Resource resource;  // in the newest version that is known
  /// All versions that can be read, the newest first.
  std::span<const std::string_view> versions;
};

/// Of every dialect that has objects.
inline constexpr auto kPodGroupKinds = [] {
  std::array<PodGroupKind, 4> kinds;
  size_t at = 0;
  for (const DialectRow& row : kDialects) {
    if (row.group.empty()) continue;
    kinds[at++] = {
        row.dialect, {row.group, row.versions[0], "podgroups", "PodGroup", true}, row.versions};
  }
  return kinds;
}();
static_assert(kPodGroupKinds.back().dialect == kDialects.back().dialect);

/// Null for a dialect without objects.
constexpr const Resource* PodGroupsOf(Dialect dialect) {
  for (const PodGroupKind& kind : kPodGroupKinds) {
    if (kind.dialect == dialect) return &kind.resource;
  }
  return nullptr;
}

}  // namespace outrigger::kube
