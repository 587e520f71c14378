#include "cluster/cluster.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "cluster/contents.h"
#include "cluster/node_editor.h"
#include "cluster/pod_editor.h"
#include "cluster/pod_record.h"
#include "fmt/format.h"
#include "outrigger/base/mutex.h"

namespace outrigger::cluster {

// The pods that are believed to be on a node without the API server having shown it, and when that
// belief ends. Not thread-safe.
class Assumptions {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Assumption {
    PodPtr shown;  // the pod as the API server shows it, without a node
    std::string node;
    Time until;
  };

  bool empty() const { return by_pod_.empty(); }
  // The assumption about the pod, or nullptr. Lives until this is changed.
  Assumption* Find(const PodKey& key);
  // Adds an assumption, or replaces the one about the same pod. `until` never goes back.
  void Set(Assumption assumption);
  void Erase(const PodKey& key);
  // Takes out one of which the time has come and returns its pod as shown; null: there is none.
  PodPtr TakeExpired(Time now);

 private:
  using Name = std::pair<std::string, std::string>;
  static Name NameOf(const PodKey& key) {
    return {std::string(key.namespace_), std::string(key.name)};
  }

  absl::flat_hash_map<Name, Assumption> by_pod_;
  std::deque<std::pair<Time, Name>> ends_;  // also of assumptions that are no more, or last longer
};

Assumptions::Assumption* Assumptions::Find(const PodKey& key) {
  if (by_pod_.empty()) return nullptr;
  const auto found = by_pod_.find(NameOf(key));
  return found == by_pod_.end() ? nullptr : &found->second;
}

void Assumptions::Set(Assumption assumption) {
  Name name = NameOf(assumption.shown->key());
  ends_.emplace_back(assumption.until, name);
  by_pod_.insert_or_assign(std::move(name), std::move(assumption));
}

void Assumptions::Erase(const PodKey& key) {
  if (!by_pod_.empty()) by_pod_.erase(NameOf(key));
}

PodPtr Assumptions::TakeExpired(Time now) {
  while (!ends_.empty() && ends_.front().first <= now) {
    const Name name = std::move(ends_.front().second);
    ends_.pop_front();
    const auto found = by_pod_.find(name);
    if (found == by_pod_.end() || found->second.until > now) continue;
    PodPtr shown = std::move(found->second.shown);
    by_pod_.erase(found);
    return shown;
  }
  return nullptr;
}

PodIndex LabelIndex(std::string_view label) {
  return {.name = fmt::format("label {}", label),
          .key = [label = std::string(label)](const PodRecord& pod) { return pod.Label(label); },
          .per_namespace = true};
}

class Cluster::State {
 public:
  /// Holds the mutex, and tells of the change, if there was one, once it has let go of it.
  class ABSL_SCOPED_LOCKABLE Access {
   public:
    explicit Access(State* state) ABSL_EXCLUSIVE_LOCK_FUNCTION(state->mutex_)
        : state_(*state),
          lock_(state->mutex_),
          generation_(state->contents_.generation),
          state_changes_(state->state_changes_) {}
    ~Access() ABSL_UNLOCK_FUNCTION() {
      const uint64_t changes = state_.contents_.generation - generation_;
      const bool only_states = changes == state_.state_changes_ - state_changes_;
      lock_.unlock();
      if (changes == 0) return;
      const auto& tell = only_states ? state_.options_.state_changed : state_.options_.changed;
      if (tell) tell();
    }
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;

   private:
    State& state_;
    std::unique_lock<Mutex> lock_;
    const uint64_t generation_;
    const uint64_t state_changes_;
  };

  explicit State(ClusterOptions options)
      : options_(std::move(options)),
        nodes_(&contents_, &epoch_),
        pods_(options_.indexes, &contents_, &nodes_, &epoch_) {}

  std::shared_ptr<const Snapshot> Take() {
    const Access access(this);
    EndExpiredAssumptions();
    std::shared_ptr<const Snapshot> snapshot = last_.lock();
    if (snapshot != nullptr) return snapshot;
    snapshot = std::make_shared<const Snapshot>(contents_);
    last_ = snapshot;
    ++epoch_;  // what the snapshot has is changed no more
    return snapshot;
  }

  void UpsertNode(const Node& node) {
    const Access access(this);
    Note(nodes_.Upsert(node));
  }

  void RemoveNode(std::string_view name) {
    const Access access(this);
    if (nodes_.Remove(name)) Note(Effect::kContent);
  }

  void UpsertPod(PodPtr pod) {
    const Access access(this);
    EndExpiredAssumptions();
    if (Assumptions::Assumption* assumption = assumptions_.Find(pod->key())) {
      const bool still_open =
          pod->uid() == assumption->shown->uid() && pod->node_name().empty() && !pod->is_terminal();
      if (still_open) {
        assumption->shown = pod;
        pod = pod->AssumedOn(assumption->node);
      } else {
        assumptions_.Erase(pod->key());
      }
    }
    Note(pods_.Put(pod));
  }

  void RemovePod(const PodKey& key) {
    const Access access(this);
    assumptions_.Erase(key);
    if (pods_.Remove(key)) Note(Effect::kContent);
  }

  absl::Status AssumePod(const PodKey& key, std::string_view uid, std::string_view node) {
    const Access access(this);
    EndExpiredAssumptions();
    const PodPtr pod = pods_.Find(key);
    if (pod == nullptr || pod->uid() != uid || pod->is_terminal()) {
      return absl::NotFoundError(fmt::format("pod {}/{} of UID {}: not known, or finished",
                                             key.namespace_, key.name, uid));
    }
    const std::string_view there = pod->node_name();
    if (!there.empty() && there != node) {
      return absl::FailedPreconditionError(
          fmt::format("pod {}/{}: {} to node {}, wanted {}", key.namespace_, key.name,
                      pod->is_assumed() ? "assumed" : "bound", there, node));
    }
    if (!there.empty() && !pod->is_assumed()) return absl::OkStatus();
    const Assumptions::Assumption* present = assumptions_.Find(key);
    assumptions_.Set({.shown = present == nullptr ? pod : present->shown,
                      .node = std::string(node),
                      .until = options_.now() + options_.assume_for});
    if (there.empty()) Note(pods_.Put(pod->AssumedOn(node)));
    return absl::OkStatus();
  }

  void ForgetPod(const PodKey& key, std::string_view uid) {
    const Access access(this);
    const Assumptions::Assumption* assumption = assumptions_.Find(key);
    if (assumption == nullptr || assumption->shown->uid() != uid) return;
    const PodPtr shown = assumption->shown;
    assumptions_.Erase(key);
    Note(pods_.Put(shown));
  }

 private:
  void EndExpiredAssumptions() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (assumptions_.empty()) return;
    const auto now = options_.now();
    while (const PodPtr shown = assumptions_.TakeExpired(now)) Note(pods_.Put(shown));
  }

  void Note(Effect effect) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (effect == Effect::kNone) return;
    if (effect != Effect::kVersion) ++contents_.generation;
    if (effect == Effect::kState) ++state_changes_;
    last_.reset();
  }

  const ClusterOptions options_;
  Mutex mutex_;
  uint64_t epoch_ ABSL_GUARDED_BY(mutex_) = 0;
  // How many changes of the generation were Effect::kState.
  uint64_t state_changes_ ABSL_GUARDED_BY(mutex_) = 0;
  Contents contents_ ABSL_GUARDED_BY(mutex_);
  NodeEditor nodes_ ABSL_GUARDED_BY(mutex_);
  PodEditor pods_ ABSL_GUARDED_BY(mutex_);
  Assumptions assumptions_ ABSL_GUARDED_BY(mutex_);
  std::weak_ptr<const Snapshot> last_ ABSL_GUARDED_BY(mutex_);  // if nothing has changed since
};

Cluster::Cluster(ClusterOptions options) : state_(std::make_unique<State>(std::move(options))) {}

Cluster::~Cluster() = default;

std::shared_ptr<const Snapshot> Cluster::Take() {
  return state_->Take();
}

void Cluster::UpsertNode(const Node& node) {
  state_->UpsertNode(node);
}

void Cluster::RemoveNode(std::string_view name) {
  state_->RemoveNode(name);
}

void Cluster::UpsertPod(const Pod& pod) {
  state_->UpsertPod(PodRecord::Of(pod));  // packed before the mutex is taken
}

void Cluster::RemovePod(std::string_view namespace_, std::string_view name) {
  state_->RemovePod({namespace_, name});
}

absl::Status Cluster::AssumePod(std::string_view namespace_, std::string_view name,
                                std::string_view uid, std::string_view node) {
  return state_->AssumePod({namespace_, name}, uid, node);
}

void Cluster::ForgetPod(std::string_view namespace_, std::string_view name, std::string_view uid) {
  state_->ForgetPod({namespace_, name}, uid);
}

}  // namespace outrigger::cluster
