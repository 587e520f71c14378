#pragma once

#include <memory>

#include "console/settings/annotate_settings.h"
#include "exporter.h"
#include "load/annotate/differ.h"
#include "load/annotate/usage_source.h"
#include "promql/prometheus.h"
#include "virtual_cluster.h"

namespace outrigger::load_bench {

/// `outrigger annotate usage` with its defaults and a query of congestion-factor, at a Prometheus
/// that scrapes an Exporter: what it asks and computes, what of that is worth a patch, and the
/// annotations that nodes then have. Not thread-safe.
class Chain {
 public:
  /// All outlive this.
  Chain(const Trace* trace, const Exporter* exporter, VirtualCluster* cluster);

  /// Makes the passes that are due.
  void Advance();

 private:
  void Pass();

  const cli::AnnotateSettings settings_;
  VirtualCluster& cluster_;
  const Clock clock_;
  Prometheus prometheus_;
  annotate::UsageSource source_;
  annotate::Forgetting forgetting_;
  double next_ = 0;
};

}  // namespace outrigger::load_bench
