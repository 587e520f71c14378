#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "lab/framework/plugins.h"
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

  /// Plugins are about to be asked whether the pod shall wait: what is said of it from now on
  /// counts, even before Add(). Ends with Add() or Forget().
  void Expect(std::string_view uid);
  /// The pod waits until each of these plugins has allowed it, or one has rejected it or is out of
  /// time. `outcome` is called once, without a lock, by the thread that brings it about, which may
  /// be this one. Nothing of `pod` is used any more when that happens.
  void Add(const Pod& pod, const Timeouts& timeouts, Outcome outcome);
  /// The pod will not wait.
  void Forget(std::string_view uid);

  /// The plugin lets the pod go on. A pod that neither waits nor is expected is left alone.
  void Allow(std::string_view uid, std::string_view plugin);
  /// The pod must not go on. As Allow(). No plugin: the cluster itself says so.
  void Reject(std::string_view uid, std::string_view plugin, std::string reason);

  /// How many pods wait.
  size_t size() const;

 private:
  struct Shared;  // lives as long as timers may ask for it
  const std::shared_ptr<Shared> shared_;
};

}  // namespace outrigger::lab
