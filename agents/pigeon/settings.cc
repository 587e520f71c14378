#include "settings.h"

#include <sys/stat.h>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

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
    config->notes.push_back(fmt::format("line {}: \"{}\" is not \"key = value\"", number,
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

namespace {

using Given = std::set<std::string, std::less<>>;

// Read in place of the names of the cluster where the original's arithmetic is asked for.
constexpr std::string_view kOriginalGpu = "gpu";

absl::StatusOr<ConfigFile> ReadConfig(const Settings& settings, const Given& given) {
  if (settings.config.empty()) return ConfigFile();
  const absl::StatusOr<std::string> text = ReadConfigText(settings.config);
  if (absl::IsNotFound(text.status()) && !given.contains("config")) return ConfigFile();
  if (!text.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("config: {}", std::string(text.status().message())));
  }
  ConfigFile config = ParseConfig(*text, settings.original_arithmetic);
  for (std::string& note : config.notes) note = fmt::format("{}: {}", settings.config, note);
  return config;
}

// The setting, or the file, or the default. A word in the file that is no objective means
// A_BINPACK, as it always did.
Objective ChooseObjective(const Settings& settings, const Given& given, const ConfigFile& config,
                          Options* options) {
  const auto own = ObjectiveOf(settings.objective).value_or(Objective::kBinPack);
  if (!config.objective) return own;
  const auto from_file = ObjectiveOf(*config.objective);
  options->original_counts = from_file.value_or(Objective::kBinPack) == Objective::kBinPack;
  if (!from_file) {
    options->notes.push_back(
        fmt::format("{}: policyObjective = \"{}\" is none of {}; A_BINPACK is used",
                    settings.config, Printable(Shortened(*config.objective, 80)), kObjectiveNames));
  }
  return given.contains("objective") ? own : from_file.value_or(Objective::kBinPack);
}

absl::StatusOr<Resources> ChooseResources(const Settings& settings) {
  const auto first = static_cast<size_t>(settings.num_resources);
  if (settings.original_arithmetic) {
    if (!settings.resources.empty()) {
      return absl::InvalidArgumentError(
          "resources and original-arithmetic exclude each other: the original supports only "
          "num-resources");
    }
    return Resources::First(first, kOriginalGpu);
  }
  if (settings.resources.empty()) return Resources::First(first, settings.gpu_resource);
  return Resources::Parse(settings.resources, settings.gpu_resource);
}

std::string ListOf(const Resources& resources) {
  std::string text;
  for (size_t i = 0; i < resources.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", resources[i].name);
  }
  return text;
}

// An index that leads nowhere is an error only where it decides something: the original then read
// whatever memory was there.
absl::StatusOr<size_t> PrimeFromFile(const Settings& settings, const std::string& index,
                                     Options* options) {
  size_t place = 0;
  const std::string_view digits = Trimmed(index);
  const char* const end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, place);
  if (error == std::errc() && at == end && place < options->resources.size()) return place;
  const std::string why = fmt::format("{}: policyResourceIndex = \"{}\" is not in 0 to {} ({})",
                                      settings.config, Printable(Shortened(index, 80)),
                                      options->resources.size() - 1, ListOf(options->resources));
  if (options->objective != Objective::kBinPack) return absl::InvalidArgumentError(why);
  options->notes.push_back(why);
  return 0;
}

absl::StatusOr<size_t> ChoosePrime(const Settings& settings, const ConfigFile& config,
                                   Options* options) {
  if (settings.prime_resource.empty()) {
    if (!config.index) return 0;
    return PrimeFromFile(settings, *config.index, options);
  }
  const size_t place = options->resources.Find(settings.prime_resource);
  if (place < options->resources.size()) return place;
  return absl::InvalidArgumentError(fmt::format(
      "prime-resource: \"{}\" is not accepted; expected one of the resources that count ({})",
      Printable(Shortened(settings.prime_resource, 80)), ListOf(options->resources)));
}

}  // namespace

absl::StatusOr<Options> OptionsFrom(const Settings& settings, const Given& given) {
  Options options;
  options.original = settings.original_arithmetic;
  auto config = ReadConfig(settings, given);
  if (!config.ok()) return config.status();
  options.notes = config->notes;
  options.objective = ChooseObjective(settings, given, *config, &options);
  auto resources = ChooseResources(settings);
  if (!resources.ok()) return resources.status();
  options.resources = *std::move(resources);
  const auto prime = ChoosePrime(settings, *config, &options);
  if (!prime.ok()) return prime.status();
  options.prime = *prime;
  return options;
}

}  // namespace outrigger::pigeon
