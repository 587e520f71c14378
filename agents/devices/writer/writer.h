#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "devices/objects/objects.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/custom_objects.h"
#include "outrigger/base/clock.h"

// Allocations written into the API server so that no device is given twice, whatever fails and
// whoever writes at the same time (docs/devices.md, "What is written when"). Linked by
// Outrigger::devices.

namespace outrigger::devices {

/// The pod for which claims are allocated, and the node on which it is to run.
struct PodOnNode {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string node;
  /// It runs there already: after an error, claims that were written stay its own.
  bool is_bound = false;
};

/// What one claim gets.
struct Grant {
  std::vector<Allocation> allocations;
  /// Those that others cannot have at the same time: `allocations`, but of admin access nothing.
  std::vector<Allocation> holding;
  std::vector<std::string> class_configs = {};  ///< ClaimStatus::class_configs
  std::vector<std::string> claim_configs = {};
};

struct Choice {
  std::vector<Grant> grants;  ///< one for each claim that was asked about, in their order
  /// The pools of `holding`, in the state for which the choice was made.
  std::vector<PoolObject> pools;
};

/// What the writer asks of the caller: its view of the pools, and which devices to take. Called by
/// the thread that called the writer, which holds no lock.
class Chooser {
 public:
  virtual ~Chooser() = default;
  /// Chooses devices on the pod's node for all these claims. None of them is allocated. What a pool
  /// has for one of them already is not in the way. An error ends the writing; its message is for
  /// people.
  virtual absl::StatusOr<Choice> Choose(const PodOnNode& pod,
                                        std::span<const ClaimObject> claims) = 0;
  /// The pool as it is known; nothing: it is not.
  virtual std::optional<PoolObject> FindPool(std::string_view name) = 0;
  /// The API server answered with this state of a pool, which is newer than what was known.
  virtual void SeePool(const PoolObject& pool) = 0;
  /// The API server has no pool of this name and UID any more. One of the name that is known with
  /// another UID stays.
  virtual void LosePool(std::string_view name, std::string_view uid) = 0;
  /// The same of claims.
  virtual void SeeClaim(const ClaimObject& claim) = 0;
  virtual void LoseClaim(const CustomObjectName& claim, bool privileged) = 0;
};

/// What was written for a pod, to be confirmed or given back.
struct Written {
  PodOnNode pod;
  std::vector<ClaimObject> claims;  ///< in the order of the call, as they are now
  std::vector<PoolObject> pools;    ///< those with an intent that this call wrote
  /// UIDs of claims that were the pod's before this call: it may be bound, or its binding by an
  /// earlier call may still arrive.
  std::set<std::string> had = {};
  WallTime deadline;  ///< after this the custodian may free the claims of a pod that
                      ///< is not bound
};

struct WriterOptions {
  /// Identity of the process, as in its Lease.
  std::string identity;
  /// How long an intent is respected by others.
  std::chrono::seconds intent_time{60};
  /// How much of that is left at least when Write() returns: for the binding (10 s where the engine
  /// binds), and for clocks of writers that differ. Less than `intent_time`.
  std::chrono::milliseconds binding_time{15'000};
  /// Tries for each pool, and for the claims together, before conflicts are an error.
  int most_tries = 8;
  std::function<WallTime()> wall = std::chrono::system_clock::now;
  SteadyNow now = std::chrono::steady_clock::now;  ///< for timeouts
};

/// How the binding of a pod ended, as far as that is known.
enum class BindingEnd : uint8_t {
  kBound,     ///< on that node: what was written is to be confirmed
  kNotBound,  ///< and will not be by the call that failed: GiveBack()
  kOpen,      ///< it may be bound yet: the custodian waits for the deadline of the intents
};
/// After a binding that failed, by the node of the pod as it was read after that: NotFound, the pod
/// with that UID is gone; empty, it is not bound. `may_be_bound`: what the error of the binding
/// says (outrigger/agent/stages.h). Without a pod that was read nothing may be given back.
BindingEnd EndOf(const PodOnNode& pod, const absl::StatusOr<std::string>& node, bool may_be_bound);

/// Writes allocations: (1) an intent in each pool, by name; (2) the status of each claim, which is
/// the commit, after which the pools are read again; then the caller binds the pod; (4) the pools'
/// entries are confirmed. The timeout of `limits` is for all calls of a function together; what
/// Write() gives back after an error has 10 s of its own.
///
/// Each write is conditional on the version that was read. For one claim on one pool these are
/// three writes; two more for each further pool and one for each further claim. A claim that is
/// allocated on the node already costs one write, if its entries are confirmed. Claims of one pod
/// are written by one call at a time; apart from that it is thread-safe. `api` outlives it.
///
/// Errors, each with a text for people: Aborted, a pool or claim changed `most_tries` times, or
/// another pod is being served with the claim; NotFound, a claim is gone; FailedPrecondition, a
/// claim is allocated on another node; DeadlineExceeded, the intents would leave no time for the
/// binding; ResourceExhausted, the timeout is over, too; what Chooser::Choose() returned; those of
/// CustomObjectAccess. Whatever the error is, what was written is given back, as far as calls
/// succeed. The custodian does the rest.
class AllocationWriter {
 public:
  AllocationWriter(CustomObjectAccess* api, WriterOptions options);

  /// Steps 1 and 2. `claims` as they are known, allocated or not; each is there, valid, and once.
  /// Idempotent by (pod UID, node).
  absl::StatusOr<Written> Write(const PodOnNode& pod, std::vector<ClaimObject> claims,
                                Chooser* chooser, const CallLimits& limits) const;
  /// Step 4. An error needs no action: the custodian confirms. NotFound: a pool has no entry of one
  /// of the claims any more, or one with other devices; the pod may run with devices that others
  /// can get, until the custodian has put that right.
  absl::Status Confirm(const Written& written, Chooser* chooser, const CallLimits& limits) const;
  /// For a pod that is not bound, and will not be by the call that wrote (EndOf()): takes the pod
  /// from its claims, which are free then if no other pod uses them, and after that the pools'
  /// entries. Claims that it had before the call stay: the custodian frees them after the deadline,
  /// if it is not bound by then.
  absl::Status GiveBack(const Written& written, Chooser* chooser, const CallLimits& limits) const;

  /// Creates the DeviceClaim of an embedded claim, or returns the one that is there if it is the
  /// pod's own. AlreadyExists: another one has its name.
  absl::StatusOr<ClaimObject> CreateEmbedded(const PodOnNode& pod, const PodClaim& claim,
                                             const CallLimits& limits) const;

  const WriterOptions& options() const { return options_; }

 private:
  CustomObjectAccess& api_;
  WriterOptions options_;
};

}  // namespace outrigger::devices
