#pragma once

#include <optional>
#include <string_view>

namespace outrigger::server {

/// Figures of this process under the names that all Prometheus client libraries use.
struct ProcessFigures {
  double cpu_seconds = 0;
  double virtual_bytes = 0;
  double resident_bytes = 0;
  double start_seconds = 0;  // since the epoch
  double threads = 0;
  double open_fds = 0;
  double max_fds = 0;
};

/// Nothing if /proc cannot be read.
std::optional<ProcessFigures> ReadProcessFigures();

/// What /proc/<pid>/stat says: cpu, memory, threads, and the start as ticks since boot (proc(5)).
struct ProcStat {
  double cpu_ticks = 0;
  double threads = 0;
  double start_ticks = 0;
  double virtual_bytes = 0;
  double resident_pages = 0;
};
std::optional<ProcStat> ParseProcStat(std::string_view text);

}  // namespace outrigger::server
