#include "gang/desk/release/turn.h"

#include <algorithm>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "gang/plan/call_resources.h"
#include "gang/plan/group.h"
#include "gang/plan/order.h"

namespace outrigger::desk {
namespace {

// A unit of which some pod has the gate, or is released and waits for a place.
struct Candidate {
  const BoardUnit* unit = nullptr;
  std::vector<const BoardPod*> gated;  // of a unit with places those that have one
  size_t released = 0;                 // and not bound; likewise
  size_t without_claims = 0;           // of those that have a place; the unit has begun
  std::string missing_claim = {};      // why, of the first
  bool is_bound = false;               // in part
  bool is_surplus = false;             // what a whole gang has beyond its places
  bool has_begun() const { return released != 0 || is_bound; }
};

// "3 of 4 places are nominated (status.nominatedNodeName), but not train-2".
std::string HowNominated(const Candidate& candidate, const NominatedPlaces::Count& count) {
  std::string text = fmt::format("{} of {} pods have a nominated node (status.nominatedNodeName)",
                                 count.kept, count.places);
  const auto lacks = [](const BoardPod* seat) {
    return seat->pod->nominated_node_name != seat->node;
  };
  const auto first = std::find_if(candidate.gated.begin(), candidate.gated.end(), lacks);
  if (first != candidate.gated.end()) text += ", but not " + (*first)->pod->name;
  return text;
}

// Each looks at all nodes.
constexpr size_t kMostLooks = 16;

class Finder {
 public:
  Finder(const TurnInput& input, const TurnState& state)
      : input_(input), options_(state.options), state_(state) {}

  Turn Find() {
    FindCandidates();
    ReleaseUnplanned();
    for (Candidate* candidate : with_place_) {
      // What comes later in the order holds up nothing before it.
      if (!state_.is_stale(candidate->unit->key)) in_window_ += candidate->released;
      candidate->has_begun() ? ReleaseBegun(*candidate) : ReleaseInTurn(*candidate);
    }
    ReleaseAhead();
    return std::move(turn_);
  }

 private:
  bool HasGate(const Pod& pod) const { return plan::IsQueued(pod) && !state_.is_released(pod.uid); }
  bool IsHeld(const BoardUnit& unit, const Pod& pod) const {
    return unit.gang || (options_.hold_singles && !plan::IsNeverHeld(pod));
  }

  // Of those without a gate, which may be many, none counts against `ahead` then.
  bool AnySingleWaits() const {
    bool any = false;
    input_.board.ForEachPod([&](const BoardPod& seat) {
      any |= seat.node.empty() && seat.unit != nullptr && !seat.unit->gang && HasGate(*seat.pod);
    });
    return any;
  }

  // The pods of a unit come one after the other.
  void FindCandidates() {
    Candidate current;
    Candidate surplus;
    const auto end = [this, &current, &surplus] {
      if (current.unit == nullptr) return;
      AddSurplus(std::move(surplus));
      Add(std::move(current));
    };
    any_single_waits_ = AnySingleWaits();
    input_.board.ForEachPod([&](const BoardPod& seat) {
      if (seat.unit != current.unit) {
        end();
        current = Candidate{.unit = seat.unit, .gated = {}};
        surplus = Candidate{.unit = seat.unit, .gated = {}, .is_surplus = true};
      }
      Sort(seat, &current, &surplus);
    });
    end();
    for (Candidate& candidate : candidates_) {
      const bool has_place = candidate.unit->fits && !candidate.is_surplus;
      (has_place ? with_place_ : without_place_).push_back(&candidate);
    }
  }

  void Sort(const BoardPod& seat, Candidate* current, Candidate* surplus) {
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
    if (!has_gate && !seat.unit->gang && seat.node.empty() && !any_single_waits_) return;
    Candidate* const part = seat.unit->fits && seat.node.empty() ? surplus : current;
    if (has_gate && part == current && seat.unit->fits && input_.refused_claims.contains(pod.uid)) {
      if (current->without_claims++ == 0)
        current->missing_claim = input_.refused_claims.at(pod.uid);
    } else if (has_gate) {
      part->gated.push_back(&seat);
    } else {
      ++part->released;
    }
  }
  static bool HasOurs(const Pod& pod) {
    const auto& gates = pod.scheduling_gates;
    return std::find(gates.begin(), gates.end(), plan::kQueueGate) != gates.end();
  }

  // Of a unit that has begun: the others are held as a whole.
  void HoldForClaims(Candidate* candidate) {
    if (candidate->without_claims == 0) return;
    Hold(HeldBy::kClaims, candidate->without_claims);
    turn_.state.units.push_back({.key = candidate->unit->key,
                                 .by = HeldBy::kClaims,
                                 .pods = candidate->without_claims,
                                 .why = std::move(candidate->missing_claim),
                                 .has_begun = true});
  }

  void Add(Candidate candidate) {
    HoldForClaims(&candidate);
    if (candidate.gated.empty() && candidate.released == 0) return;
    NoteReleased(candidate);
    candidate.is_bound = !input_.board.BoundOf(candidate.unit->key).empty();
    candidates_.push_back(std::move(candidate));
  }

  void NoteReleased(const Candidate& candidate) {
    if (candidate.released != 0) turn_.released[candidate.unit->key] += candidate.released;
  }

  // Autoscalers are to see what a running gang lacks, as they do of one that has no place.
  void AddSurplus(Candidate candidate) {
    if (candidate.gated.empty() && candidate.released == 0) return;
    NoteReleased(candidate);
    const auto bound = static_cast<int64_t>(input_.board.BoundOf(candidate.unit->key).size());
    if (bound < candidate.unit->minimum) return Hold(HeldBy::kNoPlace, candidate.gated.size());
    candidates_.push_back(std::move(candidate));
  }

  // kube-scheduler places them by itself: no board has them.
  void ReleaseUnplanned() {
    for (const PodPtr& pod : input_.pods) {
      const bool waits = pod->node_name.empty() && !pod->being_deleted && !pod->IsFinished();
      if (!waits || !HasGate(*pod) || !plan::IsOurs(*pod, input_.groups.scheduler_names)) continue;
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
    const bool is_too_large =
        in_window_ != 0 && in_window_ + candidate.gated.size() > options_.window;
    is_full_ |= is_too_large && state_.has_waited(candidate.unit->key);
    if (is_full_ || is_too_large) return HoldAll(candidate, HeldBy::kWindow, "");
    in_window_ += candidate.gated.size();
    TakeAll(candidate);
  }

  // Before its places are its own kube-scheduler could give one to another pod while the first
  // members wait at the barrier.
  bool IsToNominate(const Candidate& candidate) {
    const bool waits = candidate.unit->gang || options_.mode == Mode::kAlone;
    const bool is_to =
        waits && !candidate.gated.empty() && !input_.nominated.AreOwn(candidate.unit->key);
    if (is_to)
      HoldAll(candidate, HeldBy::kNominations,
              HowNominated(candidate, input_.nominated.Of(candidate.unit->key)));
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
    if (options_.mode == Mode::kAlone) return HoldWithoutPlace();
    const auto begun = [](const Candidate* candidate) { return candidate->released != 0; };
    const auto counts = [&](const Candidate* candidate) {
      return begun(candidate) && !state_.is_stale(candidate->unit->key);
    };
    size_t in_part =
        static_cast<size_t>(std::count_if(without_place_.begin(), without_place_.end(), counts));
    const size_t ahead = options_.ahead;
    size_t more = ahead - std::min(ahead, in_part);
    in_part = std::min(in_part, ahead);
    const bool is_to_wait = IsPlacing() && !state_.ahead_has_waited;
    for (const Candidate* candidate : without_place_) {
      // What has begun and counts no more has no slot to wait for.
      size_t unbounded = 1;
      size_t* const left = !begun(candidate) ? &more : counts(candidate) ? &in_part : &unbounded;
      // kube-scheduler would try all of them before what waits after them.
      const bool is_too_large = !begun(candidate) && candidate->gated.size() > options_.window;
      const bool may_go = *left != 0 && !is_too_large && !candidate->unit->waits_turn &&
                          !IsPlacedUnasked(*candidate) && !KeepsGate(*candidate);
      const bool waits = may_go && left == &more && is_to_wait;
      turn_.ahead_is_held |= waits;
      if (!may_go || waits) {
        HoldAll(*candidate, HeldBy::kNoPlace, "");
        continue;
      }
      --*left;
      TakeAll(*candidate);
    }
  }

  // Some unit with places is not bound yet.
  bool IsPlacing() const {
    return in_window_ != 0 ||
           std::any_of(with_place_.begin(), with_place_.end(),
                       [](const Candidate* candidate) { return !candidate->gated.empty(); });
  }

  // Last, as it may look at all nodes.
  bool KeepsGate(const Candidate& candidate) {
    const bool is_new = !candidate.has_begun() && !candidate.is_surplus;
    if (!is_new || !input_.keeps_gate) return false;
    if (++looks_ > kMostLooks) return true;  // until the next plan
    const auto may_preempt = [](const BoardPod* seat) { return !seat->pod->never_preempts; };
    return std::any_of(candidate.gated.begin(), candidate.gated.end(), may_preempt) &&
           input_.keeps_gate(*candidate.unit, candidate.gated);
  }

  // kube-scheduler would place as many of them as fit, without asking.
  bool IsPlacedUnasked(const Candidate& candidate) const {
    if (input_.asks_about_all || !candidate.unit->gang || candidate.is_surplus) return false;
    return !std::all_of(candidate.gated.begin(), candidate.gated.end(),
                        [](const BoardPod* seat) { return plan::CallsAskedBy(*seat->pod).All(); });
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
    if (candidate.is_surplus) return;  // its gang runs
    turn_.state.units.push_back({.key = candidate.unit->key,
                                 .by = by,
                                 .pods = candidate.gated.size(),
                                 .why = std::move(why),
                                 .has_begun = candidate.has_begun()});
  }

  const TurnInput& input_;
  const ReleaseOptions& options_;
  const TurnState& state_;
  std::vector<Candidate> candidates_;
  std::vector<Candidate*> with_place_;
  std::vector<Candidate*> without_place_;
  size_t in_window_ = 0;
  size_t looks_ = 0;               // at what may keep its gate
  bool any_single_waits_ = false;  // with the gate, and without a place
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

Turn FindTurn(const TurnInput& input, const TurnState& state) {
  return Finder(input, state).Find();
}

}  // namespace outrigger::desk
