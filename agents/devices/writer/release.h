#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "devices/writer/holdings.h"
#include "devices/writer/object_calls.h"
#include "devices/writer/writer.h"

namespace outrigger::device_writer {

/// An entry that is to go.
struct Removal {
  ClaimName claim;
  /// As it was before the claim was freed: an intent goes only if it is still this one, since any
  /// other may be of a writer that has seen the claim free.
  std::optional<PoolEntry> expected;
};

/// The status of a claim that is free: Pending, without devices and pods.
std::string FreedPatch(const ClaimObject& claim);

/// Frees claims, and after that what pools have for them. Calls may be repeated. Not thread-safe.
class Release {
 public:
  /// All outlive it.
  Release(const ObjectCalls* calls, const devices::WriterOptions* options,
          devices::Chooser* chooser)
      : calls_(*calls), options_(*options), chooser_(*chooser) {}

  /// Whether a pod no longer counts as one of its claim.
  using IsGone = std::function<bool(const devices::PodReference& pod)>;

  /// Takes these pods from the claim, which is Pending afterwards if no other pod uses it. True:
  /// the claim holds nothing now, or is gone without another pod: where one shared it, that pod may
  /// run with the devices. Of an allocation that is not that of `claim` any more nothing is taken.
  /// An error says that this is not known.
  absl::StatusOr<bool> TakePods(const ClaimObject& claim, const IsGone& is_gone) const;

  /// Removes entries of claims that hold nothing of the pool, as far as their claims confirm that.
  /// `known`: the pool with these entries as this caller wrote them, before any of the claims was
  /// written: they go without another look as long as the pool is in that version.
  absl::Status RemoveEntries(std::string_view pool, const std::vector<Removal>& removals,
                             const PoolObject* known) const;

 private:
  absl::StatusOr<bool> MayRemove(const PoolObject& pool, const Removal& removal) const;

  const ObjectCalls& calls_;
  const devices::WriterOptions& options_;
  devices::Chooser& chooser_;
};

}  // namespace outrigger::device_writer
