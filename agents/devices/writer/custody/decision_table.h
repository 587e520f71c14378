#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "devices/writer/custodian.h"

// What is done about an entry of a pool, as one table.

namespace outrigger::device_writer {

enum class EntryIs : uint8_t { kIntent, kDue, kConfirmed };  ///< kDue: an intent that is over

/// The claim of an entry, as to the entry's pool.
enum class ClaimIs : uint8_t {
  kGone,       ///< there is none of that UID
  kPending,    ///< it has no devices
  kSame,       ///< it has what the entry has
  kElsewhere,  ///< it has devices, none of this pool
  kDifferent,  ///< it has other devices of this pool
};

/// The pods that use the claim, together.
enum class PodsAre : uint8_t {
  kBound,    ///< one is bound and has not ended
  kWaiting,  ///< none is bound, one has not ended
  kEnded,    ///< all are gone or have ended
};

struct Decision {
  std::optional<devices::ActionKind> action;  ///< nothing: none is needed, or not yet
  std::string_view reason;
};

Decision DecideEntry(EntryIs entry, ClaimIs claim, PodsAre pods);

}  // namespace outrigger::device_writer
