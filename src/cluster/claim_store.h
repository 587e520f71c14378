#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "outrigger/k8s/claims.h"

namespace outrigger::cluster {

/// Volumes and claims as they are now, and what they ask of nodes. Not thread-safe.
///
/// Puts and removals say whether anything has changed; names are unique within a kind (and a
/// namespace), and putting again replaces.
class ClaimStore {
 public:
  bool Put(Volume volume);
  bool Put(VolumeClaim claim);
  bool Put(StorageClass put);
  bool Put(DeviceClaim claim);
  bool RemoveVolume(std::string_view name);
  bool RemoveVolumeClaim(std::string_view namespace_, std::string_view name);
  bool RemoveStorageClass(std::string_view name);
  bool RemoveDeviceClaim(std::string_view namespace_, std::string_view name);
  /// ClaimTable::device_claims_served; false until it is set.
  bool SetDeviceClaimsServed(bool served);

  /// What all ask now. Never null; made anew only if something has changed since the call before.
  std::shared_ptr<const ClaimTable> Take();

 private:
  using Name = std::pair<std::string, std::string>;

  bool Changed(bool changed);
  ClaimWish WishOf(const VolumeClaim& claim) const;
  std::string RefusalOf(const VolumeClaim& claim) const;

  std::map<std::string, Volume, std::less<>> volumes_;
  std::map<Name, VolumeClaim> volume_claims_;
  std::map<std::string, StorageClass, std::less<>> storage_classes_;
  std::map<Name, DeviceClaim> device_claims_;
  bool device_claims_served_ = false;
  std::shared_ptr<const ClaimTable> taken_;  // null: older than the rest
};

}  // namespace outrigger::cluster
