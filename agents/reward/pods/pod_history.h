#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/method.h"
#include "outrigger/k8s/pod.h"
#include "pods/counted_ends.h"

namespace outrigger::reward {

/// Something of a pod that counts.
struct Outcome {
  enum class Kind : uint8_t {
    kSuccess,  // an exit with code 0
    kRunning,  // `periods` times mttf of running were over
    // Failures:
    kExit,     // another exit code
    kOom,      // out of memory
    kEvicted,  // by the node
    kNoStart,  // the image could not be had, or the container or pod not be made
  };
  Kind kind = Kind::kSuccess;
  Seconds at = 0;
  double ran = 0;       // of a failure: seconds
  int64_t periods = 0;  // of kRunning
  bool IsFailure() const { return kind >= Kind::kExit; }
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// A stable word for a kind, for metrics: "exit", "oom", "evicted", "start", "success", "running".
std::string_view WordOf(Outcome::Kind kind);

/// A pod as it shows itself now. Views live as long as what they were made of.
struct PodNow {
  std::string_view uid;
  std::string_view phase;
  std::string_view status_reason;
  bool being_deleted = false;
  Seconds start_time = 0;  // 0: not known
  std::span<const ContainerState> containers;
};

/// When a pod is looked at, and by whom.
struct Look {
  Seconds now = 0;
  double mttf = 600;
  /// The first look of a process at the whole cluster: what shows itself may have been counted
  /// before, by another one.
  bool is_first = false;
  /// Until when running was counted by an earlier process.
  Seconds paid_until = CountedEnds::kNever;
};

/// What of a pod was counted already: each end of a run of a container once (by UID, container and
/// restart count), each mttf of running once. Not thread-safe.
///
/// A failure is an exit code other than 0, OOMKilled, an eviction by the node (the pod fails once,
/// its containers not again), and a start that fails. All restarts between two looks count, those
/// before the last as the last one; where an earlier process has counted, of the time in between
/// only the last end of each container. Init containers count as far as they fail.
/// A container that the status does not name any more is forgotten; of one that comes after that
/// only what ends from then on counts.
/// What ends while the pod is being deleted, or because of a limit of its own or a shutdown of the
/// node, counts for nothing.
class PodHistory {
 public:
  /// Adds to `outcomes` what has happened since the last look. `counted` knows, and gets, what was
  /// counted.
  void OnPod(const PodNow& pod, const Look& look, CountedEnds* counted,
             std::vector<Outcome>* outcomes);
  /// The same where the pod has not changed and only time has passed.
  void OnTime(const Look& look, std::vector<Outcome>* outcomes);
  /// The clock was set: running until now is paid, without an outcome.
  void SkipUntil(const Look& look);
  /// When OnTime() will have something; 0: not before the pod changes.
  Seconds NextDue(const Look& look) const;
  /// Of how many containers something is known.
  size_t containers() const { return containers_.size(); }

 private:
  struct Container {
    std::string name;
    bool init = false;
    int64_t restarts = 0;
    int64_t next_run = 0;       // all runs before it are counted
    int64_t failed_start = -1;  // the run that could not start
    bool seen = false;
  };
  struct Counting;

  void OnContainer(const ContainerState& state, const Counting& counting);
  Container& Find(const ContainerState& state, const Counting& counting);
  void OnRestarts(const ContainerState& state, Container* container, const Counting& counting);
  void CountEnd(const ContainerEnd& end, const Container& container, int64_t run, Seconds time,
                const Counting& counting);
  void CountStart(Container* container, const Counting& counting);
  void OnWholePod(const PodNow& pod, Counting* counting);
  void CountEviction(const Counting& counting);
  void OnRunning(Seconds since, const Look& look, std::vector<Outcome>* outcomes);
  void BeginStretch(Seconds since, const Look& look);

  std::vector<Container> containers_;
  Seconds running_since_ = 0;  // all containers run; 0: not so
  int64_t paid_ = 0;           // periods of that
  Seconds paid_to_ = 0;        // running until then is paid, or will not be
  bool is_seen_ = false;
  bool has_dropped_ = false;  // a container that the status no longer named
  bool has_failed_ = false;   // the pod as a whole
};

}  // namespace outrigger::reward
