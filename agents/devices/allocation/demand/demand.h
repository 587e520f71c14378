#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "devices/allocation/allocator.h"
#include "devices/allocation/demand/matches.h"
#include "devices/allocation/model/amount.h"

// The claims of a pod as the search sees them.

namespace outrigger::devices {

/// What is asked of an own resource, as a sum over the chosen devices.
struct Wish {
  std::string resource;
  Amount amount = 0;
  Quantity::Format format = Quantity::Format::kDecimalSI;
};

/// One way to serve a slot.
struct Alternative {
  std::string what;  ///< "foozer": the class, or the type, for reasons
  std::shared_ptr<const Matches> matches;
  int64_t least = 1;
  int64_t most = kMostWanted;
  std::vector<Wish> wishes;
  bool all = false;
  bool admin = false;
  std::vector<int32_t> constraints;  ///< that hold for it
  bool contradicts = false;          ///< its devices must be equal and different in one attribute
};

/// One request of a claim.
struct Slot {
  int32_t claim = 0;
  std::string name;        ///< "claims[1]"; empty: the only request of its claim
  bool few_pools = false;  ///< touches as few pools as possible
  std::vector<Alternative> alternatives;
};

/// All devices that it holds for are equal in an attribute, or all differ. Those without it do not.
struct Constraint {
  bool distinct = false;
  std::shared_ptr<const ValueColumn> values;
};

struct DemandData {
  std::vector<std::string> claims;  ///< names, for reasons
  std::string namespace_;           ///< claims of others are not named; empty: all are
  std::vector<Slot> slots;          ///< in the order of claims and requests
  std::vector<Constraint> constraints;
  /// Attributes whose groups of equal value should stay whole, each once.
  std::vector<std::shared_ptr<const ValueColumn>> groups;
  std::vector<InvalidClaim> invalid;
  bool has_admin = false;
  // Of the inventory's sets, to which the columns above belong.
  uint64_t epoch = 0;
  size_t sets = 0;
};

}  // namespace outrigger::devices
