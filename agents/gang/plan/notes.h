#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What was not as it should be about pods and groups, and how it was taken.

namespace outrigger::plan {

enum class NoteKind : uint8_t {
  kGroupName,       ///< a group's name is none: the pod is not in a group
  kPodMinimum,      ///< a minimum on a pod is none: it does not count
  kTwoDialects,     ///< a pod says in two ways which group it is in: one counts
  kMinimumsDiffer,  ///< members of a group give different minimums: the oldest member's counts
  kGroupPriority,   ///< a malformed groupPriority: 0 counts
  kGroupPrioritiesDiffer,  ///< members of a group give different ones: the oldest member's counts
  kPriorities,             ///< members of different priority: the lowest counts
  kPriorityClass,  ///< a group's priority class is not known or above its members: theirs counts
  kTooMuch,        ///< a single pod exceeds a limit of the planner: it is not planned
  kOnMemberLoss,   ///< a policy that is none: replace counts
  kUnreadMarker,   ///< a marker of a group is not read, or lacks the minimum: pods start one by one
  kPreferredTopology,  ///< a preferred topology level that is no label key is left out
};

/// Where notes go. Text is for people and names the field, the value and what is accepted.
class Notes {
 public:
  virtual ~Notes() = default;
  /// `about` is "namespace/name" of the group, or of a pod that is in none.
  virtual void Add(NoteKind kind, std::string_view about, std::string_view text) = 0;
};

struct Note {
  NoteKind kind;
  std::string about;
  std::string text;
};

/// Keeps of all notes of one kind about one subject the first, however often the same state is
/// looked at, so that each is a single line of a log. Which of several first ones it is depends on
/// the order in which pods are given. Remembers the last `limit` subjects: what was forgotten
/// is told again. Thread-compatible.
class NotesOnce final : public Notes {
 public:
  explicit NotesOnce(size_t limit = 10'000) : limit_(limit) {}
  void Add(NoteKind kind, std::string_view about, std::string_view text) override;
  /// Those that are new since the last call, in the order in which they came; the last `limit` at
  /// most.
  std::vector<Note> Take();

 private:
  using Told = std::set<std::pair<NoteKind, std::string>>;

  const size_t limit_;
  Told told_;
  std::deque<Told::iterator> oldest_first_;
  std::deque<Note> untaken_;
};

}  // namespace outrigger::plan
