#pragma once

#include <string_view>

#include "plan/groups/gang.h"

namespace outrigger::plan {

/// Sets cause and text of the state if something stands against planning the gang and a member
/// waits. `bad_topology` is what is wrong with the required levels, or empty. A minimum that is
/// out of range becomes 0.
void FindGroupCause(const Gang& gang, const GroupOptions& options, std::string_view bad_topology,
                    Findings* findings);

}  // namespace outrigger::plan
