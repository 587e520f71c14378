#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "lab/framework/plugin_status.h"
#include "lab/framework/timers.h"
#include "outrigger/base/mutex.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::lab {

/// The pods that Permit lets wait (framework.waitingPodsMap). A pod that waits holds no thread.
/// Thread-safe.
class WaitingPods {
 public:
  /// Which plugin is meant, and for how long it may let the pod wait.
  using Timeouts = std::map<std::string, std::chrono::milliseconds, std::less<>>;
  /// The end of the waiting: kSuccess, or why the pod was rejected, and by which plugin.
  using Outcome = std::function<void(const PluginStatus& status, const std::string& plugin)>;

  /// Outlives this.
  explicit WaitingPods(Timers* timers);
  ~WaitingPods();
  WaitingPods(const WaitingPods&) = delete;
  WaitingPods& operator=(const WaitingPods&) = delete;

  /// The pod waits until each of these plugins has allowed it, or one has rejected it or is out of
  /// time. `outcome` is called once, without a lock, by the thread that brings it about. Several
  /// plugins may already have allowed it before Add() is called: see Allow().
  void Add(const Pod& pod, const Timeouts& timeouts, Outcome outcome);

  /// The plugin lets the pod go on. A pod that does not wait (yet, or any more) is left alone.
  void Allow(std::string_view uid, std::string_view plugin);
  /// Nothing for a pod that does not wait.
  void Reject(std::string_view uid, std::string_view plugin, std::string reason);

  /// How many pods wait.
  size_t size() const;

 private:
  struct Shared;  // lives as long as timers may ask for it
  const std::shared_ptr<Shared> shared_;
};

}  // namespace outrigger::lab
