#include "serve/server/read_metrics.h"

#include <span>

namespace outrigger::server {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

/// A figure of something, and how it is called.
template <typename Of>
struct Figure {
  const char* name;
  MetricType type;
  const char* help;
  double (*value)(const Of& of);
};

/// Appends a family for each figure, with a sample for each of `all`.
template <typename Of>
void Append(std::span<const Figure<Of>> figures, const char* label,
            const std::vector<std::pair<std::string, Of>>& all,
            std::vector<MetricFamily>* families) {
  if (all.empty()) return;
  for (const Figure<Of>& figure : figures) {
    std::vector<Sample> samples;
    samples.reserve(all.size());
    for (const auto& [name, of] : all) {
      samples.emplace_back(prometheus::Labels{{label, name}}, figure.value(of));
    }
    families->push_back(Read(figure.name, figure.help, figure.type, samples));
  }
}

constexpr MetricType kCounter = MetricType::Counter;
constexpr MetricType kGauge = MetricType::Gauge;
constexpr Figure<http::ServerStats> kListenerFigures[] = {
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
     "TLS handshakes that were rejected, aborted or not completed in time.",
     [](const http::ServerStats& stats) { return static_cast<double>(stats.handshakes_failed); }},
    {"outrigger_http_requests_refused_total", kCounter,
     "Requests answered with 4xx or 5xx before they reached a handler.",
     [](const http::ServerStats& stats) { return static_cast<double>(stats.requests_refused); }},
    {"outrigger_http_calls_abandoned_total", kCounter,
     "Calls whose caller disconnected before the response.",
     [](const http::ServerStats& stats) { return static_cast<double>(stats.calls_abandoned); }},
    {"outrigger_http_connections", kGauge, "Open connections.",
     [](const http::ServerStats& stats) { return static_cast<double>(stats.connections); }},
    {"outrigger_http_workers", kGauge, "Threads for calls that do not block.",
     [](const http::ServerStats& stats) { return static_cast<double>(stats.workers); }},
    {"outrigger_http_blocking_calls", kGauge, "Calls in flight that may block (bind).",
     [](const http::ServerStats& stats) { return static_cast<double>(stats.blocked); }},
    {"outrigger_http_requests_in_flight", kGauge, "Requests in flight, including blocking ones.",
     [](const http::ServerStats& stats) { return static_cast<double>(stats.in_flight); }},
    {"outrigger_http_body_bytes", kGauge, "Memory held by large bodies in flight.",
     [](const http::ServerStats& stats) { return static_cast<double>(stats.body_bytes); }},
};

constexpr Figure<FollowedResource> kResourceFigures[] = {
    {"outrigger_watch_synced", kGauge, "1 once all objects of the kind were seen.",
     [](const FollowedResource& of) { return of.synced ? 1.0 : 0.0; }},
    {"outrigger_watch_age_seconds", kGauge,
     "Time since the watched state was last known to be complete; -1 before that.",
     [](const FollowedResource& of) { return of.age_seconds; }},
    {"outrigger_watch_objects", kGauge, "Objects in the watched state.",
     [](const FollowedResource& of) { return static_cast<double>(of.objects); }},
    {"outrigger_watch_unreadable_objects", kGauge,
     "Objects whose last state could not be read; the previous state is used.",
     [](const FollowedResource& of) { return static_cast<double>(of.unreadable); }},
    {"outrigger_watch_events_total", kCounter, "Watch events received, including bookmarks.",
     [](const FollowedResource& of) { return static_cast<double>(of.events); }},
    {"outrigger_watch_relists_total", kCounter, "Full lists started.",
     [](const FollowedResource& of) { return static_cast<double>(of.relists); }},
    {"outrigger_watch_starts_total", kCounter, "Watches started.",
     [](const FollowedResource& of) { return static_cast<double>(of.watches); }},
    {"outrigger_watch_failures_total", kCounter, "Lists and watches that failed.",
     [](const FollowedResource& of) { return static_cast<double>(of.failures); }},
};

}  // namespace

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

void AppendListeners(const std::vector<std::pair<std::string, http::ServerStats>>& listeners,
                     std::vector<MetricFamily>* families) {
  Append<http::ServerStats>(kListenerFigures, "listener", listeners, families);
}

void AppendCluster(const FollowedCluster& cluster, std::vector<MetricFamily>* families) {
  std::vector<std::pair<std::string, FollowedResource>> all;
  all.reserve(cluster.resources.size());
  for (const FollowedResource& resource : cluster.resources)
    all.emplace_back(resource.resource, resource);
  Append<FollowedResource>(kResourceFigures, "resource", all, families);
  families->push_back(
      Read("outrigger_events_total",
           "Kubernetes Events, by result: written, or dropped (rejected by the API server, too "
           "many of one object, or too many in the queue).",
           kCounter,
           {{{{"result", "written"}}, static_cast<double>(cluster.events_written)},
            {{{"result", "dropped"}}, static_cast<double>(cluster.events_dropped)}}));
}

void AppendShown(const std::vector<ShownFamily>& shown, std::vector<MetricFamily>* families) {
  for (const ShownFamily& family : shown) {
    std::vector<Sample> samples;
    for (const ShownFamily::Series& series : family.series) {
      prometheus::Labels labels;
      for (const auto& [name, value] : series.labels) labels.emplace(name, value);
      samples.emplace_back(std::move(labels), series.value);
    }
    const MetricType type = family.is_counter ? MetricType::Counter : MetricType::Gauge;
    families->push_back(Read(family.name.c_str(), family.help.c_str(), type, samples));
  }
}

}  // namespace outrigger::server
