#include "apiserver/controllers/controllers.h"

#include <algorithm>
#include <set>

namespace outrigger::apiserver {
namespace {

constexpr size_t kMostChanges = 1000;
// A burst of changes is one look: a ReplicaSet whose pods become ready writes one status.
constexpr std::chrono::milliseconds kPause{2};
constexpr std::chrono::seconds kRetry{1};
// For timers; an injected clock may jump.
constexpr std::chrono::milliseconds kLongestWait{100};

constexpr ReconcilerPtr (*kReconcilers[])(Desk* desk) = {
    MakeReplicaSets, MakeDeployments, MakeJobs, MakeNamespaces, MakeGarbage, MakeNodes, MakeBudgets,
};

}  // namespace

void Controllers::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

// Also where the log has been cut before it was read: all that is known is thrown away.
void Controllers::Begin() {
  reconcilers_.clear();
  desk_ = std::make_unique<Desk>(deps_);
  for (const auto make : kReconcilers) reconcilers_.push_back(make(desk_.get()));
  read_ = deps_.store->version();
  std::set<const Collection*> seen;
  for (const ServedPtr& served : deps_.catalog->All()) {
    const Collection* const collection = served->collection;
    if (collection == nullptr || !seen.insert(collection).second) continue;
    for (StoredPtr& object : deps_.store->List(*collection, "").objects) {
      See({Change::Kind::kAdded, collection, std::move(object), nullptr});
    }
  }
}

void Controllers::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Settle(stop);
    deps_.store->WaitForChange(read_, kLongestWait, stop);
    SleepFor(kPause, stop);
  }
}

void Controllers::Settle(const std::stop_token& stop) {
  if (desk_ == nullptr) Begin();
  bool is_busy = true;
  while (is_busy && !stop.stop_requested()) {
    is_busy = ReadChanges();
    is_busy |= SyncDue(stop);
  }
}

bool Controllers::ReadChanges() {
  std::vector<Change> changes;
  if (!deps_.store->ChangesAfter(read_, kMostChanges, &changes)) {
    Begin();
    return true;
  }
  for (const Change& change : changes) See(change);
  read_ += changes.size();
  return !changes.empty();
}

void Controllers::See(const Change& change) {
  for (const ReconcilerPtr& reconciler : reconcilers_) reconciler->See(change);
  if (change.kind == Change::Kind::kDeleted) desk_->Forget(change.now->uid);
}

bool Controllers::SyncDue(const std::stop_token& stop) {
  bool has_synced = false;
  while (!stop.stop_requested()) {
    const auto task = desk_->queue.Pop();
    if (!task) break;
    has_synced = true;
    const StoredPtr object = deps_.store->Get(*task->collection, task->name);
    if (object != nullptr) Sync(*task, object);
  }
  return has_synced;
}

void Controllers::Sync(const Task& task, const StoredPtr& object) {
  desk_->ClearFailure();
  try {
    task.reconciler->Sync(*task.collection, object);
    if (desk_->failure()) desk_->queue.Push(task, kRetry);
  } catch (const Json::exception&) {
    // Admission would have refused such an object, but it was read from elsewhere. It fails alone.
  }
}

}  // namespace outrigger::apiserver
