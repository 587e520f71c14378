#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "device_world_testing.h"

// Whether what is written about devices is right: read from the objects' JSON, without a line of
// what is tested.

namespace outrigger::devices::testing {

class Judge {
 public:
  explicit Judge(const World* world) : world_(*world) {}

  /// At any moment: no device belongs to two claims, or is used by two pods of different claims.
  void LookAt();
  /// In a quiet moment: pools, claims and pods agree, nothing is lost, and what is free is free.
  void LookAtRest();

  // What users and drivers are about to do. Devices that a pod has stay its own, as long as its
  // claim or the pool's entry is there: where both are gone there is no trace.
  void IsDeleted(const std::string& claim);
  void IsMadeAgain(const std::string& pool);
  void Shrinks(const std::string& pool);

  /// What was found, each once.
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  using Json = nlohmann::json;
  /// Amounts of devices: "pool/device" to one, "pool/" to a count, "pool/device/memory" to Gi.
  using Amounts = std::map<std::string, int64_t>;

  void Fault(std::string text);
  static Amounts OfClaim(const Json& claim);
  static Amounts OfEntry(const std::string& pool, const Json& entry);
  int64_t CapacityOf(const std::string& what) const;
  void CheckSum(const std::vector<Amounts>& all, const std::string& where);
  void CheckEntries();
  void CheckPool(const Json& pool, const std::map<std::string, Json>& claims);
  void CheckEntry(const std::string& pool, const Json& entry,
                  const std::map<std::string, Json>& claims);
  void CheckClaim(const Json& claim);
  void CheckPods(const std::map<std::string, Json>& claims);
  bool IsAlive(const std::string& pod_uid) const;
  bool IsThere(const std::string& claim_uid) const;
  bool HasEntry(const std::string& pool, const std::string& claim_uid) const;
  bool IsUser(const Json& entry) const;

  const World& world_;
  // What pods that are bound got, by their UID and that of the claim: it is theirs until they end.
  std::map<std::pair<std::string, std::string>, Amounts> used_;
  bool pools_change_ = false;
  std::map<std::string, int64_t> lost_;  // of "pool/", how many devices are gone; else 1
  std::set<std::string> seen_;
  std::vector<std::string> faults_;
};

}  // namespace outrigger::devices::testing
