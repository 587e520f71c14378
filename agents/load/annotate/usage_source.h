#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "load/annotate/node_values.h"
#include "load/annotate/value_source.h"
#include "load/usage/source.h"
#include "outrigger/agent/cluster_snapshot.h"

namespace outrigger::annotate {

// What the original program ("usage annotator") wrote, with its units: memory without a forecast of
// cpu, and four annotations for people.

/// The memory of a node as the original program counted it, in bytes.
struct OriginalMemoryTexts {
  int64_t allocatable = 0;  // digits of the text, times 1000
  int64_t requested = 0;    // of Running pods: digits of each request, times 10^6
};

/// The digits of the quantity times `unit`: "1985744Ki" is 1985744 units; so is "1985744Mi". At
/// most the largest int64_t.
int64_t OriginalAmount(std::string_view quantity, int64_t unit);

OriginalMemoryTexts OriginalMemoryOf(const NodeView& node);

std::vector<std::string> OriginalUsageKeys();

/// A forecast that is not asked for is "N/A", one that failed "None". The UsageKeys() that are not
/// among OriginalUsageKeys() are missing, and off; `further` as in UsageValues().
NodeValues OriginalUsageValues(const usage::NodeReading& node, const OriginalMemoryTexts& memory,
                               const std::vector<std::string>& further);

struct UsageOptions {
  /// Annotations of further queries, in the order of NodeReading::further.
  std::vector<std::string> further;
  bool original_arithmetic = false;  // OriginalUsageValues()
  bool needs_history = false;        // the source keeps samples of its own
};

/// What a usage::Source measures, as annotations of nodes: mean, deviation and forecast of free cpu
/// (millicores) and free memory (bytes) as integers, further values, and kMeasured. A value that is
/// absent or not finite is missing, never zero.
class UsageSource final : public ValueSource {
 public:
  /// `warn` gets the source's notes, each once while it repeats; may be empty.
  UsageSource(std::unique_ptr<usage::Source> source, UsageOptions options,
              std::function<void(const std::string& line)> warn);

  absl::StatusOr<std::vector<NodeValues>> Compute(std::shared_ptr<const ClusterSnapshot> snapshot,
                                                  Scope scope, std::stop_token stop) override;
  const std::vector<std::string>& Keys() const override { return keys_; }
  Needs Reads() const override;
  bool FollowsCluster() const override { return false; }
  bool NeedsHistory() const override { return options_.needs_history; }

 private:
  void WarnOf(std::vector<std::string> notes);

  const std::unique_ptr<usage::Source> source_;
  const UsageOptions options_;
  const std::function<void(const std::string& line)> warn_;
  const std::vector<std::string> keys_;
  std::vector<std::string> notes_;  // of the reading before
};

}  // namespace outrigger::annotate
