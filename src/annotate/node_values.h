#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "outrigger/k8s/string_map.h"

// What annotators work on: values by annotation, and changes of them. Plain values.

namespace outrigger::annotate {

/// Annotations by key.
using Annotations = std::map<std::string, std::string, std::less<>>;

/// New texts of annotations by key; nothing: the annotation is removed.
using NodeChange = std::map<std::string, std::optional<std::string>, std::less<>>;

/// An annotation for which there is no value now.
struct MissingValue {
  std::string annotation;
  std::string cause;   // a stable word, for metrics and tables: "no-series"
  std::string detail;  // for people; may be empty
  /// True if nothing is known of the value, since the source failed or is not ready. The annotation
  /// of the node then stays as it is. Otherwise it is removed after some time.
  bool stays = false;
  /// True if it is missing on purpose (a forecast that is switched off): not counted.
  bool is_off = false;
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

}  // namespace outrigger::annotate
