#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "outrigger/agent/config_maps.h"
#include "penalty/classes/journal_maps.h"
#include "penalty/classes/ledger.h"
#include "penalty/classes/time.h"

// The journal's record of a replacement of a class that is under way. Pure and thread-safe.

namespace outrigger::penalty {

/// How far a replacement came, as far as it matters to another process: the rest it sees from the
/// class itself.
enum class IntentStep : uint8_t {
  kBegun,     ///< nothing was sent that changes the class: the intent can be dropped
  kDeleting,  ///< DELETE may have been sent, and may arrive yet: the class has to be looked after
};

/// Makes the class `class_name` again with the value `target`.
struct Intent {
  std::string class_name;
  std::string uid;               // of the class that is deleted
  std::string resource_version;  // as well
  int64_t base = 0;
  int64_t target = 0;  // at most base
  int64_t before = 0;  // the value of the class that is deleted
  int64_t epoch = 1;   // counts the replacements of the class
  Millis begun = 0;
  std::string cause;  // as CauseText() has it
  IntentStep step = IntentStep::kBegun;
  std::string manifest;  // PriorityClass::manifest of the class that is deleted
  friend bool operator==(const Intent&, const Intent&) = default;
};

/// Returns the ConfigMap of slot `index` (0..kIntentMaps-1) without namespace and version.
/// ResourceExhausted: the class is too big for kMostMapBytes. InvalidArgument names a field beyond
/// its limits.
absl::StatusOr<ConfigMap> WriteIntent(const Intent& intent, int index);

struct IntentRead {
  Intent intent;  // what could be read; what could not is empty
  /// The record is as it was written. If not, nothing but a manifest that is intact, or is seen to
  /// be the class, may be used.
  bool is_intact = false;
  bool is_manifest_intact = false;
  std::vector<JournalFinding> findings;
};

/// Reads what WriteIntent() wrote, and anything else with findings.
IntentRead ReadIntent(const ConfigMap& map);

}  // namespace outrigger::penalty
