#include "demand/text.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::pigeon {
namespace {

constexpr std::string_view kForm = "outrigger-pigeon-demand";
constexpr std::string_view kVersion = "1";
// The product of two amounts of at most 1e30.
constexpr double kMostNumber = 1e60;

/// Takes the lines of a text apart, one after the other.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  /// The words of the next line after its first one, which must be `key`.
  absl::StatusOr<std::vector<std::string_view>> Next(std::string_view key) {
    ++number_;
    const size_t end = rest_.find('\n');
    std::vector<std::string_view> words = Words(rest_.substr(0, end));
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (words.empty() || words[0] != key) return Wrong(fmt::format("\"{} ...\" is expected", key));
    words.erase(words.begin());
    return words;
  }
  absl::Status Wrong(std::string_view what) const {
    return absl::InvalidArgumentError(fmt::format("line {}: {}", number_, what));
  }
  bool AtEnd() const { return Trimmed(rest_).empty(); }

 private:
  static std::vector<std::string_view> Words(std::string_view line) {
    std::vector<std::string_view> words;
    line = Trimmed(line);
    while (!line.empty()) {
      const size_t end = line.find(' ');
      words.push_back(line.substr(0, end));
      line = end == std::string_view::npos ? std::string_view() : Trimmed(line.substr(end));
    }
    return words;
  }

  std::string_view rest_;
  size_t number_ = 0;
};

template <typename T, typename... Base>
std::optional<T> NumberFrom(std::string_view text, Base... base) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

absl::StatusOr<std::vector<double>> ReadNumbers(LineReader* lines, std::string_view key,
                                                size_t count) {
  const auto words = lines->Next(key);
  if (!words.ok()) return words.status();
  if (words->size() != count) return lines->Wrong(fmt::format("{} numbers are expected", count));
  std::vector<double> numbers;
  for (const std::string_view word : *words) {
    const auto number = NumberFrom<double>(word);
    if (!number || !(*number >= 0 && *number <= kMostNumber)) {
      return lines->Wrong(fmt::format("\"{}\" is not a number from 0 to {}",
                                      Printable(Shortened(word, 40)), kMostNumber));
    }
    numbers.push_back(*number);
  }
  return numbers;
}

absl::StatusOr<int> ReadPods(LineReader* lines) {
  const auto words = lines->Next("pods");
  if (!words.ok()) return words.status();
  const auto pods = words->size() == 1 ? NumberFrom<int>((*words)[0]) : std::nullopt;
  if (!pods || *pods < 0 || *pods > Demand::kMostPods) {
    return lines->Wrong(
        fmt::format("a number of pods from 0 to {} is expected", Demand::kMostPods));
  }
  return *pods;
}

absl::StatusOr<std::vector<uint64_t>> ReadCounted(LineReader* lines) {
  constexpr int kHex = 16;
  const auto words = lines->Next("counted");
  if (!words.ok()) return words.status();
  if (words->size() > DemandBook::kMostStored) return lines->Wrong("too many pods");
  std::vector<uint64_t> ids;
  for (const std::string_view word : *words) {
    const auto id = NumberFrom<uint64_t>(word, kHex);
    if (!id || word.size() != 16) return lines->Wrong("a pod is 16 hexadecimal digits");
    ids.push_back(*id);
  }
  return ids;
}

absl::Status ReadHead(LineReader* lines) {
  const auto words = lines->Next(kForm);
  if (!words.ok()) return words.status();
  if (words->size() == 1 && (*words)[0] == kVersion) return absl::OkStatus();
  return lines->Wrong(fmt::format("it has version {}, this program reads version {}",
                                  words->empty() ? "\"\"" : Printable(Shortened((*words)[0], 40)),
                                  kVersion));
}

// Where each of `resources` is among the names.
absl::StatusOr<std::vector<size_t>> Places(const std::vector<std::string_view>& names,
                                           const Resources& resources) {
  std::vector<size_t> places;
  for (size_t i = 0; i < resources.size(); ++i) {
    size_t at = 0;
    while (at < names.size() && names[at] != resources[i].name) ++at;
    if (at == names.size()) {
      return absl::FailedPreconditionError(
          fmt::format("it has no data for {}, which now counts", resources[i].name));
    }
    places.push_back(at);
  }
  return places;
}

// Which of the numbers of a lower triangle is that of row `i` and column `j`.
size_t InTriangle(size_t i, size_t j) {
  const size_t row = std::max(i, j);
  return row * (row + 1) / 2 + std::min(i, j);
}

}  // namespace

std::string PrintDemand(const DemandState& state, const Resources& resources) {
  std::string text = fmt::format("{} {}\nresources", kForm, kVersion);
  for (size_t i = 0; i < resources.size(); ++i) text += " " + resources[i].name;
  text += fmt::format("\npods {}\nmean", state.demand.pods());
  for (size_t i = 0; i < resources.size(); ++i) text += fmt::format(" {}", state.demand.mean(i));
  text += "\nsquares";
  for (size_t i = 0; i < resources.size(); ++i) {
    for (size_t j = 0; j <= i; ++j) text += fmt::format(" {}", state.demand.square(i, j));
  }
  text += "\ncounted";
  for (const uint64_t id : state.pods) text += fmt::format(" {:016x}", id);
  return text + "\n";
}

absl::StatusOr<DemandState> ParseDemand(std::string_view text, const Resources& resources) {
  if (text.size() > kMostStateText) {
    return absl::InvalidArgumentError(fmt::format("it is longer than {} bytes", kMostStateText));
  }
  LineReader lines(text);
  absl::Status head = ReadHead(&lines);
  if (!head.ok()) return head;
  const auto names = lines.Next("resources");
  if (!names.ok()) return names.status();
  if (names->empty() || names->size() > kMostResources) {
    return lines.Wrong(fmt::format("1 to {} names are expected", kMostResources));
  }
  const size_t count = names->size();
  const auto pods = ReadPods(&lines);
  if (!pods.ok()) return pods.status();
  const auto mean = ReadNumbers(&lines, "mean", count);
  if (!mean.ok()) return mean.status();
  const auto squares = ReadNumbers(&lines, "squares", count * (count + 1) / 2);
  if (!squares.ok()) return squares.status();
  auto counted = ReadCounted(&lines);
  if (!counted.ok()) return counted.status();
  if (!lines.AtEnd()) return lines.Wrong("nothing is expected after it");
  const auto places = Places(*names, resources);
  if (!places.ok()) return places.status();

  std::vector<double> own_mean;
  std::vector<double> own_squares;
  for (const size_t a : *places) {
    own_mean.push_back((*mean)[a]);
    for (const size_t b : *places) own_squares.push_back((*squares)[InTriangle(a, b)]);
  }
  return DemandState{Demand(*pods, std::move(own_mean), std::move(own_squares)),
                     *std::move(counted)};
}

}  // namespace outrigger::pigeon
