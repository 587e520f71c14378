#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "timeline.h"

namespace outrigger::sim {

/// Why a cycle ended without a node.
struct Failure {
  bool by_fit = false;       // in-tree filters refused a node
  bool by_extender = false;  // an extender did
  bool is_error = false;     // a call failed
};

/// The queue of kube-scheduler: active pods, pods in backoff, and unschedulable ones that sleep.
/// Not thread-safe.
class SchedulingQueue {
 public:
  struct Options {
    milliseconds backoff{1000};
    /// Pods in backoff are popped early when no pod is active (1.33 and later).
    bool pops_early = true;
    milliseconds longest_sleep{300'000};
  };
  /// What may wake pods that sleep.
  enum class Event : uint8_t {
    kAssigned,  // a pod with a node was added or has changed: wakes what an extender rejected
    kFreed,     // one is gone: wakes all
  };

  SchedulingQueue(const Timeline* timeline, Options options)
      : timeline_(timeline), options_(options) {}

  /// A new pod; it wakes no other.
  void Add(const std::string& name, int32_t priority);
  void Remove(const std::string& name) { pods_.erase(name); }
  /// The next pod, which is in flight until Failed() or Remove(): the one of the highest priority,
  /// of equals the one that waits for the longest time.
  std::optional<std::string> Pop();
  void Failed(const std::string& name, const Failure& failure);
  void OnEvent(Event event);
  /// The pod itself was written: it wakes at once, whatever is left of its backoff.
  void OnUpdate(const std::string& name);
  /// When Pop() may have a pod; nothing: not before something happens.
  std::optional<Time> NextPop() const;

 private:
  enum class Where : uint8_t { kActive, kBackoff, kAsleep, kInFlight };
  struct Entry {
    int32_t priority = 0;
    Where where = Where::kActive;
    Time since;  // it was added, or its last cycle ended
    Failure failure;
    // Events that came while it was in flight.
    bool missed_assigned = false;
    bool missed_freed = false;
  };
  Time ReadyAt(const Entry& entry) const;

  const Timeline* const timeline_;
  const Options options_;
  std::map<std::string, Entry> pods_;
};

}  // namespace outrigger::sim
