#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "devices/allocation/demand/demand.h"
#include "devices/allocation/search/ground.h"
#include "devices/allocation/search/takings.h"

namespace outrigger::devices {

/// How many devices an alternative can get of each value of the attributes that must be equal, at a
/// moment at which they are not bound to one: values with too few need not be tried.
class ValueCounts {
 public:
  /// Counts from the beginning.
  void Count(const DemandData& demand, const Ground& ground, const Takings& takings,
             const Slot& slot, const Alternative& alternative);
  /// True if no value of some attribute has `need` devices.
  bool AreShort(int64_t need) const;
  /// True if devices of the values that `set` has are too few.
  bool AreShort(const DemandData& demand, SetId set, int64_t need) const;

 private:
  struct OfValue {
    int32_t value = 0;
    int64_t count = 0;
  };
  struct OfConstraint {
    int32_t constraint = 0;
    std::vector<OfValue> counts;  // by value
  };

  static void Merge(std::vector<OfValue>* counts);

  std::vector<OfConstraint> all_;
};

/// Devices of one place for one slot.
struct Pick {
  size_t slot = 0;
  int32_t alternative = 0;
  size_t place = 0;
  int64_t count = 0;
  std::vector<Amount> given;  ///< of a shared device: for each wish of the alternative
};

enum class Outcome : uint8_t { kFits, kDoesNotFit, kBudgetSpent };

/// What several searches may spend.
struct Steps {
  int64_t most = 0;  ///< each
  int64_t left = 0;  ///< all together
};

/// One search for devices of all slots of a demand: depth first, without recursion. A decision is
/// an alternative of a slot, or how many devices of a place it gets, most first. Each slot tries
/// places in an order of its own, see fit_order.h. Thread-compatible.
class Search {
 public:
  /// `spared`: devices that each slot need not find here; empty: none.
  Search(const DemandData& demand, const Ground& ground, std::vector<int64_t> spared = {});

  /// A second call searches from the beginning.
  Outcome Find(int64_t budget);
  /// The same, paid from `steps`.
  Outcome Find(Steps* steps);
  /// After kFits: in the order of slots and places.
  std::vector<Pick> Picks() const;
  int64_t steps() const { return steps_; }
  /// Requests that are short by counts alone, before any search; 0: none.
  uint32_t ShortSet() const { return takings_.later().ShortSet(); }

 private:
  static constexpr int32_t kNoLimit = std::numeric_limits<int32_t>::max();

  /// Where the search stands.
  struct Cursor {
    size_t slot = 0;
    bool is_open = false;  // an alternative is chosen
    int32_t alternative = 0;
    int64_t count = 0;      // devices of the slot in all
    size_t next = 0;        // first of the places in order that is not decided
    int64_t need = 0;       // devices that are yet to be found
    int64_t potential = 0;  // at most so many are available from next on
    int32_t pairs = 0;      // of claims and pools, of slots with few_pools
    int32_t last_pool = -1;
  };
  /// A decision. Of a place: `before` is the search if nothing were taken there.
  struct Frame {
    Cursor before;
    bool is_choice = false;
    size_t place = 0;
    int64_t take = 0;
    int64_t least = 0;     // that must be taken here
    bool is_last = false;  // to take less leads nowhere
    std::vector<Amount> given;
  };

  Outcome Attempt(int64_t budget);
  bool Descend();
  bool Retry();
  void Unwind();
  bool OpenFirst();
  bool OpenNext(Frame* frame);
  bool Open();
  void FindOrder();
  int64_t WantedTogether() const;
  const std::vector<size_t>* Order() const;
  size_t PlacesInOrder() const;
  static size_t PlaceAt(const std::vector<size_t>* order, size_t position) {
    return order == nullptr ? position : (*order)[position];
  }
  int64_t CountOfAll() const;
  bool TakeSome();
  bool TakeAt(size_t place, int64_t available);
  bool Enter(Frame* frame);
  bool TakeLess(Frame* frame);
  int64_t MostAt(size_t place, int64_t available);
  bool Give(Frame* frame);
  Amount RoomFrom(size_t from, int64_t devices, size_t wish);
  Amount LeastGiven(size_t wish);
  bool GiveLess(Frame* frame);
  Amount MostGiven(const Frame& frame, size_t wish) const;
  bool IsLaterOfEquals(size_t place) const;
  bool IsOfShortValue(size_t place) const;
  int64_t Potential(size_t from);
  bool FewPoolsDo();
  void FindLowerBounds();
  int32_t FewestPools(size_t slot);

  const Slot& slot() const { return demand_.slots[cursor_.slot]; }
  const Alternative& alternative() const {
    return slot().alternatives[static_cast<size_t>(cursor_.alternative)];
  }
  const Alternative& AlternativeOf(const Frame& frame) const {
    return demand_.slots[frame.before.slot]
        .alternatives[static_cast<size_t>(frame.before.alternative)];
  }
  int64_t SparedOf(size_t slot) const { return spared_.empty() ? 0 : spared_[slot]; }

  const DemandData& demand_;
  const Ground& ground_;
  const std::vector<int64_t> spared_;
  Takings takings_;
  Cursor cursor_;
  std::vector<Frame> frames_;
  std::vector<ValueCounts> by_value_;        // by slot, of when its alternative was chosen
  std::vector<std::vector<size_t>> orders_;  // by slot: places; empty: as listed
  std::vector<std::vector<Amount>> wished_;  // by slot: what is yet to be found of each wish
  std::vector<int32_t> later_pools_;         // by slot: fewest pools of it and of those after it
  std::vector<int64_t> by_pool_;             // memory of FewPoolsDo()
  int32_t most_pairs_ = kNoLimit;
  bool is_limited_ = false;  // something was left out for most_pairs_
  int64_t budget_ = 0;
  int64_t steps_ = 0;
};

}  // namespace outrigger::devices
