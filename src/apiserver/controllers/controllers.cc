#include "apiserver/controllers/controllers.h"

#include <algorithm>
#include <set>

#include "apiserver/controllers/reconcilers.h"

namespace outrigger::apiserver {
namespace {

constexpr size_t kMostChanges = 1000;
// A burst of changes is one look: a ReplicaSet whose pods become ready writes one status.
constexpr std::chrono::milliseconds kPause{2};
// An injected clock may jump.
constexpr std::chrono::milliseconds kLongestWithTimers{100};
constexpr std::chrono::milliseconds kLongest{std::chrono::hours(1)};

// An object that admission would have refused, but that was read from elsewhere, fails alone.
Result SyncTask(const Task& task) {
  try {
    return task.reconciler->Sync(*task.collection, task.name);
  } catch (const Json::exception& error) {
    return Failure{.message = error.what()};
  }
}

}  // namespace

Controllers::Controllers(Deps deps) : deps_(std::move(deps)) {}

Controllers::~Controllers() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void Controllers::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

// Also where the log has been cut before it was read: all that is known is thrown away.
void Controllers::Begin() {
  reconcilers_.clear();
  watchers_.clear();
  see_all_.clear();
  desk_ = std::make_unique<Desk>(deps_.store, deps_.catalog, deps_.writes, deps_.clock);
  queue_ = std::make_unique<WorkQueue>(deps_.clock.now);
  reconcilers_ = MakeReconcilers(desk_.get(), queue_.get());
  for (const auto& reconciler : reconcilers_) {
    const auto watched = reconciler->Watched();
    for (const Collection* collection : watched) watchers_[collection].push_back(reconciler.get());
    if (watched.empty()) see_all_.push_back(reconciler.get());
  }
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
    deps_.store->WaitForChange(read_, UntilNext(), stop);
    SleepFor(kPause, stop);
  }
}

std::chrono::milliseconds Controllers::UntilNext() const {
  const auto next = queue_->UntilNextTimer();
  if (!next) return kLongest;
  return std::min(std::chrono::ceil<std::chrono::milliseconds>(*next), kLongestWithTimers);
}

void Controllers::Settle(const std::stop_token& stop) {
  if (desk_ == nullptr) Begin();
  while (!stop.stop_requested()) {
    const bool had_changes = ReadChanges();
    queue_->FireTimers();
    if (!had_changes && queue_->empty()) return;
    SyncQueued(stop);
  }
}

bool Controllers::ReadChanges() {
  changes_.clear();
  if (!deps_.store->ChangesAfter(read_, kMostChanges, &changes_)) {
    Begin();
    return true;
  }
  for (const Change& change : changes_) See(change);
  read_ += changes_.size();
  return !changes_.empty();
}

void Controllers::See(const Change& change) {
  const auto watchers = watchers_.find(change.collection);
  if (watchers != watchers_.end()) {
    for (Reconciler* reconciler : watchers->second) reconciler->See(change);
  }
  for (Reconciler* reconciler : see_all_) reconciler->See(change);
  const bool is_gone = change.kind == Change::Kind::kDeleted;
  if (is_gone && change.collection == desk_->pods.collection) desk_->Forget(change.now->uid);
}

void Controllers::SyncQueued(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto task = queue_->Pop();
    if (!task) return;
    if (SyncTask(*task)) {
      queue_->PushFailed(*task);
    } else {
      queue_->SetDone(*task);
    }
  }
}

}  // namespace outrigger::apiserver
