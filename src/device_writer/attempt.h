#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "device_writer/holdings.h"
#include "device_writer/object_calls.h"
#include "device_writer/release.h"
#include "outrigger/devices/writer.h"

namespace outrigger::device_writer {

/// One try to write allocations for a pod, on claims in fixed versions. Once a claim turns out to
/// be in another version it has failed: what was read before an intent was written is what makes a
/// fence work. Not thread-safe.
class Attempt {
 public:
  /// All outlive it.
  Attempt(const devices::PodOnNode& pod, const std::vector<ClaimObject>& claims,
          const ObjectCalls* calls, const devices::WriterOptions* options,
          devices::Chooser* chooser);

  /// Writes intents and claims. After an error everything is given back, as far as that succeeds.
  absl::Status Run();
  /// After an error: the claim that is in another version now, so that another attempt makes sense;
  /// else empty.
  const std::string& changed_claim() const { return changed_claim_; }
  /// After success.
  devices::Written TakeWritten();

 private:
  /// A claim, as it goes through the steps.
  struct Part {
    ClaimObject claim;
    devices::Grant grant;
    bool is_new = false;                                     // without devices before
    std::set<std::pair<std::string, WallTime>> fenced = {};  // writers and deadlines of intents
    bool is_renewed = false;  // it had devices, and an intent got a new deadline
    bool is_written = false;
  };
  /// What a pool is to have of this pod's claims.
  struct Wanted {
    PoolObject base;
    std::map<std::string, PoolEntry> entries;  // by UID of the claim
  };

  absl::Status CheckClaims() const;
  absl::Status WriteIntents();
  absl::Status Plan();
  absl::Status ChooseNew();
  absl::Status PlanRenewal(Part* part);
  absl::StatusOr<PoolObject> PoolNow(const std::string& name);
  PoolEntry IntentOf(const Part& part, std::string_view pool,
                     const std::vector<Allocation>& holding) const;
  absl::Status WritePools(bool* plan_again);
  absl::Status WritePool(const std::string& name, bool* plan_again);
  absl::Status TakeOver(const std::string& name, Wanted* wanted);
  absl::Status TakeOverEntry(const PoolEntry& entry, Part* part);
  absl::Status Fence(const PoolEntry& intent, Part* part);
  absl::Status SeeAgain(const PoolObject& base, const absl::Status& why, bool* plan_again);
  void FindMine(const PoolObject& live, bool is_lost);
  absl::Status WriteClaims();
  absl::Status WriteClaim(Part* part);
  absl::Status TakeClaim(ClaimObject claim, Part* part);
  std::string ClaimPatch(const Part& part) const;
  bool IsWritten(const Part& part, const ClaimObject& live) const;
  absl::Status GiveUpLostWrite(const absl::Status& last, Part* part);
  absl::Status CheckTime() const;
  absl::Status ClaimChanged(const ClaimName& claim);
  void GiveBack();

  Part* PartOf(std::string_view claim_uid);
  bool IsMine(const std::string& pool, const PoolEntry& entry) const;

  const devices::PodOnNode& pod_;
  const ObjectCalls& calls_;
  const devices::WriterOptions& options_;
  devices::Chooser& chooser_;
  Release release_;
  WallTime deadline_;
  std::vector<Part> parts_;
  std::map<std::string, Wanted> wanted_;  // by pool
  std::map<std::string, Wanted> mine_;    // as it was written, in the version of `base`
  std::set<std::string> read_;            // pools of claims that had devices
  std::set<std::string> lost_;            // pools that a write of this attempt may reach yet
  std::map<std::string, int> tries_;      // by pool
  std::string changed_claim_;
  bool is_unknown_ = false;  // whether a claim was written
};

}  // namespace outrigger::device_writer
