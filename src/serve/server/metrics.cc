#include "serve/server/metrics.h"

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "outrigger/base/mutex.h"
#include "serve/server/agent_metrics.h"
#include "serve/server/process.h"
#include "serve/server/read_metrics.h"
#include "serve/server/series.h"
#include "serve/server/version.h"

namespace outrigger::server {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr size_t kMaxAgents = 256;

void AppendProcess(std::vector<MetricFamily>* families) {
  const auto figures = ReadProcessFigures();
  if (!figures) return;
  const auto add = [&](const char* name, const char* help, MetricType type, double value) {
    families->push_back(Read(name, help, type, {{{}, value}}));
  };
  constexpr auto kGauge = MetricType::Gauge;
  add("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.",
      MetricType::Counter, figures->cpu_seconds);
  add("process_virtual_memory_bytes", "Virtual memory size in bytes.", kGauge,
      figures->virtual_bytes);
  add("process_resident_memory_bytes", "Resident memory size in bytes.", kGauge,
      figures->resident_bytes);
  add("process_start_time_seconds", "Start time of the process since unix epoch in seconds.",
      kGauge, figures->start_seconds);
  add("process_threads", "Number of threads.", kGauge, figures->threads);
  add("process_open_fds", "Number of open file descriptors.", kGauge, figures->open_fds);
  add("process_max_fds", "Maximum number of open file descriptors.", kGauge, figures->max_fds);
}

MetricFamily BuildInfo() {
  const Version& version = GetVersion();
  return Read("outrigger_build_info", "Version of this program; always 1.", MetricType::Gauge,
              {{{{"version", std::string(version.version)},
                 {"commit", std::string(version.commit)},
                 {"compiler", std::string(version.compiler)},
                 {"build_type", std::string(version.build_type)}},
                1}});
}

// What is in the registry and needs no graph.
constexpr std::array<std::string_view, 5> kUnread = {
    "outrigger_extender_request_bytes_total", "outrigger_extender_response_bytes_total",
    "outrigger_extender_nodes_total", "outrigger_malformed_values_total",
    "outrigger_unknown_nodes_total"};

ShownFamily ShownOf(const MetricFamily& family) {
  ShownFamily shown{.name = family.name,
                    .help = family.help,
                    .is_counter = family.type == MetricType::Counter,
                    .series = {}};
  shown.series.reserve(family.metric.size());
  for (const prometheus::ClientMetric& metric : family.metric) {
    ShownFamily::Series& series = shown.series.emplace_back();
    for (const auto& label : metric.label) series.labels.emplace_back(label.name, label.value);
    series.value = shown.is_counter ? metric.counter.value : metric.gauge.value;
  }
  return shown;
}

class MetricsImpl final : public Metrics {
 public:
  void OnCall(const engine::CallRecord& call) override {
    Agent(call.agent).Call(call.verb).Count(call);
  }
  void OnRejected(std::string_view agent, std::string_view reason_class, size_t count) override {
    Agent(agent).Rejected(reason_class).Increment(static_cast<double>(count));
  }
  void OnMalformed(std::string_view agent, std::string_view field) override {
    Agent(agent.empty() ? "decoder" : agent).Malformed(field).Increment();
  }
  void OnUnknownNodes(std::string_view agent, size_t count) override {
    Agent(agent).Unknown().Increment(static_cast<double>(count));
  }
  void Declare(std::span<const engine::Endpoint> endpoints) override;
  void Watch(std::string_view listener, std::function<http::ServerStats()> stats) override;
  void Follow(std::function<FollowedCluster()> cluster) override;
  void Show(std::function<std::vector<ShownFamily>()> families) override;
  absl::StatusOr<AgentMetrics*> OfAgent(const AgentInfo& agent) override { return own_.Of(agent); }
  std::vector<ShownFamily> Read() const override;
  std::string Render() const override;

 private:
  AgentSeries& Agent(std::string_view name) {
    return agents_.Get(name, [this](std::string_view agent) {
      owned_.push_back(std::make_unique<AgentSeries>(families_, std::string(agent)));
      return owned_.back().get();
    });
  }

  void AppendRead(std::vector<MetricFamily>* families) const;

  prometheus::Registry registry_;
  Families families_{registry_};
  AgentFamilies own_{registry_};
  SeriesTable<AgentSeries> agents_{kMaxAgents};
  std::vector<std::unique_ptr<AgentSeries>> owned_;  // changed under the lock of agents_

  mutable Mutex mutex_;
  std::map<std::string, std::function<http::ServerStats()>, std::less<>> listeners_
      ABSL_GUARDED_BY(mutex_);
  std::function<FollowedCluster()> cluster_ ABSL_GUARDED_BY(mutex_);
  std::function<std::vector<ShownFamily>()> shown_ ABSL_GUARDED_BY(mutex_);
};

void MetricsImpl::Declare(std::span<const engine::Endpoint> endpoints) {
  for (const engine::Endpoint& endpoint : endpoints) {
    AgentSeries& agent = Agent(endpoint.agent);
    agent.Call(endpoint.verb);
    agent.Unknown();
  }
}

void MetricsImpl::Watch(std::string_view listener, std::function<http::ServerStats()> stats) {
  const MutexLock lock(mutex_);
  if (stats) {
    listeners_.insert_or_assign(std::string(listener), std::move(stats));
  } else if (const auto found = listeners_.find(listener); found != listeners_.end()) {
    listeners_.erase(found);
  }
}

void MetricsImpl::Follow(std::function<FollowedCluster()> cluster) {
  const MutexLock lock(mutex_);
  cluster_ = std::move(cluster);
}

void MetricsImpl::Show(std::function<std::vector<ShownFamily>()> families) {
  const MutexLock lock(mutex_);
  shown_ = std::move(families);
}

void MetricsImpl::AppendRead(std::vector<MetricFamily>* families) const {
  const MutexLock lock(mutex_);
  std::vector<std::pair<std::string, http::ServerStats>> listeners;
  for (const auto& [listener, stats] : listeners_) listeners.emplace_back(listener, stats());
  AppendListeners(listeners, families);
  if (cluster_) AppendCluster(cluster_(), families);
  if (shown_) AppendShown(shown_(), families);
}

std::vector<ShownFamily> MetricsImpl::Read() const {
  std::vector<ShownFamily> read;
  for (const MetricFamily& family : registry_.Collect()) {
    const bool is_number = family.type == MetricType::Counter || family.type == MetricType::Gauge;
    const bool is_read = std::ranges::find(kUnread, family.name) == kUnread.end();
    if (is_number && is_read) read.push_back(ShownOf(family));
  }
  const MutexLock lock(mutex_);
  if (!shown_) return read;
  for (ShownFamily& family : shown_()) read.push_back(std::move(family));
  return read;
}

std::string MetricsImpl::Render() const {
  std::vector<MetricFamily> families = registry_.Collect();
  AppendRead(&families);
  families.push_back(BuildInfo());
  AppendProcess(&families);
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace

std::unique_ptr<Metrics> Metrics::Create() {
  return std::make_unique<MetricsImpl>();
}

}  // namespace outrigger::server
