#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "cli/serve/options.h"
#include "console/settings/setting_group.h"
#include "sdk/base/environment.h"

namespace outrigger::cli {

/// Sets what --original means in `options`: the address, and a warning if that opens the port to
/// all. --bind and --port of `server` win. Returns the port where --port is not given: HTTP_PORT,
/// else 80. InvalidArgument names a bad HTTP_PORT.
absl::StatusOr<uint16_t> ListenAsOriginal(const SettingGroup& server,
                                          const Environment& environment, ServeOptions* options);

}  // namespace outrigger::cli
