#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "outrigger/agent/config_maps.h"
#include "outrigger/k8s/string_map.h"

// The ConfigMaps of the journal (docs/penalty.md). Their names are fixed, so that a Role can name
// them. Pure and thread-safe.

namespace outrigger::penalty {

inline constexpr int kClassMaps = 16;   // accounts of classes
inline constexpr int kChangeMaps = 64;  // the last changes of classes
inline constexpr int kIntentMaps = 8;   // a replacement under way each

/// The most bytes of one ConfigMap of the journal, as JsonBytes() counts them.
inline constexpr size_t kMostMapBytes = size_t{256} * 1024;
/// The most bytes of a map with accounts, which is what an edge writes.
inline constexpr size_t kMostAccountBytes = 19'000;

enum class JournalMapKind : uint8_t { kClasses, kChanges, kIntent, kSums, kMapping };

/// Which ConfigMap of the journal.
struct JournalMap {
  JournalMapKind kind = JournalMapKind::kSums;
  int index = 0;  // kSums, kMapping: 0
  friend auto operator<=>(const JournalMap&,
                          const JournalMap&) = default;  // NOLINT(modernize-use-nullptr)
};

/// "outrigger-penalty-classes-3", "outrigger-penalty-sums".
std::string JournalMapName(const JournalMap& map);
/// Returns nothing for a name that is none of the journal's.
std::optional<JournalMap> JournalMapOf(std::string_view name);
/// Returns all names, for the Role, and for a command that removes the journal.
std::vector<std::string> JournalMapNames();

/// The labels of all of them.
StringMap JournalLabels();

/// Returns the size of the data of a ConfigMap in JSON, which is what is sent.
size_t JsonBytes(const ConfigMap& map);

/// What is wrong with a journal, for the log and an Event. All texts are printable.
struct JournalFinding {
  std::string map;  // name of the ConfigMap
  std::string key;
  int line = 0;  // from 1; 0: the whole key, or the whole map
  std::string text;
  friend bool operator==(const JournalFinding&, const JournalFinding&) = default;
};

/// "ConfigMap outrigger-penalty-classes-0, key gold, line 3: ...".
std::string FindingText(const JournalFinding& finding);

}  // namespace outrigger::penalty
