#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "gang/plan/groups.h"
#include "gang/plan/planner.h"
#include "gang/plan/unit.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/resources.h"

namespace outrigger::desk {

class SeatIndex;
class UnchangedEntries;

using PodPtr = std::shared_ptr<const Pod>;

/// A gang or single pod, as planned. A plain value.
struct BoardUnit {
  plan::UnitKey key;
  plan::Rank rank;
  bool gang = false;
  bool fits = false;
  std::string word;         // of the cause, if it does not fit: "cpu"
  std::string label;        // the same for a metric: one of few
  bool waits_turn = false;  // it has a place, and does not fit until one before it is bound
  /// Its members may take other nodes than those planned, where these are as good
  /// (PlaceMoves): nothing of it says where members are to be, next to one another or at all.
  bool takes_equal = false;
  int64_t minimum = 1;
  int64_t started_with = 1;  // of a gang: the minimum with which it started, or starts now
  std::vector<plan::Role> roles;
  std::optional<int64_t> schedule_timeout_seconds;
  bool has_open_claims = false;
  /// All of its pods that have a place wait with plan::kQueueGate: it is not released.
  bool held = false;
  /// Some of them do, and some do not: it is being released.
  bool releasing = false;
};

/// A pod that wants a place.
struct BoardPod {
  PodPtr pod;
  std::string role;
  const BoardUnit* unit = nullptr;  // of Board::units(); null: nothing is planned for it
  std::string node;                 // its reservation; empty: none
  std::string kept_node = {};       // where room is kept for it while its gang does not fit
  std::string reason;               // of a pod without a unit: why nothing is planned for it
};

/// A unit with its pods that want a place, which point to it. Never changed once it is on a board,
/// so that boards share it.
struct BoardEntry {
  BoardUnit unit;
  plan::Cause cause;  // of unit.word
  std::vector<BoardPod> pods;
};

/// The units of a board. A view, valid as long as the board.
class BoardUnits {
 public:
  using Entries = std::vector<std::shared_ptr<const BoardEntry>>;
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = BoardUnit;
    using difference_type = std::ptrdiff_t;
    using pointer = const BoardUnit*;
    using reference = const BoardUnit&;
    Iterator() = default;
    explicit Iterator(Entries::const_iterator at) : at_(at) {}
    reference operator*() const { return (*at_)->unit; }
    pointer operator->() const { return &(*at_)->unit; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    Entries::const_iterator at_;
  };
  explicit BoardUnits(const Entries* entries) : entries_(entries) {}
  size_t size() const { return entries_->size(); }
  const BoardUnit& operator[](size_t i) const { return (*entries_)[i]->unit; }
  Iterator begin() const { return Iterator(entries_->begin()); }
  Iterator end() const { return Iterator(entries_->end()); }

 private:
  const Entries* entries_;
};

/// A member of a gang that has a place: bound, or assumed.
struct BoundMember {
  std::string uid;
  std::string role;
  PodPtr pod;
};

/// A place that a unit has, or that is kept for one that does not fit yet; of single pods only
/// where they are held.
struct Reservation {
  size_t unit = 0;
  std::string uid;
  ResourceList requests;  // "pods" included
};

/// The reservations on a node, and what is free there beside them.
struct ReservedNode {
  ResourceList free;  // before any reservation is taken
  std::vector<Reservation> reservations;
};

/// A unit that is not planned for now, and why, in a word.
struct Resting {
  plan::Unit unit;
  std::string why;
  std::string_view label = {};  // of metrics; empty: as what kube-scheduler has refused
};

/// What a plan came to: who may go where. Immutable, thread-safe.
class Board {
 public:
  struct Input {
    std::span<const plan::Unit> units;
    std::span<const Resting> resting;
    const plan::Plan& plan;
    std::span<const plan::GroupState> groups;
    std::span<const PodPtr> pods;                     // at least all that name a group
    std::shared_ptr<const ClusterSnapshot> snapshot;  // never null
    const plan::UnitKey* kept_for = nullptr;          // for which plan.kept are kept
    plan::PlanOptions options = {};                   // of the plan
    bool hold = false;                                // single pods are held until it is their turn
    bool by_priority = true;                          // GroupOptions::order_by_pod_priority
    /// The board before this one, which shares with it what has not changed; null: none.
    const Board* before = nullptr;
  };
  explicit Board(const Input& input);
  ~Board();

  /// In the order in which they were planned, then those that rest.
  BoardUnits units() const { return BoardUnits(&units_); }
  /// The same with their pods; none is null.
  const BoardUnits::Entries& entries() const { return units_; }
  /// Pods that want a place, and for which nothing is planned.
  const std::deque<BoardPod>& unplanned() const { return unplanned_; }
  const BoardUnit* UnitOf(const BoardPod& pod) const { return pod.unit; }
  /// The unit of a gang that has one, or nullptr.
  const BoardUnit* FindUnit(const plan::UnitKey& key) const;

  /// The pod, if it wants a place, or nullptr.
  const BoardPod* Find(std::string_view uid) const;
  /// All pods that want a place.
  void ForEachPod(absl::FunctionRef<void(const BoardPod& pod)> visit) const;

  /// The members of a gang that have a place.
  std::span<const BoundMember> BoundOf(const plan::UnitKey& key) const;

  /// The gang of a pod that has a place, or nullptr.
  const plan::UnitKey* GangOfBound(std::string_view uid) const;

  /// True for a pod that the view has and no unit: another scheduler's, or one that asks for too
  /// much. kube-scheduler places it. False unless holds().
  bool IsLeftOut(const Pod& pod) const;

  /// Reservations on a node, or nullptr.
  const ReservedNode* ReservationsOn(std::string_view node) const;
  /// On how many nodes there are reservations.
  size_t reserved_nodes() const { return reservations_.size(); }
  /// The unit for which the whole node is kept free, or nullptr.
  const BoardUnit* KeptFor(std::string_view node) const;
  /// Single pods are held until it is their turn: that is once they have a place.
  bool holds() const { return holds_; }
  /// True if a call about the pod, as a single one, may hold it: holds(), and the pod is not one
  /// that no queue may hold (plan::IsNeverHeld()).
  bool MayHold(const Pod& pod) const;
  /// By which the board was made.
  const ClusterSnapshot& snapshot() const { return *snapshot_; }
  /// The first unit that is planned and has no place, or nullptr.
  const BoardUnit* FirstWithoutPlace() const;
  /// The lowest priority of units with places before `rank`, of which a pod waits without a gate;
  /// nothing: there is none.
  std::optional<int32_t> LowestPriorityBefore(const plan::Rank& rank) const;
  /// Visits single pods that are planned before `rank` and have no place, `most` at most, in order,
  /// until `visit` returns false.
  void ForEachWithoutPlaceBefore(const plan::Rank& rank, size_t most,
                                 absl::FunctionRef<bool(const Pod& pod)> visit) const;
  const plan::PlanOptions& plan_options() const { return options_; }
  /// The unit right before this one in the order, which is planned, too, or nullptr.
  const BoardUnit* InFrontOf(const plan::Rank& rank) const;
  /// The rank of a single pod that no plan has seen.
  plan::Rank RankOfUnseen(const Pod& pod) const;

  /// What `pod` asks of a node as far as its profile of kube-scheduler compares it, "pods"
  /// included.
  ResourceList RequestsOf(const Pod& pod) const;

  /// True for a group that kube-scheduler handles itself.
  bool IsLeftToScheduler(const plan::Membership& membership) const;
  /// True for a group whose members are planned one by one, or left to kube-scheduler.
  bool MembersAreSingle(const plan::Membership& membership) const;
  /// All groups that pods name, by key.
  const std::vector<plan::GroupState>& groups() const { return groups_; }
  const plan::GroupState* FindGroupOf(const plan::UnitKey& key) const;

 private:
  friend class UnchangedEntries;
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  void AddUnits(const Input& input);
  void LearnLowest();
  void AddPlanned(const plan::Unit& unit, const plan::UnitPlan& planned);
  /// `nodes`: of its members, and `kept` where room is kept for them; empty: none has one.
  BoardUnit& AddUnit(const plan::Unit& unit, std::span<const std::string> nodes,
                     std::span<const std::string> kept, const plan::Cause& cause);
  /// Makes known where the pod is to be found; false: there is one of its UID.
  bool AddSeat(const BoardPod& seat);
  void AddReservations(size_t index, const plan::Unit& unit, const plan::UnitPlan& planned,
                       const ClusterSnapshot& snapshot);
  void AddReservation(size_t unit, const Pod& pod, const std::string& node,
                      const ClusterSnapshot& snapshot);
  void AddKept(const Input& input);
  void AddPods(std::span<const PodPtr> pods);

  BoardUnits::Entries units_;
  size_t first_without_place_ = 0;  // of those that are planned; planned_: there is none
  size_t planned_ = 0;              // so many of them, in order; then those that rest
  // Views of the keys of units_, which stay where they are.
  using GangKey = std::tuple<plan::Dialect, std::string_view, std::string_view, std::string_view>;
  static GangKey KeyOf(const plan::UnitKey& key) {
    return {key.dialect, key.namespace_, key.name, key.uid};
  }
  absl::flat_hash_map<GangKey, BoardUnit*> gangs_;  // changed only while the board is made
  absl::flat_hash_map<absl::string_view, const BoardPod*> members_;  // by the UID in the pod
  std::unique_ptr<SeatIndex> singles_;
  std::deque<BoardPod> unplanned_;  // pods of no unit; stay where they are
  std::map<plan::UnitKey, std::vector<BoundMember>> bound_;
  absl::flat_hash_map<std::string, const plan::UnitKey*> gang_of_bound_;  // keys of bound_
  absl::flat_hash_map<std::string, ReservedNode> reservations_;
  std::vector<std::string> kept_;  // in order
  size_t kept_for_ = 0;
  std::vector<plan::GroupState> groups_;
  plan::PlanOptions options_;
  std::shared_ptr<const ClusterSnapshot> snapshot_;
  bool holds_ = false;
  bool by_priority_ = true;
  // Indexes of units_, each of a lower priority than all before it that are let go; if holds().
  std::vector<size_t> lowest_;
};

/// How long gangs may keep places without being complete.
struct Patience {
  std::chrono::milliseconds usual{300'000};  // where the group says nothing
  /// At least so long while a claim of a member is open: what is provisioned takes its time.
  std::chrono::milliseconds with_claims{620'000};

  /// For this gang: what its group says, if that is more than nothing, or the usual.
  /// `with_open_claims`: a claim was open when it got its places, or later. What is open at first
  /// is not so at the end.
  std::chrono::milliseconds Of(const BoardUnit& unit, bool with_open_claims) const;
};

/// True for a group of which nothing is planned although a member wants a place.
bool Waits(const plan::GroupState& group);

/// What `pod` asks of a node, "pods" included; what stands for calls is not
/// (plan/call_resources.h).
ResourceList RequestsOf(const Pod& pod);

}  // namespace outrigger::desk
