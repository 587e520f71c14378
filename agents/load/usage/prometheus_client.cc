#include "load/usage/prometheus_client.h"

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
constexpr size_t kMostRead = 4096;  // of what is quoted

std::string SecondsText(int64_t ms) {
  return fmt::format("{}.{:03}", ms / 1000, ms % 1000);
}

bool Holds(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

/// Returns what the server said, as one line: of a page in HTML the text alone.
std::string Said(std::string_view body) {
  std::string text;
  bool in_tag = false;
  const bool is_page = Trimmed(body).starts_with('<');
  for (const char c : body.substr(0, kMostRead)) {
    if (is_page && (c == '<' || c == '>')) in_tag = c == '<';
    const bool is_blank = c == ' ' || c == '\n' || c == '\r' || c == '\t' || (is_page && c == '>');
    if (is_blank && !text.empty() && text.back() != ' ') text += ' ';
    if (!is_blank && !in_tag) text += c;
  }
  std::string_view said = Trimmed(text);
  if (said.ends_with('.')) said.remove_suffix(1);
  return Shortened(Printable(said), kMaxQuoted);
}

/// Returns what to check after a 401 or 403, by what the server said.
std::string CheckOfRights(std::string_view said) {
  if (Holds(said, "org id") || Holds(said, "tenant") || Holds(said, "orgid")) {
    return "It needs a tenant: give --prometheus-header-file a file with the line \"X-Scope-OrgID: "
           "<tenant>\"";
  }
  return "Check --prometheus-token-file, --prometheus-header-file (which may have "
         "\"Authorization: Basic <user:password in base64>\"), or the client certificate";
}

/// Returns what to check where the status is no answer of Prometheus.
std::string CheckOf(const http_client::Answer& answer, std::string_view said) {
  if (Holds(said, "to an https server")) return "Check the URL: the server expects https://";
  if (answer.status >= 500) return "Check the server's log";
  switch (answer.status) {
    case 429:
      return "Check its limits for this tenant, and --interval";
    case 404:
      return "Check the URL: a proxy may need a path prefix, such as \"http://host/prometheus\"";
    case 301:
    case 302:
    case 307:
    case 308:
      return fmt::format(
          "A redirect to {} is not followed: check the URL",
          answer.location.empty() ? "nowhere" : Shortened(Printable(answer.location), kMaxQuoted));
    default:
      return "Check that the URL is that of Prometheus";
  }
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
  const std::string said = got->status == 200 ? "" : Said(got->body);
  const bool is_page = got->status == 200 && Trimmed(got->body).starts_with('<');
  const std::string page = is_page ? Said(got->body) : "";
  absl::StatusOr<QueryAnswer> answer = ReadQueryAnswer(&got->body);
  if (answer.ok() && got->status == 200 && answer->error.empty()) {
    return {.outcome = Outcome::kAnswered, .answer = *std::move(answer), .status = {}};
  }
  const bool has_no_right =
      got->status == 401 || got->status == 403 ||
      (got->status != 200 && (Holds(said, "org id") || Holds(said, "authorization")));
  if (answer.ok() && !answer->error.empty() && !has_no_right) {
    const std::string type = Shortened(Printable(answer->error_type), kMaxQuoted);
    const std::string text =
        fmt::format("{}: {}: {}{}{}", url, got->status, type, type.empty() ? "" : ": ",
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
            .status = absl::UnavailableError(fmt::format(
                "{}: HTTP status {}{}{}. {}", url, got->status, said.empty() ? "" : ": ", said,
                has_no_right ? CheckOfRights(said) : CheckOf(*got, said)))};
  }
  return {.outcome = outcome,
          .answer = {},
          .status = absl::DataLossError(
              fmt::format("{}: not a response of Prometheus: {}{}{}", url,
                          Shortened(Printable(std::string(answer.status().message())), kMaxQuoted),
                          page.empty() ? "" : ": ", page))};
}

}  // namespace outrigger::usage
