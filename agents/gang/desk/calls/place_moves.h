#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "gang/desk/board.h"
#include "outrigger/base/mutex.h"

namespace outrigger::desk {

/// Places that have changed since the board was made. kube-scheduler offers a part of the nodes of
/// a large cluster: a member whose place is not offered takes another one that is as good, which
/// the next plan gives it. Thread-safe.
class PlaceMoves {
 public:
  struct Move {
    std::string from;  // the place that the board has
    std::string to;
    bool is_free = false;   // `to` was no one's place
    uint64_t exchange = 0;  // those of one number hold together, or none of them does
    friend bool operator==(const Move&, const Move&) = default;
  };
  using ByUid = absl::flat_hash_map<std::string, Move>;

  /// Where the place of `seat`, which has one, is now. A move from another place than the board has
  /// counts for nothing, nor do those that it was exchanged with.
  std::string PlaceOf(const Board& board, const BoardPod& seat) const;

  /// Moves the place of `seat` to the node, if it is as good: of the same zone and region, with
  /// about the same allocatable resources, and either with room and no place of another unit,
  /// or the place of a member that asks for the same and has not been let pass yet; that one gets
  /// the place of `seat`. Whether the pod may be there at all is kube-scheduler's judgement, as it
  /// offers the node. False: it stays where it is, as one does that was let pass where it moved to.
  bool MoveTo(std::string_view node, const Board& board, const BoardPod& seat);

  /// A call about the pod was answered. One that was let pass exchanges its place no more.
  void Answered(const std::string& uid, bool passes);

  /// What the next plan is to be made with.
  ByUid Made() const;
  /// `board`, which is published, was made with `made`. Forgets these, and what fits no more.
  void OnBoard(const Board& board, const ByUid& made);
  /// No answer of before counts: another instance of the scheduler asks.
  void Clear();

 private:
  bool Holds(const Board& board, uint64_t exchange) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  /// The place of an untried member on the node that `seat` may have for its own, `place`.
  const BoardPod* PartnerOn(std::string_view node, const Board& board, const BoardPod& seat,
                            const std::string& place) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  ByUid moves_ ABSL_GUARDED_BY(mutex_);
  uint64_t exchanges_ ABSL_GUARDED_BY(mutex_) = 0;                   // so many were there
  absl::flat_hash_set<std::string> taken_ ABSL_GUARDED_BY(mutex_);   // free nodes
  absl::flat_hash_set<std::string> passed_ ABSL_GUARDED_BY(mutex_);  // UIDs
};

}  // namespace outrigger::desk
