#pragma once

#include <memory>
#include <string_view>

#include "console/settings/annotate_settings.h"
#include "exporter.h"
#include "load/annotate/differ.h"
#include "load/annotate/usage_source.h"
#include "promql/prometheus.h"
#include "virtual_cluster.h"

namespace outrigger::load_bench {

/// `outrigger annotate usage` with its defaults, on the samples of an Exporter: what it asks and
/// computes, what of that is worth a patch, and the annotations that nodes then have. Its source is
/// a Prometheus that scrapes the exporter, with a query of congestion-factor, or a metrics-server,
/// which is read in each pass. Not thread-safe.
class Chain {
 public:
  /// `source` as the setting has it: "prometheus" or "metrics". With `forecasts` these are
  /// annotated, too. All outlive this.
  Chain(const Trace* trace, const Exporter* exporter, VirtualCluster* cluster,
        std::string_view source, bool forecasts);

  /// Makes the passes that are due.
  void Advance();

 private:
  void Pass();

  const cli::AnnotateSettings settings_;
  VirtualCluster& cluster_;
  const Clock clock_;
  const std::unique_ptr<Prometheus> prometheus_;  // null: the source is a metrics-server
  annotate::UsageSource source_;
  annotate::Forgetting forgetting_;
  double next_ = 0;
};

}  // namespace outrigger::load_bench
