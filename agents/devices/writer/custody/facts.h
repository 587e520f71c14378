#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "devices/writer/custodian.h"
#include "devices/writer/custody/decision_table.h"
#include "devices/writer/holdings.h"

namespace outrigger::device_writer {

/// A view, indexed, and what it says of entries and claims. Lives as long as the view does.
class Facts {
 public:
  explicit Facts(const devices::CustodyView& view);

  const devices::CustodyView& view() const { return view_; }
  const ClaimObject* FindClaim(std::string_view uid) const;
  const ClaimObject* FindClaim(bool privileged, std::string_view namespace_,
                               std::string_view name) const;
  const PoolObject* FindPool(std::string_view name) const;

  /// Gone: not there, or it has ended.
  bool IsAlive(std::string_view pod_uid) const;
  bool IsBound(std::string_view pod_uid) const;

  /// A pod that is alive and not bound to another node than the claim's.
  bool IsUser(const ClaimObject& claim, std::string_view pod_uid) const;

  EntryIs StateOf(const PoolObject& pool, const PoolEntry& entry) const;
  ClaimIs ClaimOf(const PoolObject& pool, const PoolEntry& entry) const;
  PodsAre PodsOf(const PoolEntry& entry) const;
  PodsAre PodsOf(const ClaimObject& claim) const;

 private:
  PodsAre PodsOfGone(const PoolEntry& entry) const;

  using ClaimKey = std::tuple<bool, std::string_view, std::string_view>;
  const devices::CustodyView& view_;
  absl::flat_hash_map<std::string_view, const ClaimObject*> claims_;  // by UID
  absl::flat_hash_map<ClaimKey, const ClaimObject*> by_name_;
  absl::flat_hash_map<std::string_view, const PoolObject*> pools_;
  absl::flat_hash_map<std::string_view, const devices::PodFact*> pods_;  // by UID
  // Pods that have not ended, by the claims that they name. A claim that is embedded is of one pod,
  // which its entry names.
  std::multimap<ClaimKey, const devices::PodFact*> users_;
};

}  // namespace outrigger::device_writer
