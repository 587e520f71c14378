#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "device_writer/object_calls.h"
#include "outrigger/devices/custodian.h"

namespace outrigger::device_writer {

/// What an action is about, as the API server has it now: the claim, its pools and its pods.
struct LiveView {
  std::vector<devices::PoolObject> pools;
  std::vector<devices::ClaimObject> claims;  // one, or none: it is gone
  std::vector<devices::PodFact> pods;

  const devices::PoolObject* FindPool(std::string_view name) const;
  const devices::ClaimObject* claim() const { return claims.empty() ? nullptr : &claims.front(); }
};

/// Reads it. The claim was in one version while the pools were read; Aborted: it was not.
absl::StatusOr<LiveView> ReadLiveView(const devices::Action& action, const ObjectCalls& calls,
                                      devices::CustodyHost* host, devices::Chooser* chooser);

}  // namespace outrigger::device_writer
