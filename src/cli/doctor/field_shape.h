#pragma once

#include <cstdint>
#include <span>

namespace outrigger::cli {

enum class FieldType : uint8_t {
  kText,
  kInteger,
  kNumber,
  kTruth,
  kDuration,
  kMap,
  kList,  ///< of mappings
  kAny,
};

/// A field of a configuration and what it accepts.
struct FieldShape {
  const char* name;
  FieldType type;
  std::span<const FieldShape> of = {};  ///< of a mapping, or of a list's elements
};

}  // namespace outrigger::cli
