#pragma once

#include "measures.h"
#include "policy.h"
#include "trace.h"

namespace outrigger::load_bench {

/// Lets the trace happen, with the contender's policy deciding. The same for the same arguments.
Measures Replay(const Trace& trace, const Contender& contender);

}  // namespace outrigger::load_bench
