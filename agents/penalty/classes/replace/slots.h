#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/config_maps.h"
#include "outrigger/agent/priority_classes.h"
#include "penalty/classes/intent.h"
#include "penalty/classes/journal_maps.h"

namespace outrigger::penalty {

/// The intents of the journal, as this process knows them. Each write names the version that it
/// replaces; after one whose outcome is not known, the slot is unknown until it was read.
/// Not thread-safe.
class IntentSlots {
 public:
  enum class State : uint8_t {
    kUnknown,  // to be read
    kFree,
    kOpen,    // it has an intent
    kBroken,  // what it has cannot be obeyed
  };

  IntentSlots(const PriorityClassAccess* classes, ConfigMapAccess* maps,
              std::string intents_namespace, std::chrono::milliseconds timeout);

  State state(int slot) const { return At(slot).state; }
  /// The intent of an open slot; valid until that slot is written.
  const Intent& intent(int slot) const { return At(slot).intent; }
  /// The ConfigMap of a slot that is not free, as it was read.
  const ConfigMap& map(int slot) const { return At(slot).map; }
  /// "namespace/name" of the ConfigMap.
  std::string MapName(int slot) const;
  /// Whether no slot but free ones is known.
  bool AllFree() const;
  std::optional<int> FindOpen(std::string_view class_name) const;

  /// Reads a slot. Ok: it is free or open. InvalidArgument: it is broken; other errors: unknown.
  absl::Status Read(int slot, const std::stop_token& term);
  /// Reads the slots that are unknown; the first error but InvalidArgument.
  absl::Status ReadUnknown(const std::stop_token& term);
  /// Writes an intent into a free slot, which is open then, and returns it. ResourceExhausted: none
  /// is free. Aborted: an intent has turned up meanwhile. The intent fits (WriteIntent()).
  absl::StatusOr<int> Add(const Intent& intent, const std::stop_token& term);
  /// Writes another intent in place of the one that is there. Aborted, NotFound: another process or
  /// a person changed it.
  absl::Status Rewrite(int slot, const Intent& intent, const std::stop_token& term);
  /// Removes the intent; Ok: the slot is free.
  absl::Status Remove(int slot, const std::stop_token& term);

 private:
  struct Slot {
    State state = State::kUnknown;
    Intent intent;
    ConfigMap map;
  };
  Slot& At(int slot) { return slots_[static_cast<size_t>(slot)]; }
  const Slot& At(int slot) const { return slots_[static_cast<size_t>(slot)]; }
  CallLimits Limits(const std::stop_token& term) const { return {timeout_, term}; }
  absl::Status Judge(Slot* slot) const;
  absl::Status MakeRoom(int slot, const std::stop_token& term);

  const PriorityClassAccess* const classes_;
  ConfigMapAccess* const maps_;
  const std::string namespace_;
  const std::chrono::milliseconds timeout_;
  std::array<Slot, kIntentMaps> slots_;
};

}  // namespace outrigger::penalty
