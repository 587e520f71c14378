#include "chain.h"

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "exporter_source.h"
#include "load/annotate/node_values.h"

namespace outrigger::load_bench {
namespace {

constexpr char kCongestion[] = "congestion-factor";

std::unique_ptr<usage::Source> SourceOf(const Trace* trace, const Exporter* exporter,
                                        const cli::AnnotateSettings& settings, const Clock& clock) {
  usage::PrometheusOptions options;
  options.window = std::chrono::seconds(settings.window);
  options.step = std::chrono::seconds(settings.step);
  options.forecast = settings.forecast;
  return std::make_unique<ExporterSource>(trace, exporter, options, kEpoch, clock);
}

annotate::Annotations ShownBy(const Node& node, const std::vector<std::string>& keys) {
  annotate::Annotations shown;
  for (const std::string& key : keys) {
    if (const std::string* text = node.annotations.Find(key)) shown.emplace(key, *text);
  }
  return shown;
}

}  // namespace

Chain::Chain(const Trace* trace, const Exporter* exporter, VirtualCluster* cluster)
    : cluster_(*cluster),
      clock_(cluster->clock()),
      source_(SourceOf(trace, exporter, settings_, clock_),
              annotate::UsageOptions{.further = {kCongestion}}, nullptr),
      forgetting_(source_.Keys(), std::chrono::seconds(settings_.forget)) {}

void Chain::Advance() {
  if (cluster_.now() < next_) return;
  next_ = cluster_.now() + static_cast<double>(settings_.interval);
  Pass();
}

// As annotate::Annotator does it in a round of all nodes, whose patches are all written.
void Chain::Pass() {
  const auto snapshot = cluster_.fake().Take()->snapshot;
  const auto values = source_.Compute(snapshot, annotate::Scope::kAll, {});
  if (!values.ok()) {
    std::fprintf(stderr, "annotate usage: %s\n", values.status().ToString().c_str());
    std::abort();
  }
  const annotate::DiffPolicy policy{.threshold = settings_.threshold,
                                    .refresh = std::chrono::seconds(settings_.refresh)};
  for (const annotate::NodeValues& wanted : *values) {
    const Node& node = snapshot->FindNode(wanted.node)->node();
    const annotate::Annotations shown = ShownBy(node, source_.Keys());
    const auto overdue = forgetting_.Due(wanted, shown, clock_.now());
    const annotate::NodeChange change = annotate::Difference(wanted, shown, overdue, policy);
    if (!change.empty()) cluster_.Annotate(node, change);
  }
}

}  // namespace outrigger::load_bench
