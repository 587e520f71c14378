#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace outrigger::load_bench {

/// Numbers by chance that are the same on every machine, which the standard's distributions are
/// not.
class Chance {
 public:
  explicit Chance(uint64_t seed) : engine_(seed) {}

  /// In [0, 1).
  double Share() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }
  double Between(double low, double high) { return low + (high - low) * Share(); }
  /// In [0, count).
  size_t Below(size_t count) { return static_cast<size_t>(Share() * static_cast<double>(count)); }
  /// Of events that come by chance, the time until the next.
  double Wait(double mean) { return -mean * std::log(1 - Share()); }
  uint64_t Seed() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

/// A value of mean 0 and deviation 1 that depends on both numbers alone.
inline double NormalOf(uint64_t seed, uint64_t at) {
  // SplitMix64, twice.
  const auto mix = [](uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
  };
  const uint64_t a = mix(seed ^ mix(at));
  const uint64_t b = mix(a);
  const double u = (static_cast<double>(a >> 11U) + 1) * 0x1p-53;
  const double v = static_cast<double>(b >> 11U) * 0x1p-53;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

}  // namespace outrigger::load_bench
