#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "devices/model/attribute_sets.h"

namespace outrigger::devices {

/// Whether devices of a set serve a detail, or the first thing that they lack.
enum class Match : uint8_t {
  kMatches,
  kOtherDriver,
  kClassFalse,  ///< the expression of the class
  kOwnFalse,    ///< the expression of the claim
  kFails,       ///< an expression fails on them
};

/// One Match for each set of an inventory. Immutable once shared.
struct Matches {
  std::vector<Match> of;                           // by SetId
  absl::flat_hash_map<SetId, std::string> errors;  // of those that fail
  bool Has(SetId set) const { return of[static_cast<size_t>(set)] == Match::kMatches; }
};

/// The value of one attribute for each set, as a number: equal numbers are equal values. -1: none.
struct ValueColumn {
  std::string attribute;
  std::vector<int32_t> of;  // by SetId
  absl::flat_hash_map<std::string, int32_t> ids;
  int32_t values() const { return static_cast<int32_t>(ids.size()); }
};

}  // namespace outrigger::devices
