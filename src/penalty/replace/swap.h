#pragma once

#include <functional>

namespace outrigger::penalty {

/// The two halves of a swap, for what runs them side by side. Both are called on until they are
/// over, on two threads or in turns on one.
struct SwapCalls {
  /// Sends DELETE; returns when it was answered. To be called once.
  std::function<void()> remove;
  /// Sends CREATE once. True: it is over. While DELETE is not answered, a class that is still there
  /// is no end; nor is it for a CREATE that was sent before that answer. It waits for that answer
  /// if it was called very often.
  std::function<bool()> create;
};

/// Runs them on this thread and one of its own: CREATE is sent as soon as DELETE is, not a round
/// trip later, and again until the class is gone.
void RunSideBySide(const SwapCalls& calls);

}  // namespace outrigger::penalty
