#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "outrigger/k8s/pod_group.h"
#include "penalty/classes/account.h"

// What of a PodGroup's life counts: its edges, each once (docs/penalty.md has the table). Pure and
// thread-safe.

namespace outrigger::penalty {

/// Annotation of a PodGroup: what of it is counted, as MarkText() writes it.
inline constexpr std::string_view kCountedAnnotation = "outrigger.dev/penalty-counted";

/// Whose PodGroups count.
inline constexpr Dialect kGroupDialect = Dialect::kVolcano;

/// Phases of a PodGroup, as far as they matter here.
enum class Phase : uint8_t {
  kWaiting,    ///< Pending, Inqueue, or none yet
  kRunning,    ///< Running
  kCompleted,  ///< Completed
  kOther,      ///< Unknown, and every other text: says nothing
};

/// Of a PodGroup's status.phase.
Phase PhaseOf(std::string_view phase);

enum class Stage : uint8_t {
  kNew,        ///< not seen yet, and without a mark
  kWaiting,    ///< waits for its next run; with a `completion`, run `epoch` may go on
  kRunning,    ///< the start of run `epoch` is counted
  kCompleted,  ///< so is its completion
};

/// What is counted of one PodGroup. The runs of a group are its epochs, from 1.
struct GroupState {
  Stage stage = Stage::kNew;
  /// 0 and kWaiting: no run yet. 0 and kCompleted: it was over before the journal began, and
  /// nothing of it is counted.
  int64_t epoch = 0;
  /// kCompleted, and a run that may go on: what the completion added, so that it can be taken back.
  Added completion;
  friend bool operator==(const GroupState&, const GroupState&) = default;
};

enum class EdgeKind : uint8_t {
  kStart,
  kCompletion,
  kTakenBack,  ///< the completion that was counted last was none
};

/// "start", "completion", "completion taken back".
std::string_view EdgeText(EdgeKind kind);

struct Transition {
  /// Without the completion's Added, which is known after counting.
  GroupState next = {};
  std::vector<EdgeKind> edges = {};  // to count, in this order
  /// The group's mark has to become that of `next`.
  bool has_new_mark = false;
};

/// Returns what follows when a group in `state` shows `phase`. `is_history` matters for kNew only:
/// the group is older than the journal, so that what it did before is not counted. `is_soon`
/// matters for kCompleted only: the completion was a short time ago, so that a group that waits
/// again goes on with its run.
Transition OnPhase(const GroupState& state, Phase phase, bool is_history, bool is_soon = false);

/// Whether a group of that age (PodGroup::created, in seconds; 0: not known) may have done things
/// before counting began.
bool IsHistory(int64_t created_seconds, Millis counting_since);

/// Whether a state is kept as a mark; the others are those of a group without one.
bool HasMark(const GroupState& state);
/// "2 started", "2 completed 20 2026-11-25T21:49:49.123Z" (what it added, and when), "2 waiting",
/// and "2 waiting 20 2026-11-25T21:49:49.123Z" of a run that may go on.
/// Exact. Only for a state that HasMark().
std::string MarkText(const GroupState& state);
/// Reads what MarkText() writes; also "2 completed", which added nothing. InvalidArgument.
absl::StatusOr<GroupState> ParseMark(std::string_view text);

/// The state of a group that the process has not seen before.
struct FirstSight {
  GroupState state;
  bool needs_mark = false;  // the group's mark is not that of `state`
  std::string problem;      // of its mark, for an Event; empty: none
};

/// Returns the state of a group by its mark (null: it has none) and by what the journal has as
/// counted and perhaps not marked yet. A malformed mark is not obeyed: then all that the group's
/// phase shows counts as counted, and nothing is counted now.
FirstSight StateAtFirstSight(const std::string* mark, const std::optional<GroupState>& pending,
                             Phase phase);

}  // namespace outrigger::penalty
