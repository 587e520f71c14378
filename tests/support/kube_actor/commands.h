#pragma once

#include <optional>
#include <string>

namespace outrigger::kube_actor {

/// The lines of standard input, until SIGTERM.
class Commands {
 public:
  /// Blocks SIGTERM for this thread and those that it starts: to be made before all of them.
  Commands();
  ~Commands();
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  /// The next line; nothing at the end of the input and once SIGTERM has come.
  std::optional<std::string> Next();

 private:
  bool Fill();

  int signals_;
  std::string buffer_;
};

}  // namespace outrigger::kube_actor
