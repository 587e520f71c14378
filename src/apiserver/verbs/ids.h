#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "outrigger/base/mutex.h"

namespace outrigger::apiserver {

/// UIDs and the ends of generated names. Thread-safe.
class Ids {
 public:
  explicit Ids(uint64_t seed) : random_(seed) {}
  /// A version 4 UUID.
  std::string Uid();
  /// Five characters that make no words (apimachinery's SimpleNameGenerator).
  std::string NameEnd();

 private:
  Mutex mutex_;
  std::mt19937_64 random_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::apiserver
