#pragma once

#include <memory>
#include <string>

#include "spdlog/formatter.h"

namespace outrigger::cli {

struct LogOptions {
  std::string level = "info";  // trace, debug, info, warn or error
  bool json = false;
};

/// One message a line, in UTC. Whatever a message holds stays on its line: control characters and
/// bytes that are not UTF-8 are escaped.
///
///     text  2026-07-30T12:00:00.123Z info  listening on 127.0.0.1:9871
///     json  {"time":"2026-07-30T12:00:00.123Z","level":"info","msg":"listening on 127.0.0.1:9871"}
std::unique_ptr<spdlog::formatter> MakeFormatter(bool json);

/// Sends spdlog's default logger to standard error. Call before other threads log.
void StartLogging(const LogOptions& options);

}  // namespace outrigger::cli
