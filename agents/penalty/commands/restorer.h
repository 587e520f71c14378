#pragma once

#include <functional>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/base/clock.h"
#include "penalty/classes/journal_maps.h"
#include "penalty/classes/journal_store.h"
#include "penalty/classes/ledger.h"
#include "penalty/classes/mapping.h"
#include "penalty/classes/replacement.h"
#include "penalty/commands/penalty_cluster.h"

namespace outrigger::cli {

struct RestoreWish {
  std::string class_name;  // empty: all that have a penalty
  std::string namespace_;  // of the journal
};

/// Receives a line about each class, and notes.
struct RestoreReport {
  std::function<void(const std::string& line)> say;
  std::function<void(const std::string& note)> note;
};

/// Puts PriorityClasses back to their base, and takes them out of the journal. For one run; not
/// thread-safe.
class Restorer {
 public:
  /// `clock` is also that of pauses between attempts.
  Restorer(const PenaltyCluster& cluster, RestoreWish wish, RestoreReport report, Clock clock);

  /// What can be seen to be wrong before the Lease is taken. NotFound: there is no such class, and
  /// the journal has none; names one that is near. Else errors of the calls.
  absl::Status Check();

  /// Restores; to be called by the holder of the Lease, `term` is its stop token. An error of one
  /// class is said, and the others are restored; then Aborted says how many were not.
  absl::Status Run(const std::stop_token& term);

 private:
  absl::StatusOr<std::vector<penalty::JournalFinding>> Load(const std::stop_token& term);
  absl::Status Account(const penalty::Replacement& replacement);
  void EndIntents(const std::stop_token& term);
  absl::StatusOr<std::set<std::string>> Names(const std::stop_token& term);
  void RestoreOne(const std::string& name, const std::stop_token& term);
  absl::StatusOr<std::string> Restored(const std::string& name, const std::stop_token& term);
  absl::StatusOr<std::string> Outcome(const penalty::Replacement& replacement);
  absl::Status UnmapClasses(const std::stop_token& term);
  absl::StatusOr<std::vector<PriorityClass>> IdleStandIns(const std::stop_token& term);
  absl::Status DeleteStandIns(const std::stop_token& term);
  absl::Status Finish(const std::stop_token& term);
  bool HasEntry(const std::string& name) const;
  void Say(const std::string& name, const std::string& text);
  absl::Status NoSuchClass(const std::vector<PriorityClass>& classes) const;
  penalty::Millis Now() const;

  const PenaltyCluster cluster_;
  const RestoreWish wish_;
  const RestoreReport report_;
  const Clock clock_;
  std::stop_token term_;
  penalty::JournalStore store_;
  penalty::Ledger ledger_;
  std::set<std::string> damaged_;  // classes whose entry in the journal is not to be used
  penalty::Replacer replacer_;
  penalty::Mapper mapper_;
  std::map<std::string, std::string> unmapped_;  // classes, and the stand-ins that their pods got
  std::set<std::string> kept_;                   // stand-ins that are named, as a note has said
  bool has_said_ = false;
  std::set<std::string> failed_;  // classes that are not put back, and ConfigMaps of intents
};

}  // namespace outrigger::cli
