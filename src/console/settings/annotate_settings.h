#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "console/settings/setting_group.h"
#include "outrigger/agent/settings.h"

namespace outrigger::cli {

/// The two commands of `outrigger annotate`.
enum class Annotating : uint8_t { kUsage, kAllocation };

/// Settings of both commands; MakeAnnotateGroup() says which are whose.
struct AnnotateSettings {
  int64_t interval = 60;
  double qps = 50;
  double threshold = 0.01;
  int64_t refresh = 600;
  int64_t forget = 600;
  bool original_arithmetic = false;
  bool use_requests = false;
  std::string gpu = "nvidia.com/gpu";

  std::string source = "prometheus";
  std::string prometheus_url = "http://127.0.0.1:9090";
  std::string prometheus_ca_file;
  std::string prometheus_cert_file;
  std::string prometheus_key_file;
  std::string prometheus_token_file;
  std::string prometheus_header_file;
  std::string prometheus_matchers;
  int64_t window = 300;
  int64_t step = 15;
  bool forecast = false;
  int64_t exporter_port = 9100;
  std::string file;
  std::string query_nodes;
  std::string query_names;
  std::string query_scrapes;
  std::string query_cpu_mean;
  std::string query_cpu_deviation;
  std::string query_cpu_series;
  std::string query_memory_mean;
  std::string query_memory_deviation;
  std::string query_memory_series;

  std::string kubeconfig;
  std::string context;
  std::string max_staleness = "90s";
  std::string lease_name = "outrigger-annotate-usage";
  std::string lease_namespace = "kube-system";
  int64_t admin_port = 9981;
  std::string admin_bind = "127.0.0.1";
  bool metrics_from_anywhere = false;
  std::string log_level = "info";
  std::string log_format = "text";
  std::string port_file;

  static constexpr auto kFields = std::tuple{
      Setting{"interval", &AnnotateSettings::interval, Range{1, 86'400},
              "seconds between rounds over all nodes"},
      Setting{"qps", &AnnotateSettings::qps, Range{0.1, 10'000.0},
              "average node patches per second"},
      Setting{"threshold", &AnnotateSettings::threshold, Range{0.0, 1.0},
              "relative change above which a value is written; 0 writes every change"},
      Setting{"refresh", &AnnotateSettings::refresh, Range{1, 86'400},
              "seconds after which values below the threshold are written anyway, with their "
              "measurement time; at most the window"},
      Setting{"forget", &AnnotateSettings::forget, Range{0, 2'592'000},
              "seconds until an annotation is removed after its source has lost the value"},
      Setting{"original-arithmetic", &AnnotateSettings::original_arithmetic,
              "compute and write as the original program did, including its faults"},
      Setting{"use-requests", &AnnotateSettings::use_requests,
              "with --original-arithmetic: free memory is at least the memory that Running pods do "
              "not request"},
      Setting{"gpu", &AnnotateSettings::gpu, "extended resource for requested-gpu and free-gpu"},
      Setting{"source", &AnnotateSettings::source, "prometheus|metrics|file",
              "source of usage; metrics is metrics.k8s.io through the API server"},
      Setting{"prometheus-url", &AnnotateSettings::prometheus_url,
              "address of Prometheus, http:// or https://, with its path prefix if it has one"},
      Setting{"prometheus-ca-file", &AnnotateSettings::prometheus_ca_file,
              "CA certificates, in PEM, for Prometheus; this and the next four files are reloaded "
              "when they change"},
      Setting{"prometheus-cert-file", &AnnotateSettings::prometheus_cert_file,
              "client certificate for Prometheus, in PEM"},
      Setting{"prometheus-key-file", &AnnotateSettings::prometheus_key_file,
              "private key of --prometheus-cert-file, in PEM"},
      Setting{"prometheus-token-file", &AnnotateSettings::prometheus_token_file,
              "bearer token for Prometheus"},
      Setting{"prometheus-header-file", &AnnotateSettings::prometheus_header_file,
              "headers for each request, one per line, such as X-Scope-OrgID: tenant"},
      Setting{"prometheus-matchers", &AnnotateSettings::prometheus_matchers,
              "label matchers of all default queries, such as job=\"node-exporter\""},
      Setting{"window", &AnnotateSettings::window, Range{1, 31'536'000},
              "seconds that the mean covers; deviation and forecast cover three times as many"},
      Setting{"step", &AnnotateSettings::step, Range{1, 86'400},
              "seconds between two points of the window, for Prometheus"},
      Setting{"forecast", &AnnotateSettings::forecast,
              "also forecast the mean of the next hundredth of three windows"},
      Setting{"exporter-port", &AnnotateSettings::exporter_port, Range{1, 65535},
              "port of node_exporter; its instance is preferred if an address has several"},
      Setting{"file", &AnnotateSettings::file, "usage of nodes in JSON, with --source file"},
      Setting{"query-nodes", &AnnotateSettings::query_nodes,
              "PromQL: one series per node, with labels that identify it"},
      Setting{"query-names", &AnnotateSettings::query_names,
              "PromQL: one series per node, with its instance and nodename"},
      Setting{"query-scrapes", &AnnotateSettings::query_scrapes,
              "PromQL: raw samples of a few nodes, to detect the scrape interval"},
      Setting{"query-cpu-mean", &AnnotateSettings::query_cpu_mean,
              "PromQL: mean of free millicores over $window"},
      Setting{"query-cpu-deviation", &AnnotateSettings::query_cpu_deviation,
              "PromQL: standard deviation of free millicores over $history"},
      Setting{"query-cpu-series", &AnnotateSettings::query_cpu_series,
              "PromQL: free millicores at each $chunk, for the forecast"},
      Setting{"query-memory-mean", &AnnotateSettings::query_memory_mean,
              "PromQL: mean of free bytes over $window"},
      Setting{"query-memory-deviation", &AnnotateSettings::query_memory_deviation,
              "PromQL: standard deviation of free bytes over $history"},
      Setting{"query-memory-series", &AnnotateSettings::query_memory_series,
              "PromQL: free bytes at each $chunk, for the forecast"},
      // Without a text: as `outrigger serve` has them.
      Setting{"kubeconfig", &AnnotateSettings::kubeconfig, ""},
      Setting{"context", &AnnotateSettings::context, ""},
      Setting{"max-staleness", &AnnotateSettings::max_staleness,
              "age of the watched state above which nothing is written; at least 1m"},
      Setting{"lease-name", &AnnotateSettings::lease_name,
              "Lease whose holder writes; other replicas wait for it"},
      Setting{"lease-namespace", &AnnotateSettings::lease_namespace, "namespace of the Lease"},
      Setting{"admin-port", &AnnotateSettings::admin_port, Range{0, 65535}, ""},
      Setting{"admin-bind", &AnnotateSettings::admin_bind, ""},
      Setting{"metrics-from-anywhere", &AnnotateSettings::metrics_from_anywhere, ""},
      Setting{"log-level", &AnnotateSettings::log_level, "trace|debug|info|warn|error", ""},
      Setting{"log-format", &AnnotateSettings::log_format, "text|json", ""},
      Setting{"port-file", &AnnotateSettings::port_file, ""},
  };
};

/// A new set of the command's settings, at its defaults: --interval, OUTRIGGER_ANNOTATE_INTERVAL,
/// `interval` in the settings file.
SettingGroup MakeAnnotateGroup(Annotating what);

/// The values that MakeAnnotateGroup() has bound.
const AnnotateSettings& AnnotateSettingsOf(const SettingGroup& group);

}  // namespace outrigger::cli
