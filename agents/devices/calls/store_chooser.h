#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calls/configs.h"
#include "outrigger/devices/allocator.h"
#include "outrigger/devices/writer.h"
#include "store/device_store.h"

namespace outrigger::devices::agent {

/// Configs by UID of the claim; one without configs is not there.
using ConfigsOfClaims = std::map<std::string, ClaimConfigs, std::less<>>;

/// Chooses devices by what the store knows, and puts into it what the API server answers.
/// Thread-safe.
class StoreChooser final : public Chooser {
 public:
  /// Both outlive this.
  StoreChooser(DeviceStore* store, const Allocator& allocator, ConfigsOfClaims configs = {})
      : store_(*store), allocator_(allocator), configs_(std::move(configs)) {}

  /// FailedPrecondition: there is no room, the claims cannot be served as they are, or a config of
  /// a chosen class is missing.
  absl::StatusOr<Choice> Choose(const PodOnNode& pod, std::span<const ClaimObject> claims) override;
  /// What was chosen for these claims is written, or will not be: until now it counted as theirs.
  void Settle(std::span<const ClaimObject> claims);
  bool HasAdminAccess(const ClaimObject& claim) override;
  std::optional<PoolObject> FindPool(std::string_view name) override;
  void SeePool(const PoolObject& pool) override;
  void LosePool(std::string_view name) override;
  void SeeClaim(const ClaimObject& claim) override;

 private:
  absl::StatusOr<Choice> ChooseFrom(const Contents& contents, std::string_view node,
                                    std::span<const ClaimObject> claims) const;

  absl::Status AddConfigs(const ClaimObject& claim, const std::vector<int>& alternatives,
                          Grant* grant) const;

  DeviceStore& store_;
  const Allocator& allocator_;
  const ConfigsOfClaims configs_;
};

}  // namespace outrigger::devices::agent
