#include "load/commands/make_source.h"

#include <chrono>
#include <utility>
#include <vector>

#include "load/annotate/allocation_source.h"
#include "load/annotate/usage_source.h"

namespace outrigger::cli {
namespace {

using std::chrono::seconds;

usage::PrometheusQueries QueriesOf(const AnnotateSettings& settings) {
  return {.nodes = settings.query_nodes,
          .names = settings.query_names,
          .scrapes = settings.query_scrapes,
          .cpu_mean = settings.query_cpu_mean,
          .cpu_deviation = settings.query_cpu_deviation,
          .cpu_series = settings.query_cpu_series,
          .memory_mean = settings.query_memory_mean,
          .memory_deviation = settings.query_memory_deviation,
          .memory_series = settings.query_memory_series};
}

usage::PrometheusOptions PrometheusOptionsOf(const AnnotateOptions& options,
                                             usage::Progress progress) {
  const AnnotateSettings& settings = options.settings;
  usage::PrometheusOptions prometheus;
  prometheus.url = settings.prometheus_url;
  prometheus.url_by = options.prometheus_url_by;
  prometheus.ca_file = settings.prometheus_ca_file;
  prometheus.cert_file = settings.prometheus_cert_file;
  prometheus.key_file = settings.prometheus_key_file;
  prometheus.token_file = settings.prometheus_token_file;
  prometheus.header_file = settings.prometheus_header_file;
  prometheus.exporter_port = static_cast<int>(settings.exporter_port);
  prometheus.matchers = settings.prometheus_matchers;
  prometheus.window = seconds(settings.window);
  prometheus.step = seconds(settings.step);
  prometheus.forecast = settings.forecast;
  prometheus.original_arithmetic = settings.original_arithmetic;
  prometheus.use_requests = settings.use_requests;
  prometheus.queries = QueriesOf(settings);
  prometheus.further = options.further;
  prometheus.progress = std::move(progress);
  return prometheus;
}

usage::Fetch FetchFrom(kube::Api* api) {
  return
      [api](const std::string& path, const std::stop_token& stop) -> absl::StatusOr<std::string> {
        kube::ApiRequest request;
        request.path = path;
        request.stop = stop;
        request.rate_limited = false;
        absl::StatusOr<kube::ApiResponse> answer = api->Call(request);
        if (!answer.ok()) return answer.status();
        return std::move(answer->body);
      };
}

absl::StatusOr<std::unique_ptr<usage::Source>> MakeUsageSource(const AnnotateOptions& options,
                                                               kube::Api* api,
                                                               usage::Progress progress) {
  const AnnotateSettings& settings = options.settings;
  if (settings.source == "prometheus") {
    return usage::MakePrometheusSource(PrometheusOptionsOf(options, std::move(progress)));
  }
  if (settings.source == "metrics") {
    usage::MetricsOptions metrics;
    metrics.window = seconds(settings.window);
    metrics.forecast = settings.forecast;
    return usage::MakeMetricsApiSource(FetchFrom(api), std::move(metrics));
  }
  usage::FileOptions file;
  file.path = settings.file;
  file.window = seconds(settings.window);
  file.forecast = settings.forecast;
  return usage::MakeFileSource(std::move(file));
}

}  // namespace

absl::StatusOr<std::unique_ptr<annotate::ValueSource>> MakeValueSource(
    const AnnotateOptions& options, kube::Api* api, usage::Progress progress,
    std::function<void(const std::string& line)> warn) {
  if (options.what == Annotating::kAllocation) {
    return std::make_unique<annotate::AllocationSource>(annotate::AllocationOptions{
        .gpu = options.settings.gpu, .original_arithmetic = options.settings.original_arithmetic});
  }
  auto source = MakeUsageSource(options, api, std::move(progress));
  if (!source.ok()) return source.status();
  annotate::UsageOptions usage;
  for (const usage::FurtherQuery& query : options.further) {
    usage.further.push_back(query.annotation);
  }
  usage.original_arithmetic = options.settings.original_arithmetic;
  usage.needs_history = options.settings.source != "prometheus";
  return std::make_unique<annotate::UsageSource>(*std::move(source), std::move(usage),
                                                 std::move(warn));
}

}  // namespace outrigger::cli
