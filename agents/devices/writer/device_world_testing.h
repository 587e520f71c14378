#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "devices/objects/objects.h"
#include "devices/writer/custodian.h"
#include "devices/writer/writer.h"
#include "fake_custom_objects.h"
#include "outrigger/base/clock.h"

// A cluster of pools, claims and pods in memory, for tests of what is written about devices.

namespace outrigger::devices::testing {

using Random = std::mt19937_64;

int64_t Below(Random& random, int64_t bound);
bool OneIn(Random& random, int64_t n);

/// "2026-01-15T08:00:00Z" and `seconds`.
WallTime At(int64_t seconds);
/// The same moment of a clock that nobody sets.
Clock::TimePoint Steady(WallTime time);

/// The API server, time, and pods.
class World {
 public:
  outrigger::testing::FakeCustomObjects api;
  WallTime now = At(0);

  /// A pool of `names`, or of `count` devices without names.
  void AddPool(const std::string& name, const std::string& node,
               const std::vector<std::string>& names);
  void AddCountPool(const std::string& name, const std::string& node, int count);
  /// A pool of one device "s" with 8Gi of memory that several claims share.
  void AddSharedPool(const std::string& name, const std::string& node);
  /// A claim in namespace "ns" of `count` devices, or of an amount of memory.
  void AddClaim(const std::string& name, int count);
  void AddMemoryClaim(const std::string& name, const std::string& memory);
  /// A pod "ns/name" whose UID is "uid-NAME", with these claims.
  void AddPod(const std::string& name, const std::vector<std::string>& claims);

  /// As the API server does it: Aborted if it is bound elsewhere, NotFound if there is none.
  absl::Status Bind(const std::string& name, const std::string& node);

  /// An agent gave the pod its devices.
  void Serve(const std::string& pod_uid);
  /// A driver deletes the pool and makes it again: another UID, and no status.
  void MakePoolAgain(const std::string& name);
  /// The pool loses its last device, if it has one.
  void ShrinkPool(const std::string& name);
  /// What an agent may rely on, and could not.
  std::vector<std::string> broken_promises;
  std::function<void()> on_served = [] {};

  PoolObject Pool(const std::string& name) const;
  ClaimObject Claim(const std::string& name) const;
  std::vector<PoolObject> Pools() const;
  std::vector<ClaimObject> Claims() const;
  std::vector<PodFact> Pods() const;
  PodOnNode PodOn(const std::string& name, const std::string& node) const;

  std::map<std::string, PodFact> pods;  // by name; what is gone is not there
  std::set<std::string> served;         // UIDs of bound pods to which an agent gave their devices
};

/// A view of pools and claims as old as a test wants it, and a choice of devices: the first that
/// are free or, with a source of chance, any.
class StoreChooser final : public Chooser {
 public:
  explicit StoreChooser(const World* world, Random* random = nullptr)
      : world_(*world), random_(random) {
    Refresh();
  }

  /// Sees all that is there now.
  void Refresh();

  absl::StatusOr<Choice> Choose(const PodOnNode& pod, std::span<const ClaimObject> claims) override;
  std::optional<PoolObject> FindPool(std::string_view name) override;
  void SeePool(const PoolObject& pool) override { pools_[pool.pool.name] = pool; }
  void LosePool(std::string_view name, std::string_view uid) override;
  void SeeClaim(const ClaimObject& claim) override { claims_[claim.claim.name] = claim; }
  void LoseClaim(const CustomObjectName& claim, bool privileged) override;

  std::vector<PoolObject> Pools() const;
  std::vector<ClaimObject> Claims() const;
  /// Nothing: it is not known.
  std::optional<std::vector<ClaimObject>> ClaimsOf(const PodFact& pod) const;

  int choices = 0;  // how often Choose() was called

 private:
  const World& world_;
  Random* random_;
  std::map<std::string, PoolObject> pools_;
  std::map<std::string, ClaimObject> claims_;
};

}  // namespace outrigger::devices::testing
