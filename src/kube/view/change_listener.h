#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

namespace outrigger::kube {

/// Tells one listener of changes, by whichever threads make them: calls may overlap, and one may be
/// made within another. Thread-safe.
class ChangeListener {
 public:
  /// `changed` is called by each Tell() from now on, instead of the one before; null: nobody is.
  /// Returns when no call of the one before is under way any more, so it must not be called by a
  /// listener, nor with a lock that a listener waits for.
  void Set(std::function<void()> changed);

  void Tell();

 private:
  struct Listener {
    std::function<void()> changed;
    int calls = 0;  // under way
  };

  std::mutex mutex_;  // guards what follows; not held while a listener is called
  std::condition_variable ended_;
  std::shared_ptr<Listener> listener_;
};

}  // namespace outrigger::kube
