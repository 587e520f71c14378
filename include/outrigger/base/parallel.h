#pragma once

#include <cstddef>

#include "absl/functional/function_ref.h"

namespace outrigger {

/// Calls `work` once for each index below `count`, on at most `most_threads` threads. The caller's
/// is one of them. Returns when all calls have returned. Indexes are taken in ascending order.
/// `work` is called from several threads at once and must not throw. For calls that wait, such as
/// requests to the API server: threads are started for each ParallelFor().
void ParallelFor(size_t count, size_t most_threads, absl::FunctionRef<void(size_t)> work);

}  // namespace outrigger
