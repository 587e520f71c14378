#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calls/configs.h"
#include "devices/allocation/allocator.h"
#include "devices/writer/writer.h"
#include "store/device_store.h"

namespace outrigger::devices::agent {

/// Chooses devices by what the store knows, and puts into it what the API server answers.
/// Thread-safe.
class StoreChooser final : public Chooser {
 public:
  /// All outlive this. `configs` is used by Choose() alone; null: nothing is chosen.
  StoreChooser(DeviceStore* store, const Allocator& allocator, ConfigReader* configs = nullptr)
      : store_(*store), allocator_(allocator), configs_(configs) {}

  /// FailedPrecondition: there is no room, the claims cannot be served as they are, or a config of
  /// what was chosen cannot be read. Blocks.
  absl::StatusOr<Choice> Choose(const PodOnNode& pod, std::span<const ClaimObject> claims) override;
  /// What was chosen for these claims is written, or will not be: until now it counted as theirs.
  void Settle(std::span<const ClaimObject> claims);
  std::optional<PoolObject> FindPool(std::string_view name) override;
  void SeePool(const PoolObject& pool) override;
  void LosePool(std::string_view name, std::string_view uid) override;
  void SeeClaim(const ClaimObject& claim) override;
  void LoseClaim(const CustomObjectName& claim, bool privileged) override;

 private:
  // `pending`: what is to be found out before a choice; then nothing is chosen.
  absl::StatusOr<Choice> TryChoose(const PodOnNode& pod, std::span<const ClaimObject> claims,
                                   std::vector<ConfigNames>* configs,
                                   std::optional<Pending>* pending);
  absl::StatusOr<Choice> ChooseFrom(const Contents& contents, std::string_view node,
                                    std::span<const ClaimObject> claims,
                                    std::vector<ConfigNames>* configs,
                                    std::optional<Pending>* pending) const;

  absl::Status AddConfigs(std::span<const ClaimObject> claims,
                          const std::vector<ConfigNames>& names, Choice* choice) const;

  DeviceStore& store_;
  const Allocator& allocator_;
  ConfigReader* const configs_;
};

}  // namespace outrigger::devices::agent
