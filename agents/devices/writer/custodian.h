#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "devices/objects/objects.h"
#include "devices/writer/writer.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/custom_objects.h"
#include "outrigger/base/clock.h"

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

/// The longest intent time of any process.
inline constexpr std::chrono::seconds kLongestIntent{3'600};

/// Intents since this process first saw them. A deadline is of the clock of the process that wrote
/// it, which may differ from this one's. So an intent is over once this process has seen it for the
/// intent time, or up to its deadline if that is longer, but not for longer than kLongestIntent.
/// The writer began before that, and has given up by then. What a claim holds of a pool that has no
/// entry for it (it was made again) is over once it was seen so for the intent time. Of one thread.
class IntentWatch {
 public:
  explicit IntentWatch(std::chrono::seconds intent_time) : intent_time_(intent_time) {}

  /// These are all pools and claims, as they are known. `wall` and `now` are the same moment.
  /// Intents that are not in these pools are forgotten.
  void Look(std::span<const PoolObject> pools, std::span<const ClaimObject> claims, WallTime wall,
            Clock::TimePoint now);
  /// True: it was over at the last look. One without a deadline always is, one that is another one
  /// than at that look never.
  bool IsOver(const PoolObject& pool, const PoolEntry& intent) const;
  /// The same of what a claim holds of that pool without an entry.
  bool IsOver(const PoolObject& pool, const ClaimObject& claim) const;
  /// When the next one is over; nothing: there is none.
  std::optional<Clock::TimePoint> Next() const;

 private:
  // UIDs of pool, claim and pod, the writer, and the deadline.
  using Key = std::tuple<std::string, std::string, std::string, std::string, WallTime>;
  using Ends = std::map<Key, Clock::TimePoint>;
  static Key KeyOf(const PoolObject& pool, const PoolEntry& intent);
  static Key KeyOf(const PoolObject& pool, const ClaimObject& claim);
  void Keep(Key key, Clock::TimePoint end, Ends* ends) const;

  const std::chrono::seconds intent_time_;
  Ends ends_;
  Clock::TimePoint now_;
};

/// The state to decide by. Views live during the call. It may be old: Carrier looks again.
struct CustodyView {
  std::span<const PoolObject> pools;
  std::span<const ClaimObject> claims;  ///< of both kinds
  std::span<const PodFact> pods;
  const IntentWatch& intents;
};

enum class ActionKind : uint8_t {
  kConfirm,         ///< set the entry to Confirmed
  kRemoveEntry,     ///< remove the entry of a claim that has nothing of the pool
  kAwaitPods,       ///< give the entry of a claim that is gone a deadline for its pods' bindings
  kFenceAndRemove,  ///< change the claim's version so that the intent's writer fails, then remove
  kFreeClaim,       ///< set the claim to Pending, then remove its entries
  kDropPods,        ///< remove pods that ended or run elsewhere from a claim
  kRestoreEntry,    ///< write the entry of an allocated claim of a bound pod again
  kServeBoundPod,   ///< allocate for a pod that was bound past the agent
  kReportConflict,  ///< a person must act
};
inline constexpr size_t kActionKinds = 9;

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
/// Nothing: all is in order, or waits for the end of an intent. Pure and thread-safe. Linear in
/// what it sees, but for sorting.
std::vector<Action> Decide(const CustodyView& view);

/// What Carrier needs besides custom objects. Called by the thread that calls Carrier.
class CustodyHost {
 public:
  virtual ~CustodyHost() = default;
  /// The pod as the API server has it now. NotFound: there is none.
  virtual absl::StatusOr<PodFact> ReadPod(std::string_view namespace_, std::string_view name,
                                          const CallLimits& limits) = 0;
  /// All pods of the namespace, no older than the decision that is carried out.
  virtual absl::StatusOr<std::vector<PodFact>> ReadPods(std::string_view namespace_,
                                                        const CallLimits& limits) = 0;
  /// Of kServeBoundPod: allocates for the pod on its node by AllocationWriter, and confirms.
  virtual absl::Status Serve(const Action& action, const CallLimits& limits) = 0;
  /// Of kReportConflict, and of an entry that cannot be restored: emits an Event.
  virtual void Report(const Action& action) = 0;
};

/// What came of the first actions of a list. The others were not tried yet.
struct Carried {
  /// One for each that was tried, in order. Ok: it is done, or no longer to be done. Aborted:
  /// something changed meanwhile; decide again. Else what the API server answered.
  std::vector<absl::Status> statuses;
  /// Indices of those that failed because others of the list are written into the same pool, and
  /// another writer was there first or one of them is refused: try again, with fewer at once.
  std::set<size_t> with_fewer;
};

/// Carries actions out. What they are about is read from the API server and decided again; nothing
/// is done if that comes to something else. Claims are written first, then each pool once, both on
/// condition of what was read. So an action may be repeated, be old, or be carried out by several
/// processes at once.
class Carrier {
 public:
  /// All outlive it. `chooser` is given the states that the API server answers with.
  Carrier(CustomObjectAccess* api, CustodyHost* host, Chooser* chooser, const IntentWatch* intents,
          WriterOptions options);

  /// Tries at least the first of the actions, and as many more as can be read in a fraction of a
  /// second; one of the host (kServeBoundPod, kReportConflict) only alone. The timeout of `limits`
  /// is for all calls together.
  Carried Carry(std::span<const Action> actions, const CallLimits& limits);

 private:
  CustomObjectAccess& api_;
  CustodyHost& host_;
  Chooser& chooser_;
  const IntentWatch& intents_;
  WriterOptions options_;
};

}  // namespace outrigger::devices
