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

#include "usage/moments.h"
#include "usage/source.h"

namespace outrigger::usage {

/// What a node used at one moment, as a source reports it.
struct UsedNow {
  std::string name;
  int64_t time_ms = 0;                  // Unix time; 0: not given
  std::chrono::milliseconds covers{0};  // the time that it is a mean of
  // Millicores, bytes; none where the text was no amount, or missing.
  std::optional<double> cpu, memory;
};

/// The window of each node, for sources that report moments. Not thread-safe.
class SampledUsage {
 public:
  SampledUsage(std::chrono::milliseconds window, bool forecast)
      : window_(window), forecast_(forecast) {}

  /// Adds the samples and reads the window of each node that is asked for; forgets all others.
  /// Samples without a time are of `now_ms`. `source` is named in details ("metrics.k8s.io").
  Reading Take(std::span<const NodeQuestion> nodes, std::span<const UsedNow> samples,
               int64_t now_ms, std::string_view source);

 private:
  struct Window {
    WindowedMoments cpu, memory;
  };

  int64_t NewestOf(std::span<const UsedNow> samples, int64_t now_ms) const;
  NodeReading ReadNode(const NodeQuestion& node, const UsedNow& sample, int64_t now_ms,
                       Window* window) const;
  Free FreeOf(const WindowedMoments& used, double allocatable, bool is_amount) const;

  std::chrono::milliseconds window_;
  bool forecast_;
  int64_t end_ms_ = 0;  // the newest sample's time
  std::map<std::string, Window, std::less<>> windows_;
};

}  // namespace outrigger::usage
