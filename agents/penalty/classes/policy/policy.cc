#include "penalty/classes/policy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "fmt/format.h"
#include "penalty/classes/policy/text.h"

namespace outrigger::penalty {
namespace {

constexpr Millis kLongest = 315'360'000'000;  // ten years
constexpr std::string_view kFlat = "flat";
constexpr std::string_view kMultiplicative = "multiplicative";
constexpr std::string_view kAnIncrement = "\"flat N\", or \"multiplicative N\" with N from 0 to 1";
constexpr std::string_view kAValue = "an integer from -2147483648 to 1000000000";

absl::Status NotAccepted(std::string_view setting, std::string_view value,
                         std::string_view accepted) {
  return absl::InvalidArgumentError(
      fmt::format("{}: {} is not accepted; expected {}", setting, value, accepted));
}

absl::Status SetIncrement(std::string_view setting, std::string_view text, Increment* increment) {
  if (ParseIncrement(text, increment).ok()) return absl::OkStatus();
  return NotAccepted(setting, Quoted(text), kAnIncrement);
}

absl::Status SetTime(std::string_view setting, std::string_view text, Millis* time) {
  const std::optional<double> seconds = NumberOf(text);
  if (!seconds || std::abs(*seconds) > 1e12) {
    return NotAccepted(setting, Quoted(text), "a number of seconds, at most ten years");
  }
  *time = std::llround(*seconds * 1000);
  return absl::OkStatus();
}

absl::Status SetNumber(std::string_view setting, std::string_view text, double* number) {
  const std::optional<double> parsed = NumberOf(text);
  if (!parsed) return NotAccepted(setting, Quoted(text), "a number");
  *number = *parsed;
  return absl::OkStatus();
}

absl::Status SetValue(std::string_view setting, std::string_view text,
                      std::optional<int64_t>* value) {
  const std::optional<int64_t> parsed = IntegerOf(text);
  if (!parsed) return NotAccepted(setting, Quoted(text), "an integer");
  *value = *parsed;
  return absl::OkStatus();
}

absl::Status SetKind(std::string_view setting, std::string_view text, Recovery::Kind* kind) {
  if (text != "half-life" && text != "steps") {
    return NotAccepted(setting, Quoted(text), "half-life or steps");
  }
  *kind = text == "steps" ? Recovery::Kind::kSteps : Recovery::Kind::kHalfLife;
  return absl::OkStatus();
}

absl::Status SetBool(std::string_view setting, std::string_view text, bool* value) {
  if (text != "true" && text != "false") {
    return NotAccepted(setting, Quoted(text), "true or false");
  }
  *value = text == "true";
  return absl::OkStatus();
}

using SetText = absl::Status (*)(std::string_view setting, std::string_view text, Policy* policy);

// Both in the order of the documentation.
constexpr std::array<std::string_view, 12> kNames = {
    "start", "completion", "recovery", "half-life", "step",    "step-interval",
    "grace", "coalesce",   "quantum",  "floor",     "ceiling", "allow-crossing"};
constexpr std::array<SetText, 12> kSetters = {
    [](auto setting, auto text, auto* to) { return SetIncrement(setting, text, &to->start); },
    [](auto setting, auto text, auto* to) { return SetIncrement(setting, text, &to->completion); },
    [](auto setting, auto text, auto* to) { return SetKind(setting, text, &to->recovery.kind); },
    [](auto setting, auto text, auto* to) {
      return SetTime(setting, text, &to->recovery.half_life);
    },
    [](auto setting, auto text, auto* to) { return SetNumber(setting, text, &to->recovery.step); },
    [](auto setting, auto text, auto* to) {
      return SetTime(setting, text, &to->recovery.step_interval);
    },
    [](auto setting, auto text, auto* to) { return SetTime(setting, text, &to->grace); },
    [](auto setting, auto text, auto* to) { return SetTime(setting, text, &to->coalesce); },
    [](auto setting, auto text, auto* to) { return SetValue(setting, text, &to->quantum); },
    [](auto setting, auto text, auto* to) { return SetValue(setting, text, &to->floor); },
    [](auto setting, auto text, auto* to) { return SetValue(setting, text, &to->ceiling); },
    [](auto setting, auto text, auto* to) { return SetBool(setting, text, &to->allow_crossing); }};

bool IsAccepted(const Increment& increment) {
  const double most = increment.kind == Increment::Kind::kFlat ? 1e9 : 1;
  return increment.amount >= 0 && increment.amount <= most;  // false for what is no number
}

// A time above `above` and of at most ten years.
absl::Status CheckTime(std::string_view setting, Millis time, Millis above) {
  if (time > above && time <= kLongest) return absl::OkStatus();
  return NotAccepted(setting, fmt::format("{} s", static_cast<double>(time) / 1000),
                     above < 0 ? "0 s to ten years" : "more than 0 s, at most ten years");
}

absl::Status CheckValue(std::string_view setting, const std::optional<int64_t>& value) {
  if (!value || (*value >= kLowestValue && *value <= kHighestValue)) return absl::OkStatus();
  return NotAccepted(setting, fmt::format("{}", *value), kAValue);
}

}  // namespace

const std::string_view* SettingNames::begin() const {
  return kNames.data();
}
const std::string_view* SettingNames::end() const {
  return kNames.data() + kNames.size();
}

absl::Status Policy::Set(std::string_view setting, std::string_view text) {
  const auto found = std::find(kNames.begin(), kNames.end(), setting);
  if (found == kNames.end()) {
    return absl::InvalidArgumentError(
        fmt::format("{} is not a setting of a class", Quoted(setting)));
  }
  return kSetters[static_cast<size_t>(std::distance(kNames.begin(), found))](setting, text, this);
}

absl::Status Policy::Validate() const {
  if (!IsAccepted(start)) return NotAccepted("start", IncrementText(start), kAnIncrement);
  if (!IsAccepted(completion)) {
    return NotAccepted("completion", IncrementText(completion), kAnIncrement);
  }
  if (!(recovery.step >= 0.001 && recovery.step <= 1e9)) {
    return NotAccepted("step", fmt::format("{}", recovery.step), "a number from 0.001 to 1e9");
  }
  if (quantum && (*quantum < 1 || *quantum > kHighestValue)) {
    return NotAccepted("quantum", fmt::format("{}", *quantum), "an integer from 1 to 1000000000");
  }
  if (floor && ceiling && *floor > *ceiling) {
    return NotAccepted("floor", fmt::format("{}", *floor),
                       fmt::format("at most the ceiling, {}", *ceiling));
  }
  for (const absl::Status& status :
       {CheckTime("half-life", recovery.half_life, 0),
        CheckTime("step-interval", recovery.step_interval, 0), CheckTime("grace", grace, -1),
        CheckTime("coalesce", coalesce, -1), CheckValue("floor", floor),
        CheckValue("ceiling", ceiling)}) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ParseIncrement(std::string_view text, Increment* increment) {
  const size_t blank = text.find(' ');
  const std::string_view kind = text.substr(0, blank);
  const std::optional<double> amount =
      blank == std::string_view::npos ? std::nullopt : NumberOf(text.substr(blank + 1));
  if ((kind != kFlat && kind != kMultiplicative) || !amount) {
    return absl::InvalidArgumentError(
        fmt::format("{} is not accepted; expected {}", Quoted(text), kAnIncrement));
  }
  *increment = {kind == kFlat ? Increment::Kind::kFlat : Increment::Kind::kMultiplicative, *amount};
  return absl::OkStatus();
}

std::string IncrementText(const Increment& increment) {
  return fmt::format("{} {}", increment.kind == Increment::Kind::kFlat ? kFlat : kMultiplicative,
                     increment.amount);
}

int64_t QuantumOf(const Policy& policy, int64_t base) {
  return std::max<int64_t>(1, policy.quantum.value_or(std::abs(base) / 20));
}

}  // namespace outrigger::penalty
