#pragma once

#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "sdk/names/name_set.h"

namespace outrigger::wire {

/// FailedPrecondition unless `given` has exactly the names of `nodes`, each once, in any order.
/// `set` holds `nodes`, which differ.
absl::Status CheckSameNames(std::span<const std::string_view> given,
                            std::span<const std::string_view> nodes, const names::NameSet& set);

}  // namespace outrigger::wire
