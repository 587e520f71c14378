#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gang/plan/unit.h"
#include "scene.h"
#include "timeline.h"

namespace outrigger::sim {

/// Judges what the scheduler does by the true state of the cluster, whatever the agent knew.
///
/// *Before* means the rank of the queue. B is let through to a node. Pod A is *overtaken* if it is
/// before B, waits, has existed for 100 ms, and fits on that node as it is before B takes it. That
/// is no harm yet: A may have another place, and only wait for its turn to be asked about. It is an
/// *inversion* if A also loses its place by it. A *surely has a place* if it gets one however those
/// before it are put on nodes, one after another in the order, as no scheduler moves a pod again;
/// it *may have one* if there is such a way. A loses its place if it surely had one, and may not
/// have one any more. Room that came free too lately to be known does not count for what A had, and
/// pods that are too young to be known may be there or not. Pods that are never held overtake
/// nothing.
///
/// Evictions are judged alike: one for B is in vain if A is before B, waits, may have no place,
/// also as it was when the agent last saw the cluster, and surely would have one without the
/// victims.
class Judge {
 public:
  static constexpr milliseconds kKnown{100};
  /// A pod that comes first of those that fit somewhere is to be let through within this time.
  static constexpr milliseconds kPatience{10'000};

  struct Counts {
    size_t let_through = 0;
    size_t overtaken = 0;          // pods let through that overtook another one
    size_t inversions = 0;         // those of them that took its place
    size_t evictions = 0;          // of pods, for others
    size_t evictions_in_vain = 0;  // for a pod that is not the next one for that node
    size_t stalls = 0;             // pods that could run and were not let through in time
  };

  /// `delay`: after so long at most the agent sees what the scheduler has decided.
  Judge(const Scene* scene, milliseconds delay) : scene_(scene), known_after_(delay + kKnown) {}

  /// Before the pod takes the node.
  void OnLetThrough(const ScenePod& pod, const SceneNode& node);
  void OnEviction(const ScenePod& pod, const SceneNode& node,
                  const std::vector<std::string>& victims);
  /// To be called each second or so: looks for pods that could run and sleep.
  void Look();

  const Counts& counts() const { return counts_; }
  /// What was found, for people.
  const std::vector<std::string>& findings() const { return findings_; }

 private:
  /// Pods that wait and have existed for `age`, in order, up to `rank`.
  std::vector<const ScenePod*> Before(const plan::Rank& rank, milliseconds age) const;
  using Rooms = std::map<const SceneNode*, int64_t>;
  /// What has been free for so long.
  Rooms Free(milliseconds age) const;
  /// The names of the pods that get a place, put one after another on any node where they fit:
  /// `surely`, in whichever way that goes; else, in one way at least.
  static std::set<std::string> Placed(const std::vector<const ScenePod*>& pods, const Rooms& free,
                                      bool surely);
  std::set<std::string> SurelyPlaced(const plan::Rank& rank, const Rooms& free) const;

  const Scene* const scene_;
  const milliseconds known_after_;
  Counts counts_;
  std::vector<std::string> findings_;
  std::string first_;  // that fits somewhere, at the last look
  Time since_;
};

}  // namespace outrigger::sim
