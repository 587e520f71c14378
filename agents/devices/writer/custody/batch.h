#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "devices/writer/custodian.h"
#include "devices/writer/custody/live_view.h"
#include "devices/writer/holdings.h"
#include "devices/writer/object_calls.h"
#include "devices/writer/room.h"

namespace outrigger::device_writer {

/// Actions on what was read for them: first each claim is written, then each pool once. A pool is
/// changed for no claim whose own write did not succeed. Not thread-safe.
class Batch {
 public:
  /// All outlive it. The view was read for these actions.
  Batch(std::span<const devices::Action> actions, const LiveView& view, const ObjectCalls& calls,
        const devices::WriterOptions& options, devices::CustodyHost* host,
        devices::Chooser* chooser);

  /// Of claims at least one is written, and no further one when `is_late` is true: that action and
  /// those after it are not tried.
  devices::Carried Do(const devices::IntentWatch& intents, const std::function<bool()>& is_late);

 private:
  /// What one pool is to have.
  struct Edit {
    std::vector<size_t> actions;
    /// By UID of the claim; nothing: none.
    absl::flat_hash_map<std::string_view, std::optional<PoolEntry>> entries;
    std::vector<size_t> restored;  // actions
  };

  void ChooseNeeded(const devices::IntentWatch& intents);
  void WriteClaims(const std::function<bool()>& is_late);
  std::optional<std::string> ClaimPatchOf(const devices::Action& action) const;
  void Plan(size_t index);
  void Put(size_t index, std::string_view pool, std::optional<PoolEntry> entry);
  void WritePool(const std::string& name, const Edit& edit);
  std::vector<PoolEntry> EntriesOf(const PoolObject& pool, const Edit& edit);
  absl::Status Restore(const PoolObject& pool, PoolEntry entry, std::vector<PoolEntry>* entries,
                       std::optional<Room>* room) const;
  void ReportNoRoom(const devices::Action& action, const absl::Status& why);

  PoolEntry EntryOf(const devices::Action& action) const;
  void MakeIntent(PoolEntry* entry) const;

  const std::span<const devices::Action> actions_;
  const LiveView& view_;
  const ObjectCalls& calls_;
  const devices::WriterOptions& options_;
  devices::CustodyHost& host_;
  devices::Chooser& chooser_;
  devices::Carried carried_;
  std::vector<size_t> needed_;
  std::map<const ClaimObject*, absl::Status> claims_;  // that were written, or should have been
  std::map<std::string, Edit, std::less<>> edits_;     // by pool
};

}  // namespace outrigger::device_writer
