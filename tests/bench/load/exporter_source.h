#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exporter.h"
#include "load/usage/source.h"
#include "outrigger/base/clock.h"
#include "trace.h"

namespace outrigger::load_bench {

/// What the default queries of `annotate usage` come to, on the samples of an Exporter: mean and
/// deviation of the idle rate of processors over a subquery of the window, the same of available
/// memory, and a forecast of chunk means. The further value is a congestion factor: percent of what
/// is allocatable, the mean of five minutes.
class ExporterSource final : public usage::Source {
 public:
  /// The first two outlive this.
  ExporterSource(const Trace* trace, const Exporter* exporter,
                 const usage::PrometheusOptions& options, double epoch, Clock clock);

  absl::StatusOr<usage::Reading> Read(std::span<const usage::NodeQuestion> nodes,
                                      std::stop_token stop) override;
  std::string Name() const override { return "exporters of a trace"; }

 private:
  using Points = std::vector<double>;

  usage::NodeReading ReadNode(size_t node, const usage::NodeQuestion& question, double end) const;
  usage::Free FreeOf(const Points& window, const Points& chunks) const;
  Points IdleOf(size_t node, double end, double window) const;
  Points AvailableOf(size_t node, double end, double window) const;

  const Trace& trace_;
  const Exporter& exporter_;
  const usage::PrometheusOptions options_;
  const double epoch_;
  const Clock clock_;
  std::map<std::string, size_t> places_;
};

}  // namespace outrigger::load_bench
