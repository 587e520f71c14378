#pragma once

#include "outrigger/k8s/priority_class.h"
#include "outrigger/penalty/ledger.h"
#include "outrigger/penalty/replacement.h"
#include "outrigger/penalty/time.h"

// A class that another writer made: a person, or a tool that applies manifests.

namespace outrigger::penalty {

/// What became of a class that has an account, and that is as `fresh` now.
Replacement AdoptedAs(const ClassAccount& account, const PriorityClass& fresh, Millis now);

/// The class that was adopted, as far as Ledger::Adopt() reads it.
PriorityClass AsFound(const Replacement& adopted);

}  // namespace outrigger::penalty
