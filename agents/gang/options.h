#pragma once

#include <string>
#include <vector>

#include "board/board.h"
#include "plan_loop.h"
#include "settings.h"

// What settings come to.

namespace outrigger::gang {

/// The names of a list that is separated by commas; what is empty is left out.
std::vector<std::string> Names(const std::string& list);

/// This machine's, as the containers of a pod share it; empty if it cannot be told.
std::string HostName();

Patience PatienceOf(const Settings& settings);
/// InvalidArgument, for a person, if the setting `unchecked` is not accepted.
absl::StatusOr<plan::SchedulerChecks> ReadUnchecked(const Settings& settings);
LoopOptions LoopOptionsOf(const Settings& settings);

}  // namespace outrigger::gang
