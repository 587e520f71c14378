#include "serve/server/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace outrigger::server {
namespace {

std::string ReadAll(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The boot time in seconds since the epoch, or 0.
double BootSeconds() {
  std::istringstream lines(ReadAll("/proc/stat"));
  std::string key;
  while (lines >> key) {
    double value = 0;
    if (key == "btime" && lines >> value) return value;
    std::getline(lines, key);
  }
  return 0;
}

double OpenFds() {
  std::error_code error;
  const std::filesystem::directory_iterator fds("/proc/self/fd", error);
  // One of them is the iterator's own.
  return error ? 0 : static_cast<double>(std::distance(begin(fds), end(fds)) - 1);
}

double MaxFds() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<double>(limit.rlim_cur) : 0;
}

}  // namespace

std::optional<ProcStat> ParseProcStat(std::string_view text) {
  // The second field is the name in parentheses and may hold anything, ") " too.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  std::istringstream rest{std::string(text.substr(name_end + 1))};
  const std::vector<std::string> fields{std::istream_iterator<std::string>(rest), {}};
  const auto field = [&](size_t number) {  // as proc(5) counts: the first here is 3
    return number - 3 < fields.size() ? std::strtod(fields[number - 3].c_str(), nullptr) : 0;
  };
  if (fields.size() < 22) return std::nullopt;
  return ProcStat{.cpu_ticks = field(14) + field(15),
                  .threads = field(20),
                  .start_ticks = field(22),
                  .virtual_bytes = field(23),
                  .resident_pages = field(24)};
}

std::optional<ProcessFigures> ReadProcessFigures() {
  const auto stat = ParseProcStat(ReadAll("/proc/self/stat"));
  if (!stat) return std::nullopt;
  static const double boot_seconds = BootSeconds();
  static const auto ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  static const auto page_bytes = static_cast<double>(::sysconf(_SC_PAGESIZE));
  return ProcessFigures{.cpu_seconds = stat->cpu_ticks / ticks_per_second,
                        .virtual_bytes = stat->virtual_bytes,
                        .resident_bytes = stat->resident_pages * page_bytes,
                        .start_seconds = boot_seconds + stat->start_ticks / ticks_per_second,
                        .threads = stat->threads,
                        .open_fds = OpenFds(),
                        .max_fds = MaxFds()};
}

}  // namespace outrigger::server
