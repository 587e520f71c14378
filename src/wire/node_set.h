#pragma once

#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace outrigger::wire {

/// FailedPrecondition unless `given` names exactly the nodes of `names`, each once, in any order.
/// Takes out of `names` what it finds.
absl::Status CheckSameNames(const std::vector<std::string_view>& given,
                            absl::flat_hash_set<absl::string_view>* names);

}  // namespace outrigger::wire
