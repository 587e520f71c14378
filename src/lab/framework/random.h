#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace outrigger::lab {

/// Chance, repeatable: the same seed gives the same choices on every machine. For one thread.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  /// One of 0 to count - 1, each as likely (the bias is below count / 2^64). `count` is not 0.
  size_t Pick(size_t count) { return static_cast<size_t>(engine_() % count); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace outrigger::lab
