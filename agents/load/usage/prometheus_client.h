#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "http/client/client.h"
#include "load/usage/prometheus_answer.h"

namespace outrigger::usage {

/// What a query is evaluated at.
struct QueryTime {
  std::optional<int64_t> end_ms;      // Unix time; none: now, by Prometheus' clock
  std::chrono::milliseconds step{0};  // above 0: a range of `points`, the last of them at the end
  size_t points = 0;
};

/// What came of a query.
enum class Outcome : uint8_t {
  kAnswered,
  kTooMuch,  // for the server's limits or ours: fewer nodes may do
  kTooSlow,  // for the server's time or ours: the same, but not at once
  kSilent,   // there is no connection
  kFailed,   // for any other cause
};

struct QueryResult {
  Outcome outcome = Outcome::kFailed;
  QueryAnswer answer;   // where it was answered
  absl::Status status;  // where it was not: what to check
};

/// Asks Prometheus, or what answers as it does (Thanos, Mimir, VictoriaMetrics). Thread-safe.
class PrometheusClient {
 public:
  explicit PrometheusClient(http_client::Client client) : client_(std::move(client)) {}

  /// Blocks for as long as the client's limits allow.
  QueryResult Ask(const std::string& query, const QueryTime& time,
                  const std::stop_token& stop) const;

  std::string url() const { return client_.UrlOf(""); }

 private:
  http_client::Client client_;
};

}  // namespace outrigger::usage
