#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <thread>

namespace outrigger::cli {

/// Shows on a terminal, in a line that is written again and again, how far a long pass over nodes
/// is. Writes nothing while few nodes are pending.
class Progress {
 public:
  /// Fewer pending nodes than that are no long pass.
  static constexpr size_t kLong = 100;

  Progress(double qps, std::ostream* terminal) : qps_(qps), terminal_(*terminal) {}

  /// Shows that so many nodes wait for their patch.
  void Show(size_t pending);

  /// "1200 of 5000 nodes written, about 76 s left"; empty: there is nothing to show.
  std::string Text(size_t pending);

 private:
  const double qps_;
  std::ostream& terminal_;
  size_t most_ = 0;  // of the pass
  bool is_shown_ = false;
};

}  // namespace outrigger::cli
