#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apiserver/failure.h"
#include "apiserver/store/store.h"
#include "apiserver/verbs/catalog.h"
#include "apiserver/verbs/writes.h"
#include "outrigger/base/clock.h"

// Reconcilers, and what they work with. All of it is one thread's.

namespace outrigger::apiserver {

using WallTime = std::chrono::system_clock::time_point;

// The finalizer of a Job's pods, which have not been counted, and the label of their index.
constexpr const char* kJobTracking = "batch.kubernetes.io/job-tracking";
constexpr const char* kJobIndex = "batch.kubernetes.io/job-completion-index";

/// What controllers ask of a pod, so that it is parsed once per version.
struct PodFacts {
  uint64_t version = 0;
  std::string phase;
  std::string controller;  // its UID
  std::string created;
  bool placed = false;
  bool deleting = false;
  bool ready = false;
  bool is_tracked = false;  // has the finalizer of Jobs
  int64_t index = -1;       // of an indexed Job

  bool IsFinished() const { return phase == "Succeeded" || phase == "Failed"; }
  bool IsActive() const { return !IsFinished() && !deleting; }
};

struct Pod {
  StoredPtr stored;
  const PodFacts* facts;  // until the pod changes
};

struct Condition {
  const char* type;
  const char* status;
  const char* reason;
  const char* message;
};

class Reconciler;

/// An object that a reconciler has to look at.
struct Task {
  Reconciler* reconciler = nullptr;
  const Collection* collection = nullptr;
  ObjectName name;
  friend auto operator<=>(const Task&, const Task&) = default;
};

/// Tasks in the order in which they are due, each once. One thread's.
class WorkQueue {
 public:
  explicit WorkQueue(SteadyNow now) : now_(std::move(now)) {}

  /// Of several times that are asked for a task the first counts: who looks asks again.
  void Push(const Task& task, Clock::Duration time = {});
  /// Nothing: nothing is due.
  std::optional<Task> Pop();

 private:
  using Due = std::pair<Clock::TimePoint, uint64_t>;  // of one time, what came first
  const SteadyNow now_;
  uint64_t pushed_ = 0;
  std::map<Task, Due> due_;
  std::map<Due, const Task*> order_;  // keys of due_
};

/// Reads and writes objects. Writes are true where the object has gone meanwhile, too; a failure is
/// noted, which has the look done again.
class Desk {
 public:
  struct Deps {
    Store* store;
    const Catalog* catalog;
    const Writes* writes;
    Clock clock;
  };
  explicit Desk(const Deps& deps);

  /// A built-in kind, which there is.
  const Served& KindOf(std::string_view group, std::string_view plural) const;
  Clock::TimePoint now() const { return clock_.now(); }
  WallTime wall() const { return clock_.wall(); }
  std::string now_text() const { return TimeText(clock_.wall()); }

  bool Add(const Served& kind, Json object);
  /// Edits the newest state of the object that `seen` was a state of.
  using Editing = std::function<void(Json* object)>;
  bool Edit(const Served& kind, const Stored& seen, Part part, const Editing& edit);
  /// The same for the status; writes nothing if it does not change `object`, the state seen.
  bool EditStatus(const Served& kind, const Stored& seen, const Json& object, const Editing& edit);
  bool Erase(const Served& kind, const Stored& seen, Deletion deletion = {});
  bool RemoveFinalizer(const Served& kind, const Stored& seen, std::string_view name);
  /// The first failure of this look.
  const std::optional<Failure>& failure() const { return failure_; }
  void ClearFailure() { failure_.reset(); }

  /// Puts it in place of the one of its type; the time of its last transition stays if its status
  /// does. If that and its reason are what they were, nothing is changed.
  void SetCondition(const Condition& condition, Json* object) const;

  const PodFacts& FactsOf(const StoredPtr& pod);
  void Forget(const std::string& uid) { facts_.erase(uid); }
  /// The pods that have `uid` as their controller.
  std::vector<Pod> PodsOf(const std::string& uid);

  Store* const store;
  const Catalog* const catalog;
  const Served& pods;
  WorkQueue queue;

 private:
  bool Note(std::optional<Failure> failure);

  const Writes* const writes_;
  const Clock clock_;
  std::optional<Failure> failure_;
  std::unordered_map<std::string, PodFacts> facts_;  // by UID
};

/// Brings objects of some kinds to where they should be.
class Reconciler {
 public:
  explicit Reconciler(Desk* desk) : desk_(*desk) {}
  virtual ~Reconciler() = default;
  Reconciler(const Reconciler&) = delete;
  Reconciler& operator=(const Reconciler&) = delete;

  /// Queues what is to be looked at. Sees all changes, in the log's order; some come twice.
  virtual void See(const Change& change) = 0;
  /// Looks at the newest state of what is there. After a failure it is called again.
  virtual void Sync(const Collection& collection, const StoredPtr& object) = 0;

 protected:
  void Look(const Collection* collection, const ObjectName& name, Clock::Duration time = {}) {
    desk_.queue.Push({this, collection, name}, time);
  }
  Desk& desk_;
};

using ReconcilerPtr = std::unique_ptr<Reconciler>;
ReconcilerPtr MakeReplicaSets(Desk* desk);
ReconcilerPtr MakeDeployments(Desk* desk);
ReconcilerPtr MakeJobs(Desk* desk);
ReconcilerPtr MakeNamespaces(Desk* desk);
ReconcilerPtr MakeGarbage(Desk* desk);
ReconcilerPtr MakeNodes(Desk* desk);
ReconcilerPtr MakeBudgets(Desk* desk);

/// A count as Go writes it: not at all if it is 0.
void SetCount(const char* key, int64_t count, Json* status);
/// A number, or a percentage of `total`, rounded up or down.
int64_t ScaledValue(const Json& value, int64_t total, bool round_up);
bool HasFinalizer(const Json& object, std::string_view finalizer);

}  // namespace outrigger::apiserver
