#include "agent_client/fetch_page.h"

#include <httplib.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "agent_client/deadline.h"
#include "base/url.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::agent_client {
namespace {

// Of so many bytes at most is quoted what the agent wrote.
constexpr size_t kMaxQuoted = 1000;

/// What is asked, and the URL of it for errors.
struct Question {
  std::string host;
  int port = 0;
  std::string path;  // "/queue"
  std::string url;   // "http://127.0.0.1:9971/queue"
  FetchLimits limits;
};

struct Answer {
  int status = 0;
  std::string body;
};

absl::StatusOr<Question> MakeQuestion(std::string_view url, std::string_view page,
                                      const FetchLimits& limits) {
  // Without the URL: one that cannot be read may hold a password.
  const auto refuse = [](const std::string& why) {
    return absl::InvalidArgumentError(fmt::format(
        "URL of an agent: {}; accepted is http://127.0.0.1:PORT, with its admin port", why));
  };
  const absl::StatusOr<Url> parsed = ParseUrl(url);
  if (!parsed.ok()) return refuse(std::string(parsed.status().message()));
  if (parsed->scheme != "http") return refuse("admin ports do not have TLS");
  if (!IsLoopback(parsed->host)) {
    return refuse("agents show pages on loopback only (see kubectl port-forward)");
  }
  if (!parsed->path.empty()) return refuse("a path is not accepted");
  const PageSpec spec{.name = std::string(page), .help = "-", .columns = {{.name = "a"}}};
  if (std::string fault = FaultOf(spec); !fault.empty()) return absl::InvalidArgumentError(fault);
  Question question;
  question.host = parsed->host;
  question.path = "/" + spec.name;
  question.limits = limits;
  const std::string& port = parsed->port;
  std::from_chars(port.data(), port.data() + port.size(), question.port);
  question.url = fmt::format("http://{}{}", parsed->Authority(), question.path);
  return question;
}

absl::Status NoConnection(const Question& question) {
  return absl::UnavailableError(fmt::format(
      "{}: no connection. Check that the agent runs, that this is its admin port (the agent's port "
      "+ 100 unless --admin-port says otherwise) and that --admin-bind includes this address; for "
      "an agent in a cluster, that kubectl port-forward runs",
      question.url));
}

absl::Status TooLate(const Question& question, std::chrono::milliseconds limit) {
  return absl::DeadlineExceededError(
      fmt::format("{}: no complete answer within {} ms", question.url, limit.count()));
}

absl::Status WhyNoAnswer(const Question& question, httplib::Error error) {
  switch (error) {
    case httplib::Error::Connection:
      return NoConnection(question);
    case httplib::Error::ConnectionTimeout:
      return TooLate(question, question.limits.connect);
    default:
      return absl::DataLossError(
          fmt::format("{}: the connection ended before a complete HTTP answer ({})", question.url,
                      httplib::to_string(error)));
  }
}

/// Makes the client of one call: no redirects, no compression, no second call.
void Configure(const FetchLimits& limits, httplib::Client* client) {
  client->set_connection_timeout(limits.connect);
  client->set_read_timeout(limits.read);
  client->set_write_timeout(limits.read);
  client->set_follow_location(false);
  client->set_decompress(false);
  client->set_keep_alive(false);
}

absl::StatusOr<Answer> Ask(const Question& question) {
  using Clock = std::chrono::steady_clock;
  const FetchLimits& limits = question.limits;
  Answer answer;
  bool too_large = false;
  httplib::Client client(question.host, question.port);
  Configure(limits, &client);
  const Clock::time_point start = Clock::now();
  const Deadline deadline(limits.total, [&client] { client.stop(); });
  const httplib::Result result = client.Get(
      question.path, {{"Accept", "application/json"}}, [&](const char* data, size_t size) {
        too_large = answer.body.size() + size > limits.max_bytes;
        if (!too_large) answer.body.append(data, size);
        return !too_large;
      });
  if (too_large) {
    return absl::ResourceExhaustedError(
        fmt::format("{}: the answer has more than {} bytes", question.url, limits.max_bytes));
  }
  // First: without a length, a body that the deadline has cut looks complete.
  if (deadline.passed()) return TooLate(question, limits.total);
  if (!result && result.error() == httplib::Error::Read && Clock::now() - start >= limits.read) {
    return TooLate(question, limits.read);
  }
  if (!result) return WhyNoAnswer(question, result.error());
  answer.status = result->status;
  return answer;
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

absl::Status OfHttpStatus(const Question& question, const Answer& answer) {
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

absl::StatusOr<page::Page> Read(const Question& question, const Answer& answer) {
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
    return absl::DataLossError(fmt::format("{}: the answer is the page \"{}\"", question.url,
                                           Shortened(Printable(page->name), kMaxQuoted)));
  }
  return page;
}

}  // namespace

absl::StatusOr<page::Page> FetchPage(std::string_view url, std::string_view page,
                                     const FetchLimits& limits) {
  const absl::StatusOr<Question> question = MakeQuestion(url, page, limits);
  if (!question.ok()) return question.status();
  const absl::StatusOr<Answer> answer = Ask(*question);
  if (!answer.ok()) return answer.status();
  if (answer->status != 200) return OfHttpStatus(*question, *answer);
  return Read(*question, *answer);
}

}  // namespace outrigger::agent_client
