#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "devices/demand/demand.h"
#include "devices/demand/match_cache.h"
#include "outrigger/devices/allocator.h"
#include "outrigger/devices/claim.h"
#include "outrigger/devices/inventory.h"

namespace outrigger::devices {

/// Makes a demand of claims: looks classes up, joins counts, attributes and expressions of class
/// and claim. For one demand.
class Resolver {
 public:
  Resolver(const Inventory& inventory, const AllocatorOptions& options, MatchCache* cache);

  std::shared_ptr<const DemandData> Resolve(std::span<const Claim* const> claims);

 private:
  absl::Status AddClaim(int32_t index, const Claim& claim);
  absl::Status AddDetail(const Claim& claim, const Detail& detail,
                         const std::vector<int32_t>& of_claim, Slot* slot);
  absl::Status AddClass(const Detail& detail, const Class& of, MatchQuery* query) const;
  absl::Status AddClasses(const Detail& detail, MatchQuery* query) const;
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
  DemandData data_;
};

}  // namespace outrigger::devices
