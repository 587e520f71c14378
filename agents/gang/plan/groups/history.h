#pragma once

#include "gang/plan/groups/gang.h"

namespace outrigger::plan {

/// Returns the value of kStartedWith; 0 if the pod has none, or one that is no minimum.
int64_t StartedWith(const Pod& pod);

/// Counts which members of this start of the gang have run, and takes those that succeeded off what
/// is needed. `findings` has the minimum, the roles and what is bound. Everything is read from pods
/// that still exist, so an agent that restarts finds the same.
void CountHistory(const Gang& gang, const GroupOptions& options, Findings* findings);

/// True if members that come now are planned one by one: the gang was admitted and can never be
/// whole again, or it has lost members and ignores that.
bool ComeOneByOne(const Findings& findings);

}  // namespace outrigger::plan
