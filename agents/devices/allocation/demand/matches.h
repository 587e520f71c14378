#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "devices/allocation/model/attribute_sets.h"

namespace outrigger::devices {

/// Whether devices of a set serve a detail, or the first thing that they lack.
enum class Match : uint8_t {
  kMatches,
  kOtherDriver,
  kClassFalse,  ///< the expression of the class
  kOwnFalse,    ///< the expression of the claim
  kFails,       ///< an expression fails on them
};

/// One Match for each set of an inventory, a byte each. Immutable once shared.
class Matches {
 public:
  /// Of the next set; `error`, once only, is the text of a Match::kFails.
  void Add(Match match, std::string_view error);
  void Reserve(size_t sets) { of_.reserve(sets); }
  size_t size() const { return of_.size(); }
  size_t bytes() const;

  bool Has(SetId set) const { return of_[static_cast<size_t>(set)] == 0; }
  Match Of(SetId set) const {
    return std::min(static_cast<Match>(of_[static_cast<size_t>(set)]), Match::kFails);
  }
  /// Why the expression fails; empty: it does not.
  std::string_view ErrorOf(SetId set) const;
  bool HasErrors() const { return !errors_.empty(); }

 private:
  // Expressions fail on many devices for few reasons. Further ones have the last of these.
  static constexpr size_t kMostErrors = 64;

  std::vector<uint8_t> of_;          // by SetId: a Match; from kFails on, an index in errors_ more
  std::vector<std::string> errors_;  // each once
};

/// The value of one attribute for each set, as a number: equal numbers are equal values. -1: none.
struct ValueColumn {
  std::string attribute;
  std::vector<int32_t> of;  // by SetId
  absl::flat_hash_map<std::string, int32_t> ids;
  int32_t values() const { return static_cast<int32_t>(ids.size()); }
};

inline void Matches::Add(Match match, std::string_view error) {
  size_t at = 0;
  if (match == Match::kFails) {
    at = static_cast<size_t>(std::find(errors_.begin(), errors_.end(), error) - errors_.begin());
    if (at == errors_.size() && at < kMostErrors) errors_.emplace_back(error);
    at = std::min(at, kMostErrors - 1);
  }
  of_.push_back(static_cast<uint8_t>(static_cast<size_t>(match) + at));
}

inline size_t Matches::bytes() const {
  size_t bytes = of_.size();
  for (const std::string& error : errors_) bytes += error.size();
  return bytes;
}

inline std::string_view Matches::ErrorOf(SetId set) const {
  if (Of(set) != Match::kFails) return {};
  return errors_[of_[static_cast<size_t>(set)] - static_cast<size_t>(Match::kFails)];
}

}  // namespace outrigger::devices
