#include "config_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::pigeon {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr size_t kLongestNote = 80;

std::string_view WithoutLeadingBlanks(std::string_view text) {
  const size_t at = text.find_first_not_of(kBlanks);
  return at == std::string_view::npos ? std::string_view() : text.substr(at);
}

void ReadLine(std::string_view line, size_t number, bool keep_blanks, ConfigFile* config) {
  if (Trimmed(line).empty() || line.front() == '#') return;
  const size_t equals = line.find('=');
  const std::string_view before = WithoutLeadingBlanks(line.substr(0, equals));
  const std::string_view key = before.substr(0, before.find_first_of(kBlanks));
  if (equals == std::string_view::npos) {
    config->notes.push_back(fmt::format("line {}: \"{}\" is no \"key = value\"", number,
                                        Printable(Shortened(line, kLongestNote))));
    return;
  }
  std::string_view value = WithoutLeadingBlanks(line.substr(equals + 1));
  if (!keep_blanks) value = Trimmed(value);
  if (key == "policyObjective") {
    config->objective = value;
  } else if (key == "policyResourceIndex") {
    config->index = value;
  } else {
    config->notes.push_back(
        fmt::format("line {}: no such key: \"{}\"; there are policyObjective and "
                    "policyResourceIndex",
                    number, Printable(Shortened(key, kLongestNote))));
  }
}

}  // namespace

ConfigFile ParseConfig(std::string_view text, bool keep_blanks) {
  ConfigFile config;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    ReadLine(text.substr(0, end), number, keep_blanks, &config);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return config;
}

absl::StatusOr<std::string> ReadConfigText(const std::string& path) {
  constexpr size_t kMostBytes = size_t{64} * 1024;
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    const std::string why = std::strerror(errno);
    return errno == ENOENT ? absl::NotFoundError(fmt::format("{}: {}", path, why))
                           : absl::InvalidArgumentError(fmt::format("{}: {}", path, why));
  }
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(fmt::format("{}: not a regular file", path));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::InvalidArgumentError(fmt::format("{}: cannot be read", path));
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > kMostBytes) {
    return absl::InvalidArgumentError(fmt::format("{}: larger than 64 KiB", path));
  }
  return text;
}

}  // namespace outrigger::pigeon
