#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "outrigger/devices/allocator.h"
#include "outrigger/devices/writer.h"
#include "store/device_store.h"

namespace outrigger::devices::agent {

/// Chooses devices by what the store knows, and puts into it what the API server answers.
/// Thread-safe.
class StoreChooser final : public Chooser {
 public:
  /// Both outlive this.
  StoreChooser(DeviceStore* store, const Allocator& allocator)
      : store_(*store), allocator_(allocator) {}

  /// FailedPrecondition: there is no room, or the claims cannot be served as they are.
  absl::StatusOr<Choice> Choose(const PodOnNode& pod,
                                std::span<const ClaimObject> claims) override;
  std::optional<PoolObject> FindPool(std::string_view name) override;
  void SeePool(const PoolObject& pool) override;
  void LosePool(std::string_view name) override;
  void SeeClaim(const ClaimObject& claim) override;

 private:
  absl::StatusOr<Choice> ChooseFrom(const Contents& contents, std::string_view node,
                                    std::span<const ClaimObject> claims) const;

  DeviceStore& store_;
  const Allocator& allocator_;
};

}  // namespace outrigger::devices::agent
