#pragma once

#include <cstddef>
#include <string_view>

#include "penalty/classes/account.h"
#include "penalty/classes/edges.h"
#include "penalty/classes/ledger.h"

namespace outrigger::penalty {

inline constexpr size_t kMostQueueName = 253;
inline constexpr size_t kMostNamespaceName = 63;

/// Whether a queue or namespace may have that name, of at most `most` bytes.
bool IsSumName(std::string_view name, size_t most);

/// Counts an edge in the sum `name` (empty, or longer than Kubernetes has it: in none). Its penalty
/// rises by what the class's did, or falls by what is left of it. Beyond kMostSums one is dropped:
/// of those whose penalty has decayed to nothing the one that changed longest ago; without these,
/// the smallest.
void CountInSum(EdgeKind edge, std::string_view name, const Added& added, const Policy& policy,
                Millis now, size_t most_name, Sums* sums);

}  // namespace outrigger::penalty
