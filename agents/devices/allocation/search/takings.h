#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "devices/allocation/demand/demand.h"
#include "devices/allocation/search/ground.h"

namespace outrigger::devices {

/// Hall's condition for the first requests of a demand: any of them together must find as many
/// devices as they need, whichever they match. Where nothing but counts is asked, a request that
/// leaves the condition true for those after it is never to be taken back.
///
/// P. Hall, On Representatives of Subsets, 1935. Thread-compatible.
class LaterNeeds {
 public:
  /// More requests are not looked at: sets of requests double with each.
  static constexpr int kMostSlots = 6;

  LaterNeeds(const DemandData& demand, const Ground& ground, const std::vector<int64_t>& spared);

  /// A set of requests that cannot be served together; smallest first; 0: there is none.
  uint32_t ShortSet() const;
  /// How many devices at `place` requests up to `slot` may take and leave enough for later ones.
  /// Below zero: they have too few already.
  int64_t Spare(size_t place, size_t slot) const;
  void Use(size_t place, int64_t count);
  int64_t needed(uint32_t set) const { return need_[set]; }
  int64_t available(uint32_t set) const { return available_[set]; }

 private:
  int slots_ = 0;
  std::vector<uint8_t> wanted_by_;  // by place: bits of requests
  std::array<int64_t, 1 << kMostSlots> need_ = {};
  std::array<int64_t, 1 << kMostSlots> available_ = {};
};

/// What is taken of a ground at one moment of a search, and what that leaves. Thread-compatible.
class Takings {
 public:
  Takings(const DemandData& demand, const Ground& ground, const std::vector<int64_t>& spared);

  /// True if `constraint` matches and has no value yet.
  bool IsUnbound(int32_t constraint) const {
    return !demand_.constraints[static_cast<size_t>(constraint)].distinct &&
           bound_[static_cast<size_t>(constraint)] < 0;
  }

  /// How many devices at `place` an alternative of `slot` can still get: free, matching, with
  /// counters for them, in keeping with all constraints.
  int64_t Available(const Slot& slot, const Alternative& alternative, size_t place) const;

  /// Takes `count` devices for it; of a shared device `given` of each resource that is wished.
  /// True if it bound a constraint to a value, so that fewer devices are available now.
  bool Apply(const Slot& slot, const Alternative& alternative, size_t place, int64_t count,
             const std::vector<Amount>& given);
  /// Undoes the last Apply() that is not undone, which had these arguments.
  void Undo(const Slot& slot, const Alternative& alternative, size_t place, int64_t count,
            const std::vector<Amount>& given);

  /// The own resource of a shared device that a wish is about; null: it has none.
  const Store* FindStore(size_t place, const Wish& wish) const;
  /// What is left of it.
  Amount LeftOf(size_t place, const Store& store) const;
  const LaterNeeds& later() const { return later_; }

  /// Sets of attributes that were looked at to begin with.
  int64_t visited() const { return visited_; }

 private:
  struct Binding {
    int32_t constraint = 0;
    int32_t value = 0;
  };

  int64_t AvailableShared(const Slot& slot, const Alternative& alternative, size_t place) const;
  int64_t AvailableByCounters(size_t place, int64_t free) const;
  void FindAdmissible(const std::vector<int64_t>& spared);
  void Admit(const Slot& slot);
  int64_t AvailableByConstraints(const Alternative& alternative, SetId set, int64_t free) const;
  int64_t InClaim(const Slot& slot, size_t place) const;
  bool Bind(const Alternative& alternative, SetId set);
  void Unbind();
  void AddToCounters(size_t place, int64_t count);
  void AddToShared(const Alternative& alternative, size_t place, const std::vector<Amount>& given,
                   int sign);
  void AddToClaim(const Slot& slot, size_t place, int64_t count);

  const DemandData& demand_;
  const Ground& ground_;
  LaterNeeds later_;
  std::vector<int64_t> taken_;        // by place; of a shared one: how many use it in addition
  std::vector<int32_t> first_store_;  // by place, into left_
  std::vector<Amount> left_;          // of own resources
  std::vector<Amount> counters_;
  std::vector<int64_t> in_claim_;  // by claim and place, only with admin access
  /// By constraint: the values that it may have; empty: any.
  std::vector<std::vector<bool>> admissible_;
  int64_t visited_ = 0;
  std::vector<int32_t> bound_;     // by constraint that matches: the value, or -1
  std::vector<Binding> bindings_;  // in order
  std::vector<size_t> marks_;      // into bindings_, one for each Apply()
};

}  // namespace outrigger::devices
