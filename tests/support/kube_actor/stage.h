#pragma once

#include <string>

namespace outrigger::kube_actor {

/// A file that one process at a time may hold, as the kernel sees it: it frees the file when a
/// holder dies, and no clock is involved. Not thread-safe.
class Stage {
 public:
  /// The file exists.
  explicit Stage(const std::string& path);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// False, at once, if another one holds it or the file cannot be opened.
  bool Enter();
  void Leave();

 private:
  const int descriptor_;
};

}  // namespace outrigger::kube_actor
