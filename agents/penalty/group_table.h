#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "class_table.h"
#include "followed/group_policies.h"
#include "outrigger/k8s/pod_group.h"
#include "penalty/classes/edges.h"
#include "penalty/classes/ledger.h"

namespace outrigger::penalty {

/// Something that a PodGroup did and that is counted.
struct CountedEdge {
  EdgeKind kind = EdgeKind::kStart;
  std::string class_name;
  int64_t epoch = 0;
  PodGroup group;
  std::string policy_of = {};  // whose annotation said what it adds (GroupPolicy)
  bool adds = true;            // to the penalty
};

/// A PodGroup whose mark is to become `text`.
struct MarkToWrite {
  PodGroup group;
  std::string text;
};

/// What follows from one look at the PodGroups.
struct GroupNews {
  std::vector<CountedEdge> edges;
  std::vector<MarkToWrite> marks;
  std::vector<std::pair<PodGroup, std::string>> problems;  // of marks, for Events
  /// Not all was counted: the journal has no room for more marks until some are written.
  bool is_full = false;
};

/// A PodGroup of a penalised class, for the page.
struct KnownGroup {
  std::string namespace_;
  std::string name;
  std::string phase;
  std::string class_name;
  std::string queue;
  GroupState state;
};

/// By which policy a PodGroup of a class counts.
using PolicyOfGroup = absl::FunctionRef<GroupPolicy(const PodGroup& group, const Policy& of_class)>;

/// The PodGroups of penalised classes, and their counts. Not thread-safe.
class GroupTable {
 public:
  /// Counts in `ledger` what the groups have done since the last look. `sums`: the policy of queues
  /// and namespaces.
  GroupNews Look(const std::vector<PodGroup>& groups, const ClassTable& classes, const Policy& sums,
                 PolicyOfGroup policy_of, Millis now, Ledger* ledger);

  /// The mark was written, or the group is gone.
  void OnMarked(const PodGroup& group);
  /// The mark could not be written: the next look asks for it again.
  void OnNotMarked(const PodGroup& group);

  /// Also groups of which nothing is counted; in the order of namespaces and names.
  std::vector<KnownGroup> Known() const;
  /// Returns since when groups of a class are counted whose account is made now: all that are there
  /// are older. A creation time lacks its milliseconds, so this is a whole second.
  static Millis HistoryEnd(const std::vector<PodGroup>& groups, std::string_view class_name,
                           Millis now);
  /// States of the groups of a class, to rebuild its account.
  static std::vector<GroupState> StatesOf(const std::vector<PodGroup>& groups,
                                          std::string_view class_name);

 private:
  struct Tracked {
    GroupState state;
    std::string mark;  // of `state`; empty: it has none
    std::string namespace_;
    std::string name;
    std::string phase;
    std::string class_name;
    std::string queue;
    std::string marked_version;  // of the group when its mark was asked for: that look is over
    uint64_t seen = 0;           // the look that saw it last
  };

  /// What does not change during a look.
  struct Setting {
    const Policy& sums;
    PolicyOfGroup policy_of;
    Millis now;
    Ledger* ledger;
    GroupNews* news;
  };
  void LookAt(const PodGroup& group, const ClassRules& rules, const Setting& in);
  Tracked* Track(const PodGroup& group, const Ledger& ledger, GroupNews* news);
  static bool Count(const PodGroup& group, const ClassRules& rules, const Transition& transition,
                    const Setting& in, Tracked* tracked);
  static void AskForMark(const PodGroup& group, Tracked* tracked, GroupNews* news);
  void ForgetGone(const std::vector<PodGroup>& groups, Ledger* ledger);
  static void SetState(GroupState state, Tracked* tracked);

  absl::flat_hash_map<std::string, Tracked> groups_;  // by UID
  uint64_t look_ = 0;
};

}  // namespace outrigger::penalty
