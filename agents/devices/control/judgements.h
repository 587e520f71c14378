#pragma once

#include <string>
#include <vector>

#include "outrigger/devices/allocator.h"
#include "outrigger/devices/objects.h"
#include "outrigger/devices/selectors.h"
#include "store/contents.h"

// What statuses of claims and classes should say. Pure.

namespace outrigger::devices::agent {

/// What is to be said of a claim without devices.
struct ClaimJudgement {
  ClaimState state = ClaimState::kPending;  ///< or kInvalid: its spec must change
  std::string message;                      ///< empty: nothing is in its way
  friend bool operator==(const ClaimJudgement&, const ClaimJudgement&) = default;
};

ClaimJudgement JudgeClaim(const Contents& contents, const Allocator& allocator,
                          const ClaimObject& claim);

/// What is to be said of a class.
struct ClassJudgement {
  bool ready = false;
  std::string reason;  ///< "DriverFound", "PoolsFound", "NoDriver", "Invalid"
  std::string message;
  std::vector<std::string> drivers;
  friend bool operator==(const ClassJudgement&, const ClassJudgement&) = default;
};

ClassJudgement JudgeClass(const Contents& contents, const Selectors& selectors, const Class& of);

}  // namespace outrigger::devices::agent
