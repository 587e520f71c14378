#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "outrigger/agent/page.h"

// The queue in the forms of `outrigger explain queue -o`. `queue` has a row for each unit.

namespace outrigger::cli {

/// A row per unit, with "-" for what is absent, or "Nothing waits.". `now`, in seconds since 1970,
/// is what ages are counted to. `columns` is where rows are cut (0: nowhere).
std::string QueueTable(const PageTable& queue, int64_t now, bool color, size_t columns);

/// `rows`, `total` and `truncated`, as the page of the agent has them. YAML has the same keys.
std::string QueueJson(const PageTable& queue);
std::string QueueYaml(const PageTable& queue);

}  // namespace outrigger::cli
