#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/allocation/claim.h"
#include "devices/allocation/device_class.h"
#include "devices/allocation/inventory.h"
#include "devices/objects/objects.h"
#include "store/contents.h"

namespace outrigger::devices::agent {

/// What is known of a few nodes, to work with while the store goes on. Immutable; thread-safe.
class Excerpt {
 public:
  using Names = std::set<std::string, std::less<>>;

  /// Costs a look at what each claim holds, and copies of what is held of these nodes;
  /// `network_pools`: as of AllocatorOptions.
  Excerpt(const Contents& contents, const Names& nodes, bool network_pools);

  /// The inventory of these nodes, in which these claims ("namespace/name") hold nothing.
  Inventory WithoutHoldings(std::span<const std::string> claims) const;
  /// What the claim holds there.
  std::vector<Allocation> HeldBy(std::string_view claim) const;
  /// Claims without privileges that are allocated on the node.
  const std::vector<std::shared_ptr<const ClaimObject>>& ClaimsOn(std::string_view node) const;

 private:
  void TakeHoldings(const Contents& contents);

  std::vector<std::shared_ptr<const PoolObject>> pools_;
  std::vector<std::shared_ptr<const ClassObject>> classes_;
  std::vector<Driver> drivers_;
  std::map<std::string, std::vector<Allocation>, std::less<>> holdings_;
  std::map<std::string, std::vector<std::shared_ptr<const ClaimObject>>, std::less<>> claims_;
};

}  // namespace outrigger::devices::agent
