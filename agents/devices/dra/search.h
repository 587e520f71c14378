#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "devices/dra/plan.h"

namespace outrigger::dra {

/// The devices that one constraint has seen. As upstream's constraint types, v0.37.
class ConstraintState {
 public:
  /// `constraint` outlives it.
  explicit ConstraintState(const Constraint& constraint) : constraint_(&constraint) {}

  /// False: the device does not suit those that are there. True: it is one of them now.
  bool Add(const AskPlan& ask, const Spot& spot);
  /// Takes back the last one that was added.
  void Remove(const AskPlan& ask);

 private:
  bool IsOf(const AskPlan& ask) const;

  const Constraint* constraint_;
  std::vector<const AttributeValue*> values_;
};

/// A device that was chosen.
struct Pick {
  const AskPlan* ask = nullptr;
  size_t spot = 0;
  bool share = false;
  Quantities consumed;  ///< of a share
};

/// Looks for the first complete choice of devices. As upstream's allocateOne() and
/// allocateDevice(), v0.37; of devices that are equal to all that is asked only the first is tried.
class Search {
 public:
  enum class End : uint8_t {
    kFound,
    kNone,
    kTooMany,  // a claim would have more devices than it may
    kFault,
    kBudget,
  };

  /// `plan` is prepared, and outlives it.
  Search(const Plan& plan, int64_t budget);

  /// To be called once.
  End Run();
  int64_t steps() const { return steps_; }
  const Fault& fault() const { return fault_; }
  /// By claim; after kFound.
  const std::vector<std::vector<Pick>>& picks() const { return picks_; }
  /// By claim and request.
  const std::vector<std::vector<int>>& chosen() const { return chosen_; }

 private:
  // Which device is to be found next.
  struct Next {
    size_t claim = 0;
    size_t request = 0;
    size_t ask = 0;
    size_t device = 0;    // of the ask
    bool in_ask = false;  // the alternative has been chosen
    size_t start = 0;     // the first spot to be tried
  };
  // What is taken of a spot by this search.
  struct Taken {
    std::vector<size_t> claims;  // which have it whole
    int shares = 0;
    Quantities consumed;
  };

  End Step(Next next);
  End TryAlternatives(Next next);
  End TakeAll(const Next& next, const AskPlan& ask);
  End TryEach(const Next& next, const AskPlan& ask);
  End Fail(const Next& next, const AskPlan& ask, std::string text);
  /// Tries to go on with `spot`; kNone: it cannot be had, or nothing comes of it.
  End GoOn(const Next& next, const AskPlan& ask, size_t spot, bool must);
  std::optional<End> Take(const Next& next, const AskPlan& ask, size_t spot, bool must);
  void Undo(const Next& next, const AskPlan& ask, size_t spot);
  bool TakeCounters(size_t spot);
  void GiveCounters(size_t spot);
  bool IsBusy(const Next& next, const AskPlan& ask, size_t spot) const;
  bool IsTriedAlready(const std::vector<size_t>& tried, size_t spot) const;
  End CheckCapacity(const Next& next, const AskPlan& ask, size_t spot, Quantities* consumed);

  const Plan& plan_;
  const int64_t budget_;
  int64_t steps_ = 0;
  Fault fault_;
  std::vector<std::vector<ConstraintState>> constraints_;  // by claim
  std::vector<Taken> taken_;                               // by spot
  std::vector<std::vector<Quantity>> counters_;            // by pool: what is taken
  std::vector<std::vector<Pick>> picks_;
  std::vector<std::vector<int>> chosen_;
};

}  // namespace outrigger::dra
