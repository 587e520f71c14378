#include "chain.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "fmt/format.h"
#include "load/annotate/node_values.h"

namespace outrigger::load_bench {
namespace {

// Percent of the machine's processors, the mean of five minutes.
const usage::FurtherQuery kCongestion{
    "congestion-factor",
    "100 - 100 * avg by ($label) "
    R"((rate(node_cpu_seconds_total{mode="idle",$label=~"$nodes"}[5m])))"};

[[noreturn]] void Fail(const absl::Status& status) {
  std::fprintf(stderr, "annotate usage: %s\n", status.ToString().c_str());
  std::abort();
}

std::unique_ptr<usage::Source> SourceOf(const std::string& url,
                                        const cli::AnnotateSettings& settings, const Clock& clock) {
  usage::PrometheusOptions options;
  options.url = url;
  options.window = std::chrono::seconds(settings.window);
  options.step = std::chrono::seconds(settings.step);
  options.forecast = settings.forecast;
  options.exporter_port = static_cast<int>(settings.exporter_port);
  options.further = {kCongestion};
  options.clock = clock;
  auto source = usage::MakePrometheusSource(std::move(options));
  if (!source.ok()) Fail(source.status());
  return *std::move(source);
}

cli::AnnotateSettings SettingsWith(bool forecasts) {
  cli::AnnotateSettings settings;
  settings.forecast = forecasts;
  return settings;
}

annotate::UsageOptions OptionsOf(bool has_queries) {
  annotate::UsageOptions options;
  if (has_queries) options.further = {kCongestion.annotation};
  options.needs_history = !has_queries;
  return options;
}

/// What metrics-server says: each node's use between its last two scrapes.
std::string MetricsBody(const Trace& trace, const Exporter& exporter) {
  std::string items;
  for (size_t node = 0; node < trace.nodes.size(); ++node) {
    const auto idle = exporter.idle(node);
    if (idle.size() < 2) continue;
    const double time = idle.back().time;
    const double covers = time - idle[idle.size() - 2].time;
    const auto used = exporter.Over(node, time, covers + 1);
    const absl::Time at = absl::FromUnixSeconds(kEpoch + static_cast<int64_t>(time));
    items += fmt::format(R"({}{{"metadata":{{"name":"{}"}},"timestamp":"{}","window":"{:.0f}s",)"
                         R"("usage":{{"cpu":"{:.0f}n","memory":"{:.0f}Ki"}}}})",
                         items.empty() ? "" : ",", trace.nodes[node].name,
                         absl::FormatTime(absl::RFC3339_sec, at, absl::UTCTimeZone()), covers,
                         used->mean.cpu * 1e6, used->mean.memory / 1024);
  }
  return fmt::format(R"({{"kind":"NodeMetricsList","items":[{}]}})", items);
}

std::unique_ptr<usage::Source> MetricsOf(const Trace* trace, const Exporter* exporter,
                                         const cli::AnnotateSettings& settings,
                                         const Clock& clock) {
  const auto fetch = [trace, exporter](const std::string& /*path*/, const std::stop_token&) {
    return absl::StatusOr<std::string>(MetricsBody(*trace, *exporter));
  };
  usage::MetricsOptions options;
  options.window = std::chrono::seconds(settings.window);
  options.forecast = settings.forecast;
  options.clock = clock;
  auto source = usage::MakeMetricsApiSource(fetch, std::move(options));
  if (!source.ok()) Fail(source.status());
  return *std::move(source);
}

// A query that this Prometheus does not understand would make all figures those of no load.
void CheckAnswers(const annotate::NodeValues& values) {
  for (const annotate::MissingValue& missing : values.missing) {
    if (missing.lack == annotate::Lack::kFailed) {
      Fail(absl::InternalError(missing.annotation + ": " + missing.detail));
    }
  }
}

annotate::Annotations ShownBy(const Node& node, const std::vector<std::string>& keys) {
  annotate::Annotations shown;
  for (const std::string& key : keys) {
    if (const std::string* text = node.annotations.Find(key)) shown.emplace(key, *text);
  }
  return shown;
}

}  // namespace

Chain::Chain(const Trace* trace, const Exporter* exporter, VirtualCluster* cluster,
             std::string_view source, bool forecasts)
    : settings_(SettingsWith(forecasts)),
      cluster_(*cluster),
      clock_(cluster->clock()),
      prometheus_(source == "metrics" ? nullptr : std::make_unique<Prometheus>(trace, exporter)),
      source_(prometheus_ == nullptr ? MetricsOf(trace, exporter, settings_, clock_)
                                     : SourceOf(prometheus_->url(), settings_, clock_),
              OptionsOf(prometheus_ != nullptr), nullptr),
      forgetting_(source_.Keys(), std::chrono::seconds(settings_.forget)) {}

void Chain::Advance() {
  if (cluster_.now() < next_) return;
  next_ = cluster_.now() + static_cast<double>(settings_.interval);
  if (prometheus_ != nullptr) prometheus_->Advance(cluster_.now(), kEpoch + cluster_.now());
  Pass();
}

// As annotate::Annotator does it in a round of all nodes, whose patches are all written.
void Chain::Pass() {
  const auto snapshot = cluster_.fake().Take()->snapshot;
  const auto values = source_.Compute(snapshot, annotate::Scope::kAll, {});
  if (!values.ok()) Fail(values.status());
  const annotate::DiffPolicy policy{.threshold = settings_.threshold,
                                    .refresh = std::chrono::seconds(settings_.refresh)};
  for (const annotate::NodeValues& wanted : *values) {
    CheckAnswers(wanted);
    const Node& node = snapshot->FindNode(wanted.node)->node();
    const annotate::Annotations shown = ShownBy(node, source_.Keys());
    const auto overdue = forgetting_.Due(wanted, shown, clock_.now());
    const annotate::NodeChange change = annotate::Difference(wanted, shown, overdue, policy);
    if (!change.empty()) cluster_.Annotate(node, change);
  }
}

}  // namespace outrigger::load_bench
