#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "devices/writer/holdings.h"
#include "devices/writer/object_calls.h"
#include "devices/writer/writer.h"
#include "fmt/format.h"

namespace outrigger::device_writer {

/// What the steps of one attempt share. Not thread-safe.
struct AttemptScope {
  // All outlive it.
  const devices::PodOnNode& pod;
  const ObjectCalls& calls;
  const devices::WriterOptions& options;
  devices::Chooser& chooser;
  WallTime deadline;  // of the intents
  std::string changed =
      {};  // "claim ns/c": so that another attempt makes sense; empty: it does not

  /// Ends the attempt, because `what` is not what it was.
  absl::Status Changed(std::string what) {
    changed = std::move(what);
    return absl::AbortedError(fmt::format("{} changed while devices were written", changed));
  }
};

/// A claim, as it goes through the steps of an attempt.
struct Part {
  ClaimObject claim;
  devices::Grant grant = {};
  bool is_new = false;                                     // without devices before
  bool had_pod = false;                                    // it was the pod's before
  std::set<std::pair<std::string, WallTime>> fenced = {};  // writers and deadlines of intents
  bool is_renewed = false;  // it had devices, and an intent got a new deadline
  bool is_written = false;
};

/// Step 1 of an attempt: an intent in each pool. Not thread-safe.
class Intents {
 public:
  /// Entries of one pool, by the UID of their claim.
  struct OfPool {
    PoolObject base;
    std::map<std::string, PoolEntry> entries = {};
  };

  /// Both outlive it. What is chosen for a claim becomes its grant.
  Intents(AttemptScope* scope, std::vector<Part>* parts) : scope_(*scope), parts_(*parts) {}

  /// Chooses devices for claims without any, and writes an intent for each claim that is not
  /// confirmed in a pool.
  absl::Status Write();
  /// Reads the pools again: the claims are written, and a pool that was deleted and made again, or
  /// has lost devices, since the intents does not keep them from others.
  absl::Status Check();
  /// By pool: what stands there of this attempt, in the version of `base`.
  const std::map<std::string, OfPool>& mine() const { return mine_; }

 private:
  absl::Status Plan();
  absl::Status ChooseNew();
  absl::Status PlanRenewal(Part* part);
  static absl::Status Uncovered(const Part& part, std::string_view pool);
  absl::StatusOr<PoolObject> PoolNow(const std::string& name);
  PoolEntry IntentOf(const Part& part, std::string_view pool,
                     const std::vector<Allocation>& holding) const;
  absl::Status WritePools(bool* plan_again);
  absl::Status WritePool(const std::string& name, bool* plan_again);
  absl::Status TakeOver(const std::string& name, OfPool* wanted);
  absl::Status TakeOverEntry(const PoolEntry& entry, Part* part);
  absl::Status Fence(const PoolEntry& intent, Part* part);
  absl::Status SeeAgain(const PoolObject& base, const absl::Status& why, bool* plan_again);
  void FindMine(const PoolObject& live, bool is_lost);
  absl::Status CheckPool(const std::string& name, OfPool* mine);

  Part* PartOf(std::string_view claim_uid);
  bool IsMine(const std::string& pool, const PoolEntry& entry) const;

  AttemptScope& scope_;
  std::vector<Part>& parts_;
  std::map<std::string, OfPool> wanted_;
  std::map<std::string, OfPool> mine_;
  std::set<std::string> read_;        // pools of claims that had devices
  std::set<std::string> lost_;        // pools that a write of this attempt may reach yet
  std::map<std::string, int> tries_;  // by pool
};

}  // namespace outrigger::device_writer
