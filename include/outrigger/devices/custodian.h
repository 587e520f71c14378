#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/custom_objects.h"
#include "outrigger/devices/objects.h"
#include "outrigger/devices/writer.h"

// What is put right after writers that died, and what is freed after pods that ended. Decisions are
// pure; Carrier carries them out. Linked by Outrigger::devices.

namespace outrigger::devices {

/// A pod, as far as its devices are concerned.
struct PodFact {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string node;       ///< empty: not bound
  bool finished = false;  ///< Succeeded or Failed
  /// Claims that its annotation names, as claim objects. Of pods without any, no facts are needed.
  std::vector<PodClaim> claims = {};
  /// Why the annotation cannot be read; empty: it can.
  std::string claims_fault = {};
};

/// The state to decide by. Views live during the call. It may be old: Carrier looks again.
struct CustodyView {
  std::span<const PoolObject> pools;
  std::span<const ClaimObject> claims;  ///< of both kinds
  std::span<const PodFact> pods;
  /// Classes with admin access: their claims hold nothing in pools.
  std::set<std::string, std::less<>> admin_classes = {};
  WallTime now;
};

enum class ActionKind : uint8_t {
  kConfirm,         ///< set the entry to Confirmed
  kRemoveEntry,     ///< remove the entry of a claim that has nothing of the pool
  kFenceAndRemove,  ///< change the claim's version so that the intent's writer fails, then remove
  kFreeClaim,       ///< set the claim to Pending, then remove its entries
  kDropPods,        ///< remove pods that ended or run elsewhere from a claim
  kRestoreEntry,    ///< write the entry of an allocated claim again
  kServeBoundPod,   ///< allocate for a pod that was bound past the agent
  kReportConflict,  ///< a person must act
};
inline constexpr size_t kActionKinds = 8;

/// "Confirm", "RemoveEntry", ...
std::string_view NameOf(ActionKind kind);

struct Action {
  ActionKind kind = ActionKind::kConfirm;
  std::string pool;  ///< empty: it is about no single pool
  // The claim; no names: it is about none. Of kServeBoundPod one that the pod lacks, if it is
  // there.
  std::string claim_namespace;
  std::string claim_name;
  std::string claim_uid;
  bool privileged = false;
  std::string pod_namespace;  ///< of kServeBoundPod, and of a conflict about a pod
  std::string pod_name;
  std::string pod_uid;
  std::string reason;  ///< for people: "its pods are gone or have ended"
  friend bool operator==(const Action&, const Action&) = default;
};

/// What is to be done, in the order in which it is to be done: at first what gives devices back.
/// Nothing: all is in order, or waits for a deadline. Pure and thread-safe. Linear in what it sees,
/// but for sorting.
std::vector<Action> Decide(const CustodyView& view);

/// The earliest deadline of an intent after `now`, at which Decide() may answer differently.
std::optional<WallTime> NextDeadline(std::span<const PoolObject> pools, WallTime now);

/// What Carrier needs besides custom objects. Called by the thread that calls Carrier.
class CustodyHost {
 public:
  virtual ~CustodyHost() = default;
  /// The pod as the API server has it now. NotFound: there is none.
  virtual absl::StatusOr<PodFact> ReadPod(std::string_view namespace_, std::string_view name,
                                          const CallLimits& limits) = 0;
  /// Of kServeBoundPod: allocates for the pod on its node by AllocationWriter, and confirms.
  virtual absl::Status Serve(const Action& action, const CallLimits& limits) = 0;
  /// Of kReportConflict, and of an entry that cannot be restored: emits an Event.
  virtual void Report(const Action& action) = 0;
  /// Classes with admin access, as they are known now.
  virtual std::set<std::string, std::less<>> AdminClasses() = 0;
};

/// Carries actions out. Each reads what it is about from the API server, decides again, does
/// nothing if that comes to something else, and writes on condition of what it read. So an action
/// may be repeated, be old, or be carried out by several processes at once.
class Carrier {
 public:
  /// All outlive it. `chooser` is given the states that the API server answers with.
  Carrier(CustomObjectAccess* api, CustodyHost* host, Chooser* chooser, WriterOptions options);

  /// Ok: it is done, or no longer to be done. Aborted: something changed meanwhile; decide again.
  /// Else what the API server answered.
  absl::Status Carry(const Action& action, const CallLimits& limits);

 private:
  CustomObjectAccess& api_;
  CustodyHost& host_;
  Chooser& chooser_;
  WriterOptions options_;
};

}  // namespace outrigger::devices
