#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "kube/api.h"
#include "outrigger/agent/elections.h"
#include "outrigger/base/clock.h"

namespace outrigger::kube {

/// What Elections::Stand() promises, by LeaderElection. `warn` is what an operator should know, in
/// a line; may be empty. `api` outlives the candidacy.
absl::StatusOr<std::unique_ptr<Candidacy>> StandForElection(
    Api* api, LeaseClaim claim, ElectionCallbacks callbacks,
    std::function<void(const std::string& line)> warn, Clock clock);

}  // namespace outrigger::kube
