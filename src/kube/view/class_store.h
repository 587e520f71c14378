#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "outrigger/base/clock.h"
#include "outrigger/k8s/priority_class.h"

namespace outrigger::kube {

/// PriorityClasses while they are followed. The value of one that is removed is kept for a while:
/// whoever changes a value deletes the class and creates it again. Not thread-safe.
class ClassStore {
 public:
  using TimePoint = Clock::TimePoint;
  static constexpr std::chrono::seconds kGrace{1};

  /// What has changed: nothing; something of Classes(); something of values(), and maybe of
  /// Classes() too.
  enum class Change : uint8_t { kNone, kClass, kValue };

  /// Of a class that is not known in whole: Classes() does not have it.
  Change PutValue(std::string_view name, int32_t value);
  Change Put(PriorityClass put);
  /// The value goes only by Forget().
  Change Remove(std::string_view name, TimePoint now);

  /// Forgets the values that are due. True: there were some.
  bool Forget(TimePoint now);
  /// When the next value is due.
  std::optional<TimePoint> next_due() const;

  const std::map<std::string, int32_t, std::less<>>& values() const { return values_; }
  /// By name.
  std::vector<PriorityClass> Classes() const;

 private:
  std::map<std::string, int32_t, std::less<>> values_;
  std::map<std::string, PriorityClass, std::less<>> classes_;
  std::map<std::string, TimePoint, std::less<>> due_;  // of removed classes
};

}  // namespace outrigger::kube
