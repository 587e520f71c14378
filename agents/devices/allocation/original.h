#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "devices/allocation/claim.h"
#include "devices/allocation/pool.h"
#include "devices/allocation/selectors.h"

// What the scheduler of the prototype answered (k8srm-prototype, the dialect of counts), faults
// included: each claim by itself, nothing in use, classes, types and maxima unread, scores 0 and
// 100. Plain values; printed elsewhere.

namespace outrigger::devices {

struct OriginalPoolResult {
  std::string pool;
  int64_t count = 0;
  std::string failure;  ///< empty: none
};

struct OriginalPoolSetResult {
  std::vector<OriginalPoolResult> pools;
  int score = 0;
  std::string failure;
};

struct OriginalClaimResult {
  std::string claim;
  int best = -1;  ///< index of the set that won; -1: none
  std::vector<OriginalPoolResult> ignored;
  std::vector<OriginalPoolSetResult> sets;
};

struct OriginalNodeResult {
  std::string node;
  int score = 0;
  std::string summary;
  std::vector<OriginalClaimResult> claims;
  std::vector<OriginalPoolResult> allocations;  ///< of all claims in order; pools and counts
};

/// The prototype tries all sets of pools. This many on one node are tried, then it is an error.
inline constexpr int64_t kMostOriginalSets = 100'000;

/// Results by name of node; nodes are those of `pools`, in whose order sets are tried. Pools that
/// are attached to the network are on none. ResourceExhausted: too many sets. InvalidArgument:
/// there are no claims (the prototype divides by their number). Thread-safe.
absl::StatusOr<std::vector<OriginalNodeResult>> OriginalResults(
    std::span<const Claim* const> claims, std::span<const Pool* const> pools,
    const Selectors& selectors);

}  // namespace outrigger::devices
