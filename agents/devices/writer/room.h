#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "devices/objects/objects.h"

namespace outrigger::device_writer {

/// Whether entries of a pool fit next to each other. The writer's own word, whatever the allocator
/// found. Views live as long as pool and entries do.
class Room {
 public:
  Room(const devices::Pool& pool, std::span<const devices::PoolEntry> entries);

  /// One more entry.
  void Add(const devices::PoolEntry& entry);
  /// FailedPrecondition names what `entry`, one of the entries, does not have for itself: a device
  /// that another one has or that is not there, an amount, a counter, a number of devices.
  absl::Status Check(const devices::PoolEntry& entry) const;

 private:
  using Sums = std::map<std::string_view, Quantity>;
  struct Use {
    const devices::Device* device = nullptr;
    const devices::PoolEntry* first = nullptr;
    const devices::PoolEntry* last = nullptr;
    int holders = 0;
    Sums amounts;  // of own resources
  };

  void Add(const devices::PoolEntry& entry, const devices::Allocation& held);
  absl::Status CheckDevice(const devices::PoolEntry& entry, const Use& use) const;
  absl::Status CheckCounters(const devices::Device& device) const;

  const devices::Pool& pool_;
  std::map<std::string_view, Use> uses_;  // by device
  Sums counters_;                         // of the pool's resources
  int64_t count_ = 0;                     // devices without names
};

}  // namespace outrigger::device_writer
