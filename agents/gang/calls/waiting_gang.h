#pragma once

#include <condition_variable>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "calls/barrier.h"

// What a barrier knows of a gang; for the sources of Barriers alone.

namespace outrigger::gang {

struct Barriers::Waiter {
  enum class State { kWaiting, kGo, kFailed };
  std::string uid;
  std::string node;
  std::string role;
  std::stop_token abandoned;
  BarrierOptions::Time longest;   // until when its call may last
  BarrierOptions::Time deadline;  // until when it waits: that, or when its gang gives up
  std::condition_variable wake;
  State state = State::kWaiting;
  std::string why;  // kFailed
};

struct Barriers::WaitingGang {
  std::map<std::string, Waiter*, std::less<>> waiters;
  // Let through and not bound yet, and bound without the board showing it.
  std::map<std::string, std::string, std::less<>> committing;  // UID to role
  std::map<std::string, std::string, std::less<>> bound;
  std::optional<BarrierOptions::Time> since;  // the first waiter
  bool had_open_claims = false;               // since then
};

}  // namespace outrigger::gang
