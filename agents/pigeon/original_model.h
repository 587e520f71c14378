#pragma once

#include <span>
#include <vector>

#include "original.h"
#include "outrigger/agent/request.h"
#include "outrigger/agent/verdict.h"
#include "outrigger/base/mutex.h"
#include "settings.h"

namespace outrigger::pigeon {

/// The original program: what it reads of nodes and pods, and how it answers, faults included. The
/// cluster is the nodes of the call; every call for scores counts its pod again. Thread-safe.
class OriginalModel {
 public:
  /// `options.resources` are the first of the original's five.
  explicit OriginalModel(const Options& options);

  /// A node of which only the name is known fits.
  void Filter(const Request& request, std::span<Verdict> verdicts) const;
  /// A node of which only the name is known scores 0, and is none of the cluster.
  void Score(const Request& request, std::span<NodeScore> scores);

 private:
  std::vector<int32_t> Asked(const Pod& pod) const;
  original::Node Read(const Request& request, const Node& node) const;

  const original::Terms terms_;
  const size_t resources_;
  const bool counts_;
  Mutex mutex_;
  original::Demand demand_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::pigeon
