#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "annotate/node_values.h"
#include "outrigger/base/clock.h"

namespace outrigger::annotate {

/// A patch that is under way.
struct TakenPatch {
  std::string node;
  NodeChange change;
  int failures = 0;  // of the tries before
};

/// The nodes that wait for a patch, one entry a node: the node that has waited longest comes first,
/// and a newer value takes the place of an older one without losing the place. A node that failed
/// goes to the end, so that it holds up no other. Not thread-safe.
class PatchQueue {
 public:
  using TimePoint = Clock::TimePoint;

  /// Sets what is to be written to the node; an empty change: nothing any more. A patch of the node
  /// that is under way goes on, and the new one waits for it.
  void Set(std::string_view node, NodeChange change);

  /// Takes the first node that may be patched at `now`. Done(), Fail() or Drop() must follow.
  std::optional<TakenPatch> Take(TimePoint now);

  /// The patch was written: what is the same in a newer change of the node needs no patch.
  void Done(const TakenPatch& taken);
  /// It was not: the node waits again, as the last, until `not_before`. What was Set() meanwhile
  /// wins, an empty change too.
  void Fail(const TakenPatch& taken, TimePoint not_before);
  /// The node is gone, or its change is given up. What was Set() meanwhile is of a node of the same
  /// name that came since, and stays.
  void Drop(const TakenPatch& taken);
  /// Forgets the nodes that are not there any more.
  void Retain(const std::function<bool(std::string_view node)>& is_there);

  /// Nodes that wait or are under way.
  size_t size() const { return entries_.size(); }
  /// When the first node may be patched that is not under way; nothing: none waits.
  std::optional<TimePoint> NextTime() const;

 private:
  struct Entry {
    uint64_t place = 0;
    NodeChange change;  // empty: only what is under way
    TimePoint not_before;
    int failures = 0;
    bool under_way = false;
    bool is_set_since = false;  // Set() while under way
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  void EraseIfIdle(Entries::iterator entry);
  /// Begins a wait of the entry, whose patch is not under way any more.
  void Enter(Entries::iterator entry, TimePoint not_before, int failures);

  Entries entries_;
  std::map<uint64_t, std::string> order_;  // place -> node, of entries with a change
  uint64_t next_place_ = 0;
};

}  // namespace outrigger::annotate
