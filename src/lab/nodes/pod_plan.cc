#include "lab/nodes/pod_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::lab {
namespace {

constexpr absl::Duration kLongestRun = absl::Hours(24 * 3650);
constexpr size_t kLongestQuote = 60;
constexpr std::string_view kTimes = "a time such as 90s or 1h30m, or exp(5m) for chance";

/// A number in (0, 1] that only depends on the text and the seed (FNV-1a, mixed as in splitmix64).
double ChanceOf(std::string_view text, uint64_t seed) {
  uint64_t hash = 0xcbf29ce484222325U ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebU;
  hash ^= hash >> 31U;
  return (static_cast<double>(hash >> 11U) + 1) / static_cast<double>(uint64_t{1} << 53U);
}

std::optional<absl::Duration> ParseTime(std::string_view text) {
  absl::Duration time;
  if (!absl::ParseDuration({text.data(), text.size()}, &time)) return std::nullopt;
  if (time < absl::ZeroDuration() || time > kLongestRun) return std::nullopt;
  return time;
}

std::optional<absl::Duration> ParseTimeOrChance(std::string_view text, double chance) {
  constexpr std::string_view kExp = "exp(";
  if (!text.starts_with(kExp) || !text.ends_with(')')) return ParseTime(text);
  const auto mean = ParseTime(text.substr(kExp.size(), text.size() - kExp.size() - 1));
  if (!mean) return std::nullopt;
  return std::min(*mean * -std::log(chance), kLongestRun);
}

/// Reads the annotations of one pod.
class PlanReader {
 public:
  PlanReader(const StringMap& annotations, std::string_view uid, uint64_t seed,
             std::vector<std::string>* problems)
      : annotations_(annotations), uid_(uid), seed_(seed), problems_(*problems) {}

  std::optional<Clock::Duration> Time(std::string_view key) {
    const std::string* const text = annotations_.Find(key);
    if (text == nullptr) return std::nullopt;
    const auto time = ParseTimeOrChance(*text, ChanceOf(fmt::format("{}/{}", key, uid_), seed_));
    if (time) return absl::ToChronoNanoseconds(*time);
    Refuse(key, *text, kTimes);
    return std::nullopt;
  }
  int ExitCode() {
    const std::string* const text = annotations_.Find(kExitCodeAnnotation);
    int code = 0;
    if (text == nullptr || (absl::SimpleAtoi(*text, &code) && code >= 0 && code <= 255)) {
      return code;
    }
    Refuse(kExitCodeAnnotation, *text, "0 to 255");
    return 0;
  }

 private:
  void Refuse(std::string_view key, std::string_view text, std::string_view accepted) {
    problems_.push_back(
        fmt::format("annotation {} \"{}\" is not accepted; expected {}. The pod runs without it",
                    key, Shortened(Printable(text), kLongestQuote), accepted));
  }

  const StringMap& annotations_;
  const std::string_view uid_;
  const uint64_t seed_;
  std::vector<std::string>& problems_;
};

}  // namespace

PodPlan ReadPodPlan(const StringMap& annotations, std::string_view uid, uint64_t seed,
                    std::vector<std::string>* problems) {
  PlanReader reader(annotations, uid, seed, problems);
  PodPlan plan;
  plan.start_delay = reader.Time(kStartDelayAnnotation).value_or(Clock::Duration(0));
  plan.duration = reader.Time(kDurationAnnotation);
  plan.stop_delay = reader.Time(kStopDelayAnnotation).value_or(Clock::Duration(0));
  plan.exit_code = reader.ExitCode();
  return plan;
}

}  // namespace outrigger::lab
