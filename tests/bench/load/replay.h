#pragma once

#include <memory>

#include "absl/functional/function_ref.h"
#include "measures.h"
#include "policy.h"
#include "trace.h"

namespace outrigger::load_bench {

using MakePolicy = absl::FunctionRef<std::unique_ptr<Policy>(const Scene& scene)>;

/// Lets the trace happen, with that policy deciding. The same for the same arguments.
Measures Replay(const Trace& trace, MakePolicy make);

}  // namespace outrigger::load_bench
