#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lab/framework/cluster_event.h"
#include "lab/framework/pod_queue.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

// The places at which a plugin may take part (extension points), in the order in which a pod comes
// by them. A plugin implements as many as it likes. The scheduling cycle, up to Permit, is one
// thread's; the binding cycle, PreBind and Bind, may be another's, several at once.

namespace outrigger::lab {

/// What a plugin answers (kube-scheduler's framework.Status).
struct PluginStatus {
  enum class Code : uint8_t {
    kSuccess,
    kUnschedulable,  // an expected answer: this pod cannot go there now
    kWait,           // of Permit: not yet
    kSkip,           // this plugin has nothing to say about the pod
    kNotNeeded,      // of Bind: the pod needs no node of ours: it is gone, or others bound it
    kError,          // something broke; nothing is known about the pod
  };
  Code code = Code::kSuccess;
  /// Why, for readers of the pod's condition: "node(s) were unschedulable". Names no
  /// node: equal reasons are counted. Empty with kSuccess and kSkip.
  std::string reason = {};

  static PluginStatus Success() { return {}; }
  static PluginStatus Unschedulable(std::string reason) {
    return {Code::kUnschedulable, std::move(reason)};
  }
  static PluginStatus Wait(std::string reason) { return {Code::kWait, std::move(reason)}; }
  static PluginStatus Skip() { return {Code::kSkip}; }
  static PluginStatus NotNeeded(std::string reason) {
    return {Code::kNotNeeded, std::move(reason)};
  }
  static PluginStatus Error(std::string reason) { return {Code::kError, std::move(reason)}; }

  bool ok() const { return code == Code::kSuccess; }
  bool is_skip() const { return code == Code::kSkip; }
  bool is_wait() const { return code == Code::kWait; }
  bool is_not_needed() const { return code == Code::kNotNeeded; }
  bool is_unschedulable() const { return code == Code::kUnschedulable; }
  friend bool operator==(const PluginStatus&, const PluginStatus&) = default;
};

/// What plugins hand on to one another, and from stage to stage, while one pod is scheduled. Begins
/// empty with each cycle and goes with it into the background. Used by one thread at a time.
class CycleState {
 public:
  /// Keeps a value under the name; a value that was there is replaced.
  template <typename T>
  void Write(std::string_view key, T value) {
    values_.insert_or_assign(std::string(key), std::make_shared<const Holder<T>>(std::move(value)));
  }

  /// The value, or null if nothing of that name and type was written.
  template <typename T>
  const T* Read(std::string_view key) const {
    const auto at = values_.find(key);
    if (at == values_.end()) return nullptr;
    const auto* holder = dynamic_cast<const Holder<T>*>(at->second.get());
    return holder == nullptr ? nullptr : &holder->value;
  }

  /// Counts something that is worth watching, for people: "read the digit of the pod's name".
  void Count(std::string_view what) {
    const auto at = counts_.find(what);
    if (at == counts_.end()) {
      counts_.emplace(what, 1);
    } else {
      ++at->second;
    }
  }
  const std::map<std::string, int64_t, std::less<>>& counts() const { return counts_; }

 private:
  struct Value {
    virtual ~Value() = default;
  };
  template <typename T>
  struct Holder final : Value {
    explicit Holder(T of) : value(std::move(of)) {}
    const T value;
  };

  std::map<std::string, std::shared_ptr<const Value>, std::less<>> values_;
  std::map<std::string, int64_t, std::less<>> counts_;
};

/// Nodes as they are at the beginning of a cycle, by name.
using NodeList = std::vector<std::shared_ptr<const Node>>;

/// What all plugins have.
class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual std::string_view Name() const = 0;
  /// What may make a pod schedulable that this plugin rejected. Nothing else wakes it.
  virtual std::vector<ClusterEvent> EventsToRegister() const { return {}; }
};

/// The order of the queue. A scheduler has one.
class QueueSortPlugin : public virtual Plugin {
 public:
  /// True if `a` comes before `b`. Those of which neither does keep the order of their arrival.
  virtual bool Less(const QueuedPod& a, const QueuedPod& b) const = 0;
};

/// Once for each pod, before any node is looked at.
class PreFilterPlugin : public virtual Plugin {
 public:
  /// kUnschedulable: no node will do. kSkip: Filter of this plugin is left out for this pod.
  virtual PluginStatus PreFilter(CycleState& state, const Pod& pod, const NodeList& nodes) = 0;
};

/// May the pod go to this node?
class FilterPlugin : public virtual Plugin {
 public:
  virtual PluginStatus Filter(CycleState& state, const Pod& pod, const Node& node) = 0;
};

/// Once for each pod, before the nodes that are left get their scores.
class PreScorePlugin : public virtual Plugin {
 public:
  /// kSkip: Score of this plugin is left out for this pod.
  virtual PluginStatus PreScore(CycleState& state, const Pod& pod, const NodeList& nodes) = 0;
};

/// How well would the node do? Scores of all plugins are added.
class ScorePlugin : public virtual Plugin {
 public:
  /// 0 to 100. An error ends the cycle.
  virtual absl::StatusOr<int64_t> Score(CycleState& state, const Pod& pod, const Node& node) = 0;
};

/// The node is chosen.
class ReservePlugin : public virtual Plugin {
 public:
  virtual PluginStatus Reserve(CycleState& state, const Pod& pod, const std::string& node) = 0;
  /// Undoes Reserve() where a later stage failed, in reverse order, also where Reserve() was not
  /// called or failed: must not mind.
  virtual void Unreserve(CycleState& state, const Pod& pod, const std::string& node) = 0;
};

/// The last word before the binding: yes, no, or not yet.
class PermitPlugin : public virtual Plugin {
 public:
  struct Answer {
    PluginStatus status;
    /// With kWait: the pod is rejected if the plugin has not allowed it (WaitingPods) by then.
    std::chrono::milliseconds timeout{0};
  };
  virtual Answer Permit(CycleState& state, const Pod& pod, const std::string& node) = 0;
};

/// What must be ready before the pod is bound. May block.
class PreBindPlugin : public virtual Plugin {
 public:
  virtual PluginStatus PreBind(CycleState& state, const Pod& pod, const std::string& node) = 0;
};

/// Tells the API server. May block.
class BindPlugin : public virtual Plugin {
 public:
  /// kSkip: the next one is asked.
  virtual PluginStatus Bind(CycleState& state, const Pod& pod, const std::string& node) = 0;
};

}  // namespace outrigger::lab
