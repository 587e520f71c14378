#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "devices/dra/objects.h"

namespace outrigger::dra {

/// What allocated claims have of one device.
struct Use {
  std::vector<const Claim*> whole;  ///< those that have all of it
  struct Share {
    const Claim* claim;
    const Quantities* consumed;
  };
  std::vector<Share> shares;
};

/// A device's use, without what some claims have.
struct InUse {
  bool whole = false;
  bool shared = false;
  Quantities consumed;

  bool any() const { return whole || shared; }
};

/// Which claim has which device. Immutable once filled.
class Holdings {
 public:
  /// Keeps what `claim` has, if it is allocated; `claim` outlives this. Admin access takes nothing.
  void Add(const Claim& claim);
  /// Null: none has any of it.
  const Use* Of(std::string_view driver, std::string_view pool, std::string_view device) const;

 private:
  absl::flat_hash_map<std::string, Use> uses_;
};

/// `use` may be null. Claims of `without` (NameOf()) count for nothing.
InUse Counted(const Use* use, const std::set<std::string>& without);

/// Adds `more` to `sum`, name by name.
void AddAmounts(const Quantities& more, Quantities* sum);
void TakeAmounts(const Quantities& less, Quantities* sum);

}  // namespace outrigger::dra
