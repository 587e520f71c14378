#pragma once

#include <functional>
#include <memory>

#include "outrigger/agent/cluster.h"
#include "outrigger/agent/subscription.h"

namespace outrigger::cluster {

/// Calls any number of listeners after each change. The threads that make changes call them, so
/// calls may overlap, and one may be made within another. Thread-safe.
class ChangeListeners {
 public:
  ChangeListeners();
  ~ChangeListeners();
  ChangeListeners(const ChangeListeners&) = delete;
  ChangeListeners& operator=(const ChangeListeners&) = delete;

  /// Adds a listener: each notification in that scope calls `changed` until the subscription ends.
  /// A listener may add listeners and end the subscriptions of others, but not its own.
  Subscription Add(std::function<void()> changed,
                   ChangeScope scope = ChangeScope::kAllButGroupStatus);

  /// Calls every listener, in the order in which they were added, without a lock.
  void Notify();
  /// The same for a change that ChangeScope::kAllButGroupStatus does not have.
  void NotifyOfStatus();
  /// The same for a change that only ChangeScope::kAllAndStates has.
  void NotifyOfState();

 private:
  class State;
  const std::shared_ptr<State> state_;  // shared with the subscriptions, which may outlive this
};

}  // namespace outrigger::cluster
