#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "devices/allocation/allocator.h"
#include "devices/allocation/claim.h"
#include "devices/allocation/demand/demand.h"
#include "devices/allocation/demand/match_cache.h"
#include "devices/allocation/inventory.h"

namespace outrigger::devices {

/// Makes a demand of claims: looks classes up, joins counts, attributes and expressions of class
/// and claim. For one demand.
class Resolver {
 public:
  /// How far expressions matter: whether they compile, or what they match, too.
  enum class Depth : uint8_t { kSyntax, kMatches };

  Resolver(const Inventory& inventory, const AllocatorOptions& options, MatchCache* cache,
           Depth depth);

  /// Of use only if `unknown` stays empty; kSyntax: and for its invalid claims alone.
  std::shared_ptr<const DemandData> Resolve(std::span<const Claim* const> claims, Unknown* unknown);

 private:
  absl::Status AddClaim(int32_t index, const Claim& claim);
  absl::Status AddDetail(const Claim& claim, const Detail& detail,
                         const std::vector<int32_t>& of_claim, Slot* slot);
  absl::Status AddClass(const Detail& detail, const Class& of, MatchQuery* query) const;
  absl::Status AddClasses(const Detail& detail, MatchQuery* query) const;
  absl::StatusOr<std::shared_ptr<const Matches>> MatchesOf(const MatchQuery& query) const;
  std::shared_ptr<const ValueColumn> Values(const std::string& attribute);
  absl::Status SetCounts(const Claim& claim, const Detail& detail, const Class* of,
                         Alternative* alternative) const;
  void AddOwnConstraints(const Detail& detail, const Class* of, Alternative* alternative);
  bool Contradicts(const Claim& claim, const Alternative& alternative) const;
  int32_t AddConstraint(const std::string& attribute, bool distinct);
  const Class* ClassOf(const Detail& detail) const;
  void AddGroups();

  const Inventory& inventory_;
  const AllocatorOptions& options_;
  const bool resolves_;
  MatchCache* const cache_;
  const Depth depth_;
  Unknown* unknown_ = nullptr;
  std::set<std::string> attributes_;  // of all claims
  DemandData data_;
};

}  // namespace outrigger::devices
