#pragma once

#include <string_view>

namespace outrigger::server {

/// What this program was built from. All texts live for ever.
struct Version {
  std::string_view version;     // "0.1.0"
  std::string_view commit;      // empty when the build was not told (OUTRIGGER_COMMIT)
  std::string_view compiler;    // "gcc 12.2.0"
  std::string_view build_type;  // "Release"
};

const Version& GetVersion();

}  // namespace outrigger::server
