#include "usage/prometheus_client.h"

#include <algorithm>
#include <cctype>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::usage {
namespace {

constexpr size_t kMaxQuoted = 300;

std::string SecondsText(int64_t ms) {
  return fmt::format("{}.{:03}", ms / 1000, ms % 1000);
}

/// Returns what to check where the status is no answer of Prometheus.
std::string CheckOf(const http_client::Answer& answer) {
  switch (answer.status) {
    case 401:
    case 403:
      return "Check the token file, or the client certificate";
    case 404:
      return "Check the URL: with a proxy it may need a path prefix, as \"http://host/prometheus\"";
    case 301:
    case 302:
    case 307:
    case 308:
      return fmt::format("A redirect to {} is not followed: check the URL",
                         Shortened(Printable(answer.location), kMaxQuoted));
    default:
      return "Check that the URL is that of Prometheus";
  }
}

bool Holds(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

/// Returns how a query failed, by the words of Prometheus, Thanos, Mimir and VictoriaMetrics.
Outcome OutcomeOf(int status, const QueryAnswer& answer) {
  if (answer.error_type == "timeout" || status == 504 || Holds(answer.error, "timed out")) {
    return Outcome::kTooSlow;
  }
  const bool limit = Holds(answer.error, "too many") || Holds(answer.error, "max number of") ||
                     Holds(answer.error, "limit") || Holds(answer.error, "maxsamples");
  if (status == 413 || (limit && status != 429)) return Outcome::kTooMuch;
  return Outcome::kFailed;
}

Outcome OutcomeOf(const absl::Status& status) {
  if (absl::IsResourceExhausted(status)) return Outcome::kTooMuch;
  if (absl::IsUnavailable(status)) return Outcome::kSilent;
  return absl::IsDeadlineExceeded(status) ? Outcome::kTooSlow : Outcome::kFailed;
}

http_client::Parameters ParametersOf(const std::string& query, const QueryTime& time) {
  http_client::Parameters fields = {{"query", query}};
  if (time.step.count() <= 0) {
    if (time.end_ms) fields.emplace_back("time", SecondsText(*time.end_ms));
    return fields;
  }
  const int64_t end = time.end_ms.value_or(0);
  const auto before = static_cast<int64_t>(std::max<size_t>(time.points, 1) - 1);
  fields.emplace_back("start", SecondsText(end - before * time.step.count()));
  fields.emplace_back("end", SecondsText(end));
  fields.emplace_back("step", SecondsText(time.step.count()));
  return fields;
}

}  // namespace

QueryResult PrometheusClient::Ask(const std::string& query, const QueryTime& time,
                                  const std::stop_token& stop) const {
  const std::string_view path = time.step.count() > 0 ? "/api/v1/query_range" : "/api/v1/query";
  absl::StatusOr<http_client::Answer> got = client_.PostForm(path, ParametersOf(query, time), stop);
  if (!got.ok()) {
    return {.outcome = OutcomeOf(got.status()), .answer = {}, .status = got.status()};
  }
  const std::string url = client_.UrlOf(path);
  absl::StatusOr<QueryAnswer> answer = ReadQueryAnswer(&got->body);
  if (answer.ok() && got->status == 200 && answer->error.empty()) {
    return {.outcome = Outcome::kAnswered, .answer = *std::move(answer), .status = {}};
  }
  if (answer.ok() && !answer->error.empty()) {
    const std::string text = fmt::format("{}: {}: {}: {}", url, got->status,
                                         Shortened(Printable(answer->error_type), kMaxQuoted),
                                         Shortened(Printable(answer->error), kMaxQuoted));
    return {.outcome = OutcomeOf(got->status, *answer),
            .answer = {},
            .status = absl::UnavailableError(text)};
  }
  const bool too_large = absl::IsResourceExhausted(answer.status());
  const Outcome outcome = too_large ? Outcome::kTooMuch : OutcomeOf(got->status, {});
  if (got->status != 200) {
    return {.outcome = outcome,
            .answer = {},
            .status = absl::UnavailableError(
                fmt::format("{}: HTTP status {}. {}", url, got->status, CheckOf(*got)))};
  }
  return {.outcome = outcome,
          .answer = {},
          .status = absl::DataLossError(fmt::format(
              "{}: the answer is not that of Prometheus: {}", url,
              Shortened(Printable(std::string(answer.status().message())), kMaxQuoted)))};
}

}  // namespace outrigger::usage
