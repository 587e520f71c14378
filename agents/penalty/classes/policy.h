#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "penalty/classes/time.h"

// How a class is penalised and how it recovers: settings, without state (docs/penalty.md). Plain
// values; functions are pure and thread-safe.

namespace outrigger::penalty {

/// The largest value of a class that a user may create (the API server's
/// HighestUserDefinablePriority).
inline constexpr int64_t kHighestValue = 1'000'000'000;
/// The smallest: spec.priority is an int32.
inline constexpr int64_t kLowestValue = INT32_MIN;
/// No penalty grows beyond this: it is far more than any two values differ by, and keeps sums
/// finite.
inline constexpr double kMostPenalty = 1e12;

/// By how much one start or one completion raises the penalty.
struct Increment {
  enum class Kind : uint8_t {
    kFlat,            ///< by `amount`
    kMultiplicative,  ///< by `amount` of what is left above the floor: amount * (base - P - floor)
  };
  Kind kind = Kind::kFlat;
  double amount = 0;  // kFlat: 0..1e9; kMultiplicative: 0..1
  friend bool operator==(const Increment&, const Increment&) = default;
};

/// How a penalty P0 falls while nothing is counted. `dt` is the time since the last count, less
/// Policy::grace, at least 0.
struct Recovery {
  enum class Kind : uint8_t {
    kHalfLife,  ///< P = P0 * 2^(-dt / half_life)
    kSteps,     ///< P = max(0, P0 - step * floor(dt / step_interval))
  };
  Kind kind = Kind::kHalfLife;
  Millis half_life = 3'600'000;  // kHalfLife
  double step = 50;              // kSteps; in units of a class's value
  Millis step_interval = 60'000;
  friend bool operator==(const Recovery&, const Recovery&) = default;
};

/// All settings of one class, or the defaults of all classes.
struct Policy {
  Increment start = {Increment::Kind::kMultiplicative, 0.1};
  Increment completion = {Increment::Kind::kMultiplicative, 0.05};
  Recovery recovery;
  Millis grace = 300'000;  // no recovery for so long after a count
  /// A penalty is written so long after the first count that it is for: what is counted meanwhile
  /// is written with it.
  Millis coalesce = 1'000;
  /// A recovering value is written once it has risen by so much, or is back. Nothing: base / 20.
  std::optional<int64_t> quantum;
  std::optional<int64_t> floor;    // nothing: as FloorOf() finds it (bounds.h)
  std::optional<int64_t> ceiling;  // nothing: kHighestValue
  bool allow_crossing = false;     // `floor` may lie below other classes and bands of values
  friend bool operator==(const Policy&, const Policy&) = default;

  /// Sets one setting by its name ("half-life"; SettingNames() has them) from text. Times are in
  /// seconds. Does not Validate(). InvalidArgument names setting, value and what is accepted.
  absl::Status Set(std::string_view setting, std::string_view text);
  /// InvalidArgument names the setting, its value and what is accepted.
  absl::Status Validate() const;
};

/// The names that Policy::Set() takes, in the order in which they are documented.
struct SettingNames {
  const std::string_view* begin() const;
  const std::string_view* end() const;
};

/// Reads "flat 50" or "multiplicative 0.1". InvalidArgument says what is accepted.
absl::Status ParseIncrement(std::string_view text, Increment* increment);
/// Writes what ParseIncrement() reads as the same increment.
std::string IncrementText(const Increment& increment);

/// The quantum of a class with that base: the policy's, or a twentieth of base; at least 1.
int64_t QuantumOf(const Policy& policy, int64_t base);

}  // namespace outrigger::penalty
