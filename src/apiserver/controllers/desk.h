#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "apiserver/controllers/work_queue.h"
#include "apiserver/failure.h"
#include "apiserver/store/store.h"
#include "apiserver/verbs/catalog.h"
#include "apiserver/verbs/writes.h"
#include "outrigger/base/clock.h"

// What reconcilers work with. All of it is one thread's.

namespace outrigger::apiserver {

using Result = std::optional<Failure>;
using WallTime = std::chrono::system_clock::time_point;

/// Pods that a controller makes or deletes before it looks again.
constexpr int64_t kMostPodsPerLook = 500;

/// What controllers ask of a pod, so that it is parsed once per version.
struct PodFacts {
  uint64_t version = 0;
  std::string node;
  std::string phase;
  bool deleting = false;
  bool ready = false;
  WallTime ready_since;  // of the condition's last change
  WallTime created;
  WallTime ended;   // its last container
  Json controller;  // an ownerReference, or null
  std::string controller_uid;
  int64_t deletion_cost = 0;
  int64_t restarts = 0;
  bool is_tracked = false;  // has the finalizer of Jobs
  int64_t index = -1;       // of an indexed Job

  bool IsFinished() const { return phase == "Succeeded" || phase == "Failed"; }
  bool IsActive() const { return !IsFinished() && !deleting; }
  bool IsAvailable(std::chrono::seconds min_ready, WallTime now) const {
    return ready && ready_since + min_ready <= now;
  }
};

struct Pod {
  StoredPtr stored;
  const PodFacts* facts;  // until the pod changes
};

/// Reads and writes objects. Writes answer nothing where the object has gone meanwhile.
class Desk {
 public:
  Desk(Store* store, const Catalog* catalog, const Writes* writes, Clock clock);

  /// A built-in kind, which there is.
  const Served& KindOf(std::string_view group, std::string_view plural) const;
  /// The kind that an ownerReference names; null: it is not served.
  ServedPtr KindOf(const Json& reference) const;
  WallTime wall() const { return clock.wall(); }
  std::string now_text() const { return TimeText(clock.wall()); }

  Result Add(const Served& kind, Json object, StoredPtr* made = nullptr) const;
  /// Edits the newest state of the object that `seen` was a state of. `written`: the version that
  /// this made, if it made one.
  using Editing = std::function<void(Json* object)>;
  Result Edit(const Served& kind, const Stored& seen, Part part, const Editing& edit,
              uint64_t* written = nullptr) const;
  /// The same for the status; writes nothing if it does not change `object`, the state seen.
  Result EditStatus(const Served& kind, const Stored& seen, const Json& object, const Editing& edit,
                    uint64_t* written = nullptr) const;
  Result Erase(const Served& kind, const Stored& seen, Deletion deletion = {}) const;
  /// At once, whatever its grace.
  Result EraseNow(const Served& kind, const Stored& seen) const;

  const PodFacts& FactsOf(const StoredPtr& pod);
  void Forget(const std::string& uid) { facts_.erase(uid); }
  /// The pods that have `uid` as their controller.
  std::vector<Pod> PodsOf(const std::string& uid);

  Store* const store;
  const Catalog* const catalog;
  const Writes* const writes;
  const Clock clock;
  const Served& pods;

 private:
  std::unordered_map<std::string, PodFacts> facts_;  // by UID
};

/// Brings objects of some kinds to where they should be. Its methods run in one thread.
class Reconciler {
 public:
  Reconciler(Desk* desk, WorkQueue* queue) : desk_(*desk), queue_(*queue) {}
  virtual ~Reconciler() = default;
  Reconciler(const Reconciler&) = delete;
  Reconciler& operator=(const Reconciler&) = delete;

  /// Whose changes it sees; empty: all collections'.
  virtual std::vector<const Collection*> Watched() const = 0;
  /// Queues what is to be looked at. Changes come in the log's order; some come twice.
  virtual void See(const Change& change) = 0;
  /// Looks at the newest state. After a failure it is called again.
  virtual Result Sync(const Collection& collection, const ObjectName& name) = 0;

  void Look(const Collection* collection, const ObjectName& name) {
    queue_.Push({this, collection, name});
  }
  void LookAfter(const Collection* collection, const ObjectName& name, Clock::Duration time) {
    queue_.PushAfter({this, collection, name}, time);
  }

 protected:
  Desk& desk_;
  WorkQueue& queue_;
};

/// {"apiVersion":...,"controller":true,"blockOwnerDeletion":true}
Json ControllerReference(const Served& kind, const Stored& owner);
/// The ownerReference that is the controller's; null: there is none.
Json ControllerOf(const Json& object);
/// A pod of a template, to be named by its controller's name.
Json PodOfTemplate(const Json& template_, const Stored& owner, const Json& reference);

/// Null: there is none of this type.
const Json* FindCondition(const Json& object, std::string_view type);
/// Puts it in place of the one of its type; the time of its last transition stays if its status
/// does. False: its status and reason are what they were, and nothing was changed, unless `always`.
bool SetCondition(const std::string& now, Json condition, Json* object, bool always = false);
void RemoveCondition(std::string_view type, Json* object);
/// A count as Go writes it: not at all if it is 0.
void SetCount(const char* key, int64_t count, Json* status);

/// A Time or MicroTime; the epoch where there is none.
WallTime TimeOf(const Json& object, std::string_view path);
/// A number, or a percentage of `total`, rounded up or down.
int64_t ScaledValue(const Json& value, int64_t total, bool round_up);
/// Whether metadata.finalizers has it, and how to remove it.
bool HasFinalizer(const Json& object, std::string_view finalizer);
void RemoveFinalizer(std::string_view finalizer, Json* object);

}  // namespace outrigger::apiserver
