#pragma once

#include <vector>

#include "gang/plan/nodes/domains.h"
#include "gang/plan/nodes/node_space.h"
#include "gang/plan/search/attempt.h"
#include "gang/plan/search/ground.h"
#include "gang/plan/search/seats.h"
#include "gang/plan/unit.h"

namespace outrigger::plan {

/// Places one unit after another on what is free, as their wishes for topology ask. Made for one
/// plan. Not thread-safe.
class Placer {
 public:
  /// `space` and `domains` must outlive it; nodes must not change meanwhile.
  Placer(NodeSpace* space, DomainTable* domains);

  struct Outcome {
    bool fits = false;
    bool gave_up = false;  // the search was cut short
    /// Where the members over the minimum may go; null: anywhere.
    const std::vector<Slot>* within = nullptr;
  };
  /// Places the minimum of a unit (and what else fits on the way), or nothing.
  Outcome Place(const Unit& unit, Seats* seats);
  /// Some of what was taken has been given back since the last call.
  void SomeCameFree() { whole_.SomeCameFree(); }
  /// Places members of a unit that has its minimum, as far as there is room.
  void Fill(const Unit& unit, const Outcome& outcome, Seats* seats);

 private:
  struct Choice {
    const Domain* domain;
    int64_t room;
    int64_t held;
  };

  bool OnGround(const Unit& unit, Ground* ground, Seats* seats, bool* gave_up);
  bool Kept(Ground* ground, Seats* seats);
  bool Try(Ground* ground, Seats* seats, bool* gave_up);
  bool InOneDomain(const Unit& unit, const std::string& label, const Ground& ground, Seats* seats);
  bool OverFewDomains(const Unit& unit, const Ground& ground, Seats* seats);
  std::vector<Choice> Choices(const Unit& unit, const std::vector<Domain>& domains,
                              const Seats& seats) const;
  std::vector<Slot> SlotsBeside(const Unit& unit, const std::string& label,
                                const std::vector<Slot>& slots, const Seats& seats) const;
  bool HasRoom(const std::vector<Slot>& slots, const Seats& seats, int64_t* room) const;

  NodeSpace* const space_;
  DomainTable* const domains_;
  Ground whole_;
  Effort left_;
};

}  // namespace outrigger::plan
