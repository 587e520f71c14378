#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/name_map.h"
#include "rule/experience.h"

namespace outrigger::reward {

/// What is known of a type at a moment. Immutable.
struct TypeScores {
  struct Node {
    double score = 1;
    double value = 1;
    Experience::Pair pair;
  };
  Sums all;
  double mean = 1;
  Seconds at = 0;
  uint64_t revision = 0;  // Experience::Revision() of then
  /// The nodes on which the type has failed; all others score 1.
  NameMap<Node> nodes;
};

/// The experience, and what follows from it for the types that were asked for last. Thread-safe.
class Scoreboard {
 public:
  /// Scores are worked out again after so many seconds, because of decay and of what has changed.
  static constexpr Seconds kFresh = 1;
  static constexpr Seconds kDecays = 30;
  static constexpr size_t kRememberedTypes = 64;

  explicit Scoreboard(const Rule& rule) : experience_(rule) {}

  /// Never null. Waits for Use() only where the type was not asked for lately.
  std::shared_ptr<const TypeScores> ScoresOf(std::string_view type, Seconds now) const;
  /// Takes `experience` in the place of what there was.
  void Replace(Experience experience);
  /// Reads or changes the experience; calls of the scheduler may wait for it.
  void Use(absl::FunctionRef<void(Experience* experience)> use);
  void Read(absl::FunctionRef<void(const Experience& experience)> read) const;

 private:
  std::shared_ptr<const TypeScores> Remembered(std::string_view type) const;
  void Remember(std::string_view type, std::shared_ptr<const TypeScores> scores) const;

  mutable std::mutex mutex_;
  Experience experience_;  // with mutex_
  mutable std::mutex remembered_mutex_;
  mutable NameMap<std::shared_ptr<const TypeScores>> remembered_;
};

}  // namespace outrigger::reward
