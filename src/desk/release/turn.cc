#include "desk/release/turn.h"

#include <algorithm>
#include <string>
#include <utility>

#include "outrigger/plan/group.h"
#include "outrigger/plan/order.h"

namespace outrigger::desk {
namespace {

// A unit of which some pod has the gate, or is released and waits for a place.
struct Candidate {
  const BoardUnit* unit = nullptr;
  std::vector<const BoardPod*> gated;  // of a unit with places those that have one
  size_t released = 0;                 // and not bound; likewise
  bool is_bound = false;               // in part
  bool has_begun() const { return released != 0 || is_bound; }
};

// The first that is not nominated, as the view shows it; empty: it shows all.
std::string NotNominated(const Candidate& candidate) {
  for (const BoardPod* seat : candidate.gated) {
    if (seat->pod->nominated_node_name != seat->node) return seat->pod->name;
  }
  return {};
}

class Finder {
 public:
  explicit Finder(const TurnInput& input) : input_(input) {
    turn_.state.enabled = true;
    turn_.state.without_barrier = input.options.without_barrier;
  }

  Turn Find() {
    FindCandidates();
    ReleaseUnplanned();
    for (Candidate* candidate : with_place_) {
      if (candidate->has_begun()) ReleaseBegun(*candidate);
    }
    for (Candidate* candidate : with_place_) {
      if (!candidate->has_begun()) ReleaseInTurn(*candidate);
    }
    ReleaseAhead();
    return std::move(turn_);
  }

 private:
  bool HasGate(const Pod& pod) const { return plan::IsQueued(pod) && !input_.is_released(pod.uid); }
  bool IsHeld(const BoardUnit& unit, const Pod& pod) const {
    return unit.gang || (input_.options.hold_singles && !plan::ComesFirst(pod));
  }

  // The pods of a unit come one after the other.
  void FindCandidates() {
    Candidate current;
    const auto end = [this, &current] {
      if (current.unit != nullptr) Add(std::move(current));
    };
    input_.board.ForEachPod([&](const BoardPod& seat) {
      if (seat.unit != current.unit) {
        end();
        current = Candidate{.unit = seat.unit, .gated = {}};
      }
      Sort(seat, &current);
    });
    end();
    for (Candidate& candidate : candidates_) {
      (candidate.unit->fits ? with_place_ : without_place_).push_back(&candidate);
    }
  }

  void Sort(const BoardPod& seat, Candidate* current) {
    const Pod& pod = *seat.pod;
    const bool has_gate = HasGate(pod);
    if (seat.unit == nullptr) {
      if (has_gate) Hold(HeldBy::kGroup, 1);
      const bool by_another = !pod.scheduling_gates.empty() && !plan::IsQueued(pod);
      if (by_another && HasOurs(pod)) Hold(HeldBy::kOtherGate, 1);
      return;
    }
    if (!IsHeld(*seat.unit, pod)) {
      if (has_gate) Take(seat.pod);
      return;
    }
    if (seat.unit->fits && seat.node.empty()) {
      if (has_gate) Hold(HeldBy::kNoPlace, 1);  // more than its minimum
    } else if (has_gate && seat.unit->fits && input_.refused_claims.contains(pod.uid)) {
      Hold(HeldBy::kClaims, 1);  // of a unit that has begun
    } else if (has_gate) {
      current->gated.push_back(&seat);
    } else {
      ++current->released;
    }
  }
  static bool HasOurs(const Pod& pod) {
    const auto& gates = pod.scheduling_gates;
    return std::find(gates.begin(), gates.end(), plan::kQueueGate) != gates.end();
  }

  void Add(Candidate candidate) {
    if (candidate.unit->fits) in_window_ += candidate.released;
    if (candidate.gated.empty() && (candidate.unit->fits || candidate.released == 0)) return;
    candidate.is_bound = !input_.board.BoundOf(candidate.unit->key).empty();
    candidates_.push_back(std::move(candidate));
  }

  // kube-scheduler places them by itself: no board has them.
  void ReleaseUnplanned() {
    for (const PodPtr& pod : input_.pods) {
      const bool waits = pod->node_name.empty() && !pod->being_deleted && !pod->IsFinished();
      if (!waits || !HasGate(*pod) || !plan::IsOurs(*pod, input_.groups)) continue;
      if (input_.board.Find(pod->uid) == nullptr) Take(pod);
    }
  }

  void ReleaseBegun(const Candidate& candidate) {
    if (IsToNominate(candidate)) return;
    in_window_ += candidate.gated.size();
    TakeAll(candidate);
  }

  void ReleaseInTurn(const Candidate& candidate) {
    if (IsToNominate(candidate)) return;
    const bool alone = in_window_ == 0;
    is_full_ |= !alone && in_window_ + candidate.gated.size() > input_.options.window;
    if (is_full_) return HoldAll(candidate, HeldBy::kWindow, "");
    in_window_ += candidate.gated.size();
    TakeAll(candidate);
  }

  // A gang's place is its own only once every member's is written: before that kube-scheduler could
  // give it to another pod while the first members wait at the barrier.
  bool IsToNominate(const Candidate& candidate) {
    const bool waits = candidate.unit->gang || input_.options.without_barrier;
    const bool is_to =
        waits && !candidate.gated.empty() && !input_.nominated.HasAll(candidate.unit->key);
    if (is_to) HoldAll(candidate, HeldBy::kNominations, NotNominated(candidate));
    return is_to;
  }

  // Without a barrier kube-scheduler would bind what fits of it.
  void HoldWithoutPlace() {
    for (const Candidate* candidate : without_place_) {
      const bool for_claims = candidate->unit->label == kClaimsLabel;
      if (for_claims) {
        HoldAll(*candidate, HeldBy::kClaims, candidate->unit->word);
      } else {
        HoldAll(*candidate, HeldBy::kNoPlace, "");
      }
    }
  }

  void ReleaseAhead() {
    if (input_.options.without_barrier) return HoldWithoutPlace();
    const auto begun = [](const Candidate* candidate) { return candidate->released != 0; };
    size_t in_part =
        static_cast<size_t>(std::count_if(without_place_.begin(), without_place_.end(), begun));
    const size_t ahead = input_.options.ahead;
    size_t more = ahead - std::min(ahead, in_part);
    in_part = std::min(in_part, ahead);
    for (const Candidate* candidate : without_place_) {
      size_t* const left = begun(candidate) ? &in_part : &more;
      if (*left == 0) {
        HoldAll(*candidate, HeldBy::kNoPlace, "");
        continue;
      }
      --*left;
      TakeAll(*candidate);
    }
  }

  void Take(const PodPtr& pod) {
    turn_.due.push_back(pod);
    Hold(HeldBy::kNothing, 1);
  }
  void TakeAll(const Candidate& candidate) {
    for (const BoardPod* seat : candidate.gated) turn_.due.push_back(seat->pod);
    HoldAll(candidate, HeldBy::kNothing, "");
  }
  void Hold(HeldBy by, size_t pods) { turn_.state.pods[static_cast<size_t>(by)] += pods; }
  void HoldAll(const Candidate& candidate, HeldBy by, std::string why) {
    if (candidate.gated.empty()) return;
    Hold(by, candidate.gated.size());
    turn_.state.units.push_back({candidate.unit->key, by, candidate.gated.size(), std::move(why)});
  }

  const TurnInput& input_;
  std::vector<Candidate> candidates_;
  std::vector<Candidate*> with_place_;
  std::vector<Candidate*> without_place_;
  size_t in_window_ = 0;
  bool is_full_ = false;
  Turn turn_;
};

}  // namespace

std::string_view TextOf(HeldBy by) {
  switch (by) {
    case HeldBy::kGroup:
      return "group";
    case HeldBy::kOtherGate:
      return "other gate";
    case HeldBy::kClaims:
      return "claims";
    case HeldBy::kNoPlace:
      return "no place";
    case HeldBy::kWindow:
      return "window";
    case HeldBy::kNominations:
      return "nominations";
    case HeldBy::kFailing:
      return "failing";
    case HeldBy::kNothing:
      return "nothing";
  }
  return "";
}

Turn FindTurn(const TurnInput& input) {
  return Finder(input).Find();
}

}  // namespace outrigger::desk
