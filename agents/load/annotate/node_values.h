#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "outrigger/k8s/string_map.h"

// What annotators work on: values by annotation, and changes of them. Plain values.

namespace outrigger::annotate {

/// Annotations by key.
using Annotations = std::map<std::string, std::string, std::less<>>;

/// New texts of annotations by key; nothing: the annotation is removed.
using NodeChange = std::map<std::string, std::optional<std::string>, std::less<>>;

/// What follows from a missing value for the annotation of its node.
enum class Lack : uint8_t {
  kLost,    // the source has no such value: it is removed after some time
  kFailed,  // the source failed at it, though it answered otherwise: the same
  kNotYet,  // nothing at all is known of the node yet: it stays as it is
  kOff,     // on purpose (a forecast that is switched off): as kLost, and not counted
};

/// An annotation for which there is no value now.
struct MissingValue {
  std::string annotation;
  std::string cause;   // a stable word, for metrics and tables: "no-series"
  std::string detail;  // for people; may be empty
  Lack lack = Lack::kLost;
};

/// The window in which values were measured.
struct Measurement {
  int64_t end = 0;     // seconds since 1970, UTC
  int64_t window = 0;  // seconds
  friend bool operator==(const Measurement&, const Measurement&) = default;
};

/// What the annotations of a node should be.
struct NodeValues {
  std::string node;
  std::string series;  // for people: where the source has the node; may be empty
  Annotations values;
  std::vector<MissingValue> missing;
  /// Absent for values that are not measured.
  std::optional<Measurement> measured;
};

/// The annotation with the time and the window of the measured values of a node.
inline constexpr std::string_view kMeasured = "outrigger.dev/usage-measured";

/// "2026-11-26T02:00:00Z/86400s".
std::string PrintMeasurement(const Measurement& measurement);

/// The same back; nothing for any other text.
std::optional<Measurement> ParseMeasurement(std::string_view text);

}  // namespace outrigger::annotate
