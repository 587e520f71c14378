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
  kMap,    ///< without `of`, of any keys
  kList,   ///< of mappings
  kTexts,  ///< a list
  kAny,
};

/// A field of a configuration and what it accepts.
struct FieldShape {
  const char* name;
  FieldType type;
  std::span<const FieldShape> of = {};  ///< of a mapping, or of a list's elements
};

/// What `args` of a plugin accepts.
struct ArgumentsShape {
  const char* plugin;
  std::span<const FieldShape> of;
};

}  // namespace outrigger::cli
