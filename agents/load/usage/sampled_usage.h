#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load/usage/moments.h"
#include "load/usage/source.h"

namespace outrigger::usage {

/// What a node used at one moment, as a source reports it.
struct UsedNow {
  std::string name;
  int64_t time_ms = 0;                  // Unix time; 0: not given
  std::chrono::milliseconds covers{0};  // the time that it is a mean of
  // Millicores, bytes; none where the text was no amount, or missing.
  std::optional<double> cpu, memory;
};

/// The window of each node, for sources that report moments. All end at the newest sample's time,
/// at most now; a clock that is wrong harms its own node alone. Not thread-safe.
class SampledUsage {
 public:
  SampledUsage(std::chrono::milliseconds window, bool forecast)
      : window_(window), forecast_(forecast) {}

  /// Adds the samples and reads the window of each node that is asked for; forgets all others.
  /// Samples without a time, or with one in the future, are of `now_ms`. `source` is named in
  /// details ("metrics.k8s.io").
  Reading Take(std::span<const NodeQuestion> nodes, std::span<const UsedNow> samples,
               int64_t now_ms, std::string_view source);

 private:
  struct Window {
    explicit Window(std::chrono::milliseconds window)
        : cpu(window, kWindowsOfHistory * window), memory(window, kWindowsOfHistory * window) {}
    WindowedMoments cpu, memory;
    int64_t given_ms = 0;  // the last sample's time, as the source gave it; 0: it gave none
    int64_t last_ms = 0;   // the same, as it counts: never in the future
  };

  /// False: the node's clock went back, so that its window begins again.
  bool Add(const NodeQuestion& node, const UsedNow& sample, int64_t now_ms, Window* window) const;
  NodeReading ReadNode(const NodeQuestion& node, const UsedNow& sample, int64_t end_ms,
                       const Window& window) const;
  Free FreeOf(const WindowedMoments& used, double allocatable,
              std::optional<std::string_view> fault, int64_t end_ms) const;

  std::chrono::milliseconds window_;
  bool forecast_;
  std::map<std::string, Window, std::less<>> windows_;
};

}  // namespace outrigger::usage
