#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/k8s/priority_class.h"
#include "penalty/classes/account.h"
#include "penalty/classes/edges.h"
#include "penalty/classes/journal_maps.h"

// What is counted, by class, queue and namespace. Thread-compatible: any number of readers, or one
// writer.

namespace outrigger::penalty {

/// One change of a class's value.
struct ValueChange {
  Millis at = 0;
  int64_t before = 0;
  int64_t after = 0;
  int64_t gap_us = 0;  // from DELETE answered to CREATE answered; at most kMostGap
  std::string cause;   // as CauseText() has it: "start default/job-1", "recovery"
  friend bool operator==(const ValueChange&, const ValueChange&) = default;
};
inline constexpr size_t kKeptChanges = 100;  // of each class, the last ones
inline constexpr int64_t kMostGap = 999'999'999;
inline constexpr int64_t kMostCount = 1'000'000'000'000;  // of starts or completions

/// Returns one printable line of at most 90 bytes that says the same: a cause as the journal keeps
/// it.
std::string CauseText(std::string_view cause);

/// All that is kept of one class.
struct ClassAccount {
  std::string name;
  int64_t base = 0;
  int64_t written = 0;  // the value of the class in the cluster
  Account account;
  Millis since = 0;                 // counting began: see IsHistory()
  Millis replaced = 0;              // the last replacement; 0: none
  int64_t gap_us = 0;               // of that
  std::deque<ValueChange> changes;  // the oldest first
  // Where the journal has it, which does not change: a map of kClassMaps, a slot of kMostSlots.
  int map = 0;
  int slot = 0;
  friend bool operator==(const ClassAccount&, const ClassAccount&) = default;
};
inline constexpr int kMostSlots = 64;

/// A mark that is counted and perhaps not on its group yet.
struct PendingMark {
  GroupState state;
  int map = 0;  // of the journal, with the class's account
  friend bool operator==(const PendingMark&, const PendingMark&) = default;
};
/// Of one map of the journal.
inline constexpr size_t kMostPending = 32;

/// The group that an edge is of.
struct CountedGroup {
  std::string_view uid;
  std::string_view namespace_;
  std::string_view queue;  // empty: none
};

/// By what an edge is counted.
struct CountRules {
  const Policy& policy;  // of the class
  const Bounds& bounds;
  const Policy& sums;  // of queues and namespaces: the policy that no annotation has changed
};

/// The sums of queues, or of namespaces: their accounts by name. They are reported, never enforced.
using Sums = std::map<std::string, Account, std::less<>>;
inline constexpr size_t kMostSums = 500;  // of each kind

class Ledger {
 public:
  /// `since`: when this journal was made.
  explicit Ledger(Millis since = 0) : since_(since) {}

  Millis since() const { return since_; }
  const std::map<std::string, ClassAccount, std::less<>>& classes() const { return classes_; }
  const ClassAccount* Find(std::string_view name) const;
  const Sums& queues() const { return queues_; }
  const Sums& namespaces() const { return namespaces_; }
  /// By UID.
  const std::map<std::string, PendingMark, std::less<>>& pending() const { return pending_; }
  std::optional<GroupState> PendingOf(std::string_view uid) const;

  /// Adds the account of a class that is new here, or one that was rebuilt, in place of an older
  /// one, and gives it its place in the journal. ResourceExhausted: the journal is full.
  /// InvalidArgument: that is no name of a class.
  absl::Status Add(ClassAccount account);
  /// Forgets a class.
  void Remove(std::string_view name);

  /// Counts the edges of a transition of a group from `state`, and returns its next state with
  /// what a completion added; that is pending until DropPending(). NotFound: no such class.
  /// ResourceExhausted: too many marks are pending with that class. InvalidArgument: no UID. With
  /// an error nothing is counted.
  absl::StatusOr<GroupState> Count(std::string_view class_name, const CountedGroup& group,
                                   const GroupState& state, const Transition& transition,
                                   const CountRules& rules, Millis now);
  /// The group carries its mark, or is gone.
  void DropPending(std::string_view uid);

  /// The class has the value change.after now.
  void OnReplaced(std::string_view name, ValueChange change);
  /// Takes base and value of a class as the cluster has it; its penalty stays. True if anything
  /// differed: then that is a change with the cause "adopted".
  bool Adopt(const PriorityClass& priority_class, Millis now);

  /// Maps of the journal that are to be written: `kNow` before anything that follows from it is
  /// done, `kLater` when there is time.
  enum class Urgency : uint8_t { kNow, kLater };
  std::vector<JournalMap> Unwritten(Urgency urgency) const;
  void OnJournalWritten(const JournalMap& map);

  // For the reader of the journal: what was written, as it is. False: there is no room for it.
  bool RestoreClass(ClassAccount account);
  void RestoreChanges(std::string_view class_name, std::deque<ValueChange> changes);
  bool RestorePending(std::string uid, PendingMark mark);
  void RestoreSums(Sums queues, Sums namespaces);
  void SetUnwritten(const JournalMap& map, Urgency urgency);

  /// Compares what is counted, not what is to be written.
  friend bool operator==(const Ledger& a, const Ledger& b) {
    return a.since_ == b.since_ && a.classes_ == b.classes_ && a.queues_ == b.queues_ &&
           a.namespaces_ == b.namespaces_ && a.pending_ == b.pending_;
  }

 private:
  bool HasRoom(int map, std::string_view name) const;
  std::optional<int> FreeSlot(int map) const;
  bool IsFree(int map, int slot) const;
  size_t PendingIn(int map) const;
  ClassAccount* Mutable(std::string_view name);

  Millis since_;
  std::map<std::string, ClassAccount, std::less<>> classes_;
  Sums queues_;
  Sums namespaces_;
  std::map<std::string, PendingMark, std::less<>> pending_;
  std::set<JournalMap> now_;
  std::set<JournalMap> later_;
};

/// Returns an account of a class that the journal has lost: base and value from the class, the
/// penalty from their difference, counts from the marks of its groups.
ClassAccount RebuildAccount(const PriorityClass& priority_class,
                            const std::vector<GroupState>& groups, Millis since, Millis now);

/// Whether the API server could have a PriorityClass of that name.
bool IsClassName(std::string_view name);

/// The most bytes of JSON that a class takes up in its map of accounts.
size_t ReservedBytes(std::string_view class_name);

inline constexpr size_t kMostQueueName = 253;
inline constexpr size_t kMostNamespaceName = 63;

/// Whether a queue or namespace may have that name, of at most `most` bytes.
bool IsSumName(std::string_view name, size_t most);

/// Counts an edge in the sum `name` (empty, or longer than Kubernetes has it: in none). Its penalty
/// rises by what the class's did, or falls by what is left of it. Beyond kMostSums one is dropped:
/// of those whose penalty has decayed to nothing the one that changed longest ago; without these,
/// the smallest.
void CountInSum(EdgeKind edge, std::string_view name, const Added& added, const Policy& policy,
                Millis now, size_t most_name, Sums* sums);

}  // namespace outrigger::penalty
