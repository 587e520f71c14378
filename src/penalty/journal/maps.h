#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "outrigger/agent/config_maps.h"
#include "outrigger/penalty/ledger.h"

// The three kinds of maps that a ledger is written to, one file each.

namespace outrigger::penalty {

/// Writes the data of a map; the caller checks its size.
void WriteClassMap(const Ledger& ledger, int index, ConfigMap* map);
void WriteChangeMap(const Ledger& ledger, int index, ConfigMap* map);
void WriteSumMap(const Ledger& ledger, ConfigMap* map);

/// What a map of accounts says about itself.
struct ClassMapHead {
  bool is_newer = false;          // of a later format: nothing of it is read
  std::optional<Millis> since{};  // nothing: missing or edited
};
ClassMapHead ReadClassMapHead(const ConfigMap& map, std::vector<JournalFinding>* findings);

/// Reads the accounts and pending marks of a map into the ledger. Accounts that were edited or are
/// no accounts go to `damaged` by name instead.
void ReadClassMap(const ConfigMap& map, int index, Millis now, Ledger* ledger,
                  std::vector<std::string>* damaged, std::vector<JournalFinding>* findings);

/// The changes of one class.
struct ReadChanges {
  std::string class_name;
  std::deque<ValueChange> changes;
};
/// Edited changes are left out.
std::vector<ReadChanges> ReadChangeMap(const ConfigMap& map, std::vector<JournalFinding>* findings);

/// Edited sums are left out.
void ReadSumMap(const ConfigMap& map, Ledger* ledger, std::vector<JournalFinding>* findings);

/// Reports a key, or a whole map where `key` is empty.
void Report(const ConfigMap& map, std::string_view key, int line, std::string_view text,
            std::vector<JournalFinding>* findings);

}  // namespace outrigger::penalty
