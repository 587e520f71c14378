#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "annotate/value_source.h"
#include "usage/source.h"

namespace outrigger::annotate {

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
  void WarnOf(const std::vector<std::string>& notes);

  const std::unique_ptr<usage::Source> source_;
  const UsageOptions options_;
  const std::function<void(const std::string& line)> warn_;
  const std::vector<std::string> keys_;
  std::vector<std::string> notes_;  // of the reading before
};

}  // namespace outrigger::annotate
