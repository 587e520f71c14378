#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "kube/watch/reflector_state.h"

namespace outrigger::cli {

/// Writes to the log when following the API server begins to work, fails, and works again; not each
/// attempt. Not thread-safe.
class FollowLog {
 public:
  /// `counts`: that a kind is known for the first time is written, too, with how many there are.
  explicit FollowLog(std::function<std::vector<kube::ReflectorState>()> states, bool counts = true)
      : states_(std::move(states)), counts_(counts) {}
  ~FollowLog() { Stop(); }

  /// Looks about once a second, on a thread of its own.
  void Start();
  void Stop();

  /// What is to be said of `now`, where `before` was said of the time before (null: nothing yet).
  /// An empty text: nothing.
  static std::string Line(const kube::ReflectorState* before, const kube::ReflectorState& now,
                          bool counts = true);

 private:
  void Look();

  const std::function<std::vector<kube::ReflectorState>()> states_;
  const bool counts_;
  std::vector<kube::ReflectorState> said_;
  std::jthread thread_;
};

}  // namespace outrigger::cli
