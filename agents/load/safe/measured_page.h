#pragma once

#include <string_view>

#include "assessment_cache.h"
#include "outrigger/agent/page.h"
#include "settings.h"

// The page that shows why nodes score as they do.

namespace outrigger::safe {

/// What the agent answers about a node for a pod that asks for nothing. `node` and `assessment`
/// live as long as the call that takes it.
struct NodeAnswer {
  std::string_view node;
  const Assessment& assessment;
  /// Of a resource whose statistics are known.
  Amounts risk = {};
  bool fits = true;
  // 0 to 1, as Scorer has them.
  double score = 0;
  double overload = 0;
  double balance = 0;
  /// An annotation of the node could not be read.
  bool has_malformed = false;
};

/// The page "measured": a row for each node of the cluster, by name.
PageSpec MeasuredPage(const Settings& settings);

/// Adds the row of a node. `now` is in seconds since 1970. Thread-safe.
void AddRow(const NodeAnswer& answer, const Settings& settings, double now, PageTable* table);

}  // namespace outrigger::safe
