#pragma once

#include <cstdint>

namespace outrigger::desk {

/// How the agents of a process work with their scheduler.
enum class Mode : uint8_t {
  kExtender,  ///< the scheduler calls them
  /// No scheduler calls them: places are held by nominations, pods wait at gates, and what the
  /// scheduler has refused is read from conditions. Nothing holds a gang together once it is let
  /// go.
  kAlone,
};

}  // namespace outrigger::desk
