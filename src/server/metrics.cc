#include "server/metrics.h"

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "server/process.h"
#include "server/series.h"
#include "server/series_table.h"
#include "server/version.h"

namespace outrigger::server {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr size_t kMaxAgents = 256;

using Sample = std::pair<prometheus::Labels, double>;

/// A family whose values are read when it is rendered.
MetricFamily Read(const char* name, const char* help, MetricType type,
                  const std::vector<Sample>& samples) {
  MetricFamily family{name, help, type, {}};
  for (const auto& [labels, value] : samples) {
    prometheus::ClientMetric metric;
    for (const auto& [key, text] : labels) metric.label.push_back({key, text});
    (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
    family.metric.push_back(std::move(metric));
  }
  return family;
}

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
  return Read("outrigger_build_info", "What runs here; always 1.", MetricType::Gauge,
              {{{{"version", std::string(version.version)},
                 {"commit", std::string(version.commit)},
                 {"compiler", std::string(version.compiler)},
                 {"build_type", std::string(version.build_type)}},
                1}});
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
  std::string Render() const override;

 private:
  AgentSeries& Agent(std::string_view name) {
    return agents_.Get(name, [this](std::string_view agent) {
      owned_.push_back(std::make_unique<AgentSeries>(families_, std::string(agent)));
      return owned_.back().get();
    });
  }
  void AppendListeners(std::vector<MetricFamily>* families) const;

  prometheus::Registry registry_;
  Families families_{registry_};
  SeriesTable<AgentSeries> agents_{kMaxAgents};
  std::vector<std::unique_ptr<AgentSeries>> owned_;  // changed under the lock of agents_

  mutable std::mutex mutex_;
  std::map<std::string, std::function<http::ServerStats()>, std::less<>> listeners_;
};

void MetricsImpl::Declare(std::span<const engine::Endpoint> endpoints) {
  for (const engine::Endpoint& endpoint : endpoints) {
    AgentSeries& agent = Agent(endpoint.agent);
    agent.Call(endpoint.verb);
    agent.Unknown();
  }
}

void MetricsImpl::Watch(std::string_view listener, std::function<http::ServerStats()> stats) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stats) {
    listeners_.insert_or_assign(std::string(listener), std::move(stats));
  } else if (const auto found = listeners_.find(listener); found != listeners_.end()) {
    listeners_.erase(found);
  }
}

/// A figure of a listener, and how it is called.
struct ListenerMetric {
  const char* name;
  MetricType type;
  const char* help;
  double (*value)(const http::ServerStats& stats);
};

constexpr MetricType kCounter = MetricType::Counter;
constexpr MetricType kGauge = MetricType::Gauge;
constexpr ListenerMetric kListenerMetrics[] = {
    {"outrigger_http_connections_total", kCounter, "Connections accepted.",
     [](const http::ServerStats& stats) {
       return static_cast<double>(stats.connections_accepted);
     }},
    {"outrigger_http_connections_refused_total", kCounter,
     "Connections answered with 503 at once, because there were too many.",
     [](const http::ServerStats& stats) { return static_cast<double>(stats.connections_refused); }},
    {"outrigger_http_connections_evicted_total", kCounter,
     "Waiting connections that were closed to make room for new ones.",
     [](const http::ServerStats& stats) { return static_cast<double>(stats.connections_evicted); }},
    {"outrigger_http_tls_handshakes_failed_total", kCounter,
     "TLS handshakes that were refused, broken off or not completed in time.",
     [](const http::ServerStats& stats) { return static_cast<double>(stats.handshakes_failed); }},
    {"outrigger_http_requests_refused_total", kCounter,
     "Requests answered with 4xx or 5xx before they reached a handler.",
     [](const http::ServerStats& stats) { return static_cast<double>(stats.requests_refused); }},
    {"outrigger_http_calls_abandoned_total", kCounter,
     "Calls whose caller had gone before the answer.",
     [](const http::ServerStats& stats) { return static_cast<double>(stats.calls_abandoned); }},
    {"outrigger_http_connections", kGauge, "Open connections.",
     [](const http::ServerStats& stats) { return static_cast<double>(stats.connections); }},
    {"outrigger_http_workers", kGauge, "Threads for calls that do not block.",
     [](const http::ServerStats& stats) { return static_cast<double>(stats.workers); }},
    {"outrigger_http_blocking_calls", kGauge, "Calls under way that may block (bind).",
     [](const http::ServerStats& stats) { return static_cast<double>(stats.blocked); }},
    {"outrigger_http_requests_in_flight", kGauge,
     "Requests that are being handled, the blocking ones included.",
     [](const http::ServerStats& stats) { return static_cast<double>(stats.in_flight); }},
    {"outrigger_http_body_bytes", kGauge, "Memory that large bodies under way hold.",
     [](const http::ServerStats& stats) { return static_cast<double>(stats.body_bytes); }},
};

void MetricsImpl::AppendListeners(std::vector<MetricFamily>* families) const {
  std::vector<std::pair<prometheus::Labels, http::ServerStats>> all;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [listener, stats] : listeners_) {
      all.emplace_back(prometheus::Labels{{"listener", listener}}, stats());
    }
  }
  if (all.empty()) return;
  for (const ListenerMetric& metric : kListenerMetrics) {
    std::vector<Sample> samples;
    samples.reserve(all.size());
    for (const auto& [labels, stats] : all) samples.emplace_back(labels, metric.value(stats));
    families->push_back(Read(metric.name, metric.help, metric.type, samples));
  }
}

std::string MetricsImpl::Render() const {
  std::vector<MetricFamily> families = registry_.Collect();
  AppendListeners(&families);
  families.push_back(BuildInfo());
  AppendProcess(&families);
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace

std::unique_ptr<Metrics> Metrics::Create() {
  return std::make_unique<MetricsImpl>();
}

}  // namespace outrigger::server
