#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "demand/book.h"
#include "demand/resources.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/state_store.h"

namespace outrigger::pigeon {

/// Keeps a DemandBook in a store: reads what is stored, and stores what is new now and then. Of two
/// processes that store, the later one reads first what the earlier one stored, and adds its own.
/// All methods belong to one thread.
class DemandKeeper {
 public:
  /// `book` and `resources` outlive this. `deps` says where it reports.
  DemandKeeper(std::unique_ptr<StateStore> store, DemandBook* book, const Resources* resources,
               const AgentDeps& deps);

  /// Reads what is stored, unless that was done, and stores what is new. What fails is tried again
  /// in the next round.
  void Round(const CallLimits& limits);
  /// Rounds every `interval` until stop is requested.
  void Run(std::chrono::milliseconds interval, const std::stop_token& stop);

 private:
  enum class Phase : uint8_t {
    kUnread,  // what is stored is not known, or no longer
    kRead,    // `version_` is stored, and is in the book
  };
  enum class Saved : uint8_t { kYes, kOverwritten, kNo };

  void Read(const CallLimits& limits);
  void Take(const StoredState& stored);
  Saved Save(const CallLimits& limits);
  void StartFromNothing(std::string_view why);
  /// Warns, unless that was the last warning.
  void Warn(std::string text);

  const std::unique_ptr<StateStore> store_;
  DemandBook& book_;
  const Resources& resources_;
  const AgentDeps deps_;
  Phase phase_ = Phase::kUnread;
  std::string version_;
  std::string last_warning_;
};

}  // namespace outrigger::pigeon
