#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "http/client/client.h"
#include "load/usage/prometheus_client.h"
#include "load/usage/prometheus_pass.h"
#include "load/usage/queries.h"
#include "load/usage/source.h"
#include "outrigger/base/text.h"

namespace outrigger::usage {
namespace {

using std::chrono::seconds;

// A batch is estimated: Prometheus counts a little more than the samples of the subquery.
constexpr double kMargin = 0.8;
// After a refusal batches are half as large, and grow again by a tenth with each pass without one.
constexpr double kGrowth = 1.1;
constexpr double kFewestSamples = 10'000;

class PrometheusSource final : public Source {
 public:
  PrometheusSource(PrometheusOptions options, http_client::Client client)
      : options_(std::move(options)),
        client_(std::move(client)),
        bound_(options_.most_samples * kMargin) {}

  absl::StatusOr<Reading> Read(std::span<const NodeQuestion> nodes, std::stop_token stop) override {
    PrometheusPass pass(options_, client_, nodes, bound_, std::move(stop));
    absl::StatusOr<Reading> reading = pass.Run();
    bound_ = pass.was_refused() ? std::max(bound_ / 2, kFewestSamples)
                                : std::min(bound_ * kGrowth, options_.most_samples * kMargin);
    return reading;
  }

  std::string Name() const override { return "Prometheus at " + client_.url(); }

 private:
  const PrometheusOptions options_;
  const PrometheusClient client_;
  double bound_;  // samples of one query
};

absl::Status FaultOf(const PrometheusOptions& options) {
  if (options.window < seconds(1)) return absl::InvalidArgumentError("window: at least 1 s");
  if (options.step < seconds(1)) return absl::InvalidArgumentError("step: at least 1 s");
  if (!(options.most_samples >= kFewestSamples)) {
    return absl::InvalidArgumentError(
        fmt::format("most samples of a query: at least {}", kFewestSamples));
  }
  if (options.most_calls == 0) return absl::InvalidArgumentError("calls at a time: at least 1");
  for (const FurtherQuery& further : options.further) {
    if (Trimmed(further.query).empty()) {
      return absl::InvalidArgumentError(
          fmt::format("query of annotation {} is empty", further.annotation));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Source>> MakePrometheusSource(PrometheusOptions options) {
  if (absl::Status fault = FaultOf(options); !fault.ok()) return fault;
  options.queries = options.original_arithmetic ? WithOriginals(std::move(options.queries))
                                                : WithDefaults(std::move(options.queries));
  absl::StatusOr<http_client::Client> client = http_client::Client::Create(
      {.url = options.url,
       .url_by = options.url_by,
       .ca_file = options.ca_file,
       .cert_file = options.cert_file,
       .key_file = options.key_file,
       .token_file = options.token_file,
       .header_file = options.header_file,
       .limits = {.connect = options.connect,
                  .read = options.total,  // a query computes before its first byte
                  .total = options.total,
                  .max_bytes = options.most_bytes},
       .check =
           "Check that Prometheus runs, its host and port, and that no NetworkPolicy blocks it"});
  if (!client.ok()) return client.status();
  return std::make_unique<PrometheusSource>(std::move(options), *std::move(client));
}

}  // namespace outrigger::usage
