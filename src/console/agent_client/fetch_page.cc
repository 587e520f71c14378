#include "console/agent_client/fetch_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "http/client/client.h"
#include "outrigger/base/text.h"
#include "sdk/base/url.h"

namespace outrigger::agent_client {
namespace {

// Of so many bytes at most is quoted what the agent wrote.
constexpr size_t kMaxQuoted = 1000;

// Ends the error of an agent that cannot be reached.
constexpr std::string_view kCheck =
    "Check that the agent runs, that this is its admin port (the agent's port + 100 unless "
    "--admin-port says otherwise) and that --admin-bind includes this address; for an agent in a "
    "cluster, that kubectl port-forward runs";

/// What is asked, and the URL of it for errors.
struct Question {
  http_client::Client client;
  std::string path;  // "/queue"
  std::string url;   // "http://127.0.0.1:9971/queue"
};

absl::StatusOr<Question> MakeQuestion(std::string_view url, std::string path,
                                      const FetchLimits& limits) {
  // Without the URL: one that cannot be read may hold a password.
  const auto refuse = [](const std::string& why) {
    return absl::InvalidArgumentError(fmt::format(
        "URL of an agent: {}; expected http://127.0.0.1:PORT with its admin port", why));
  };
  const absl::StatusOr<Url> parsed = ParseUrl(url);
  if (!parsed.ok()) return refuse(std::string(parsed.status().message()));
  if (parsed->scheme != "http") return refuse("admin ports do not have TLS");
  if (!IsLoopback(parsed->host)) {
    return refuse("agents serve pages on loopback only (see kubectl port-forward)");
  }
  if (!parsed->path.empty()) return refuse("a path is not accepted");
  absl::StatusOr<http_client::Client> client =
      http_client::Client::Create({.url = std::string(url),
                                   .ca_file = {},
                                   .cert_file = {},
                                   .key_file = {},
                                   .token_file = {},
                                   .header_file = {},
                                   .limits = {.connect = limits.connect,
                                              .read = limits.read,
                                              .total = limits.total,
                                              .max_bytes = limits.max_bytes},
                                   .check = std::string(kCheck)});
  if (!client.ok()) return client.status();
  std::string shown = client->UrlOf(path);
  return Question{.client = *std::move(client), .path = std::move(path), .url = std::move(shown)};
}

/// Returns the text of {"error": text}, or what else the body says.
std::string ErrorText(const std::string& body) {
  using Event = nlohmann::json::parse_event_t;
  const auto shallow = [](int depth, Event event, const nlohmann::json& /*parsed*/) {
    return depth == 0 || (event != Event::object_start && event != Event::array_start);
  };
  const auto json = nlohmann::json::parse(body, shallow, /*allow_exceptions=*/false);
  const bool has_text = json.is_object() && json.contains("error") && json["error"].is_string();
  return Shortened(Printable(has_text ? json["error"].get<std::string>() : body), kMaxQuoted);
}

absl::Status OfHttpStatus(const Question& question, const http_client::Answer& answer) {
  const std::string text =
      fmt::format("{}: {}: {}", question.url, answer.status, ErrorText(answer.body));
  switch (answer.status) {
    case 403:
      return absl::PermissionDeniedError(text);
    case 404:
      return absl::NotFoundError(text);
    case 503:
      return absl::UnavailableError(text);
    default:
      return absl::InternalError(text);
  }
}

absl::StatusOr<page::Page> Read(const Question& question, const http_client::Answer& answer) {
  absl::StatusOr<page::Page> page = page::Decode(answer.body);
  if (absl::IsUnimplemented(page.status())) {
    return absl::UnimplementedError(
        fmt::format("{}: {}", question.url, std::string(page.status().message())));
  }
  if (!page.ok()) {
    return absl::DataLossError(fmt::format("{}: {}. Check that this is the admin port of an agent",
                                           question.url, std::string(page.status().message())));
  }
  if ("/" + page->name != question.path) {
    return absl::DataLossError(fmt::format("{}: the response is the page \"{}\"", question.url,
                                           Shortened(Printable(page->name), kMaxQuoted)));
  }
  return page;
}

// "[-]agent-qos failed: there is no plan yet" -> "agent-qos: there is no plan yet".
std::vector<std::string> FailedChecks(std::string_view body) {
  constexpr std::string_view kFailed = "[-]";
  constexpr std::string_view kBetween = " failed: ";
  constexpr size_t kMost = 16;
  std::vector<std::string> failed;
  while (!body.empty() && failed.size() < kMost) {
    std::string_view line = body.substr(0, body.find('\n'));
    body.remove_prefix(std::min(body.size(), line.size() + 1));
    if (!line.starts_with(kFailed)) continue;
    line.remove_prefix(kFailed.size());
    const size_t at = line.find(kBetween);
    std::string text(line.substr(0, at));
    if (at != std::string_view::npos) {
      text.append(": ").append(line.substr(at + kBetween.size()));
    }
    failed.push_back(Shortened(Printable(text), kMaxQuoted));
  }
  return failed;
}

}  // namespace

absl::StatusOr<page::Page> FetchPage(std::string_view url, std::string_view page,
                                     const FetchLimits& limits, const std::stop_token& stop) {
  const absl::StatusOr<Question> question = MakeQuestion(url, "/" + std::string(page), limits);
  if (!question.ok()) return question.status();
  const PageSpec spec{.name = std::string(page), .help = "-", .columns = {{.name = "a"}}};
  if (std::string fault = FaultOf(spec); !fault.empty()) return absl::InvalidArgumentError(fault);
  const absl::StatusOr<http_client::Answer> answer = question->client.Get(question->path, {}, stop);
  if (!answer.ok()) return answer.status();
  if (answer->status != 200) return OfHttpStatus(*question, *answer);
  return Read(*question, *answer);
}

absl::StatusOr<std::vector<std::string>> FetchFailedChecks(std::string_view url,
                                                           const FetchLimits& limits,
                                                           const std::stop_token& stop) {
  constexpr int kNotReady = 503;
  const absl::StatusOr<Question> question = MakeQuestion(url, "/readyz", limits);
  if (!question.ok()) return question.status();
  const absl::StatusOr<http_client::Answer> answer =
      question->client.Get(question->path, {{"verbose", "1"}}, stop);
  if (!answer.ok()) return answer.status();
  if (answer->status != 200 && answer->status != kNotReady) {
    return OfHttpStatus(*question, *answer);
  }
  return FailedChecks(answer->body);
}

}  // namespace outrigger::agent_client
