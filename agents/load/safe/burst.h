#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "outrigger/agent/request.h"
#include "statistics.h"

// What a mean over a window does not hold of pods that came, or still holds of pods that went.

namespace outrigger::safe {

/// The annotation in which an annotator states of which time its statistics are:
/// "2026-03-01T12:00:00Z/300s", the end of the window (RFC 3339) and its length.
inline constexpr std::string_view kMeasuredAnnotation = "outrigger.dev/usage-measured";

/// A window of time: its end, in seconds since 1970 (UTC), and its length in seconds, 0 or more.
struct Window {
  double end = 0;
  double length = 0;
  friend bool operator==(const Window&, const Window&) = default;
};

/// Reads the value of kMeasuredAnnotation; nothing where it is none. The length is at most
/// kLongestWindow.
std::optional<Window> ParseMeasured(std::string_view text);
/// ParseMeasured() of the node's annotation; nothing where it has none, or another text, which is
/// reported.
std::optional<Window> ReadMeasured(const Request& request, const Node& node);
/// What ParseMeasured() accepts, for people.
inline constexpr std::string_view kMeasuredForm =
    "the end of the window and its length, as in 2026-03-01T12:00:00Z/300s";
inline constexpr double kLongestWindow = 366.0 * 24 * 3600;

/// How long a pod is on a node, and what it is expected to use there.
struct Stay {
  double begin = 0;  ///< in seconds since 1970; kNever: it has not begun
  double end = kNever;
  Amounts expected = {};

  static constexpr double kNever = std::numeric_limits<double>::infinity();
  bool Lasts() const { return end == kNever; }
};

/// The share of `window` during which the pod was there: how much of its use a mean over it holds.
///
///     clamp((min(end, E) - max(begin, E - W)) / W, 0, 1)
///
/// for a window of W seconds that ends at E. A measurement of an instant (W = 0) holds all of a pod
/// that was there, and nothing of others.
double ShareIn(const Window& window, const Stay& stay);

/// What is to be added to a mean over `window`: of a pod that is there what the mean does not hold,
/// expected * (1 - ShareIn()), and of one that has gone what it still holds, -expected * ShareIn().
Amounts Correction(const Window& window, std::span<const Stay> stays);

/// True if the pod adds nothing to Correction(), for this window and all that end later.
bool IsPast(const Window& window, const Stay& stay);

}  // namespace outrigger::safe
