#include "kube/transport/client.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "fmt/format.h"
#include "kube/errors.h"
#include "sdk/base/url.h"

namespace outrigger::kube {
namespace {

// `error` with what was asked in front; the payload stays.
absl::Status Named(const ApiRequest& request, const absl::Status& error) {
  return WithMessage(error,
                     fmt::format("{} {}: {}", request.method, request.path, MessageOf(error)));
}

bool IsGood(int code) {
  return code >= 200 && code <= 299;
}

// No answer, or one that leaves open what was done.
bool IsOpen(const absl::Status& error) {
  const auto said = ApiErrorOf(error);
  return !said || said->code >= 500;
}

// The refusal of a try after one that is open.
absl::Status AfterOpenTry(const absl::Status& refusal) {
  return WithMessage(
      WithCode(refusal, absl::StatusCode::kUnavailable),
      fmt::format(
          "{}; an earlier attempt got no response or a server error, and may have succeeded",
          MessageOf(refusal)));
}

}  // namespace

Client::Client(ClientConfig config, ClientOptions options, std::unique_ptr<Transport> transport,
               std::unique_ptr<TlsIdentitySource> identities)
    : config_(std::move(config)),
      options_(std::move(options)),
      transport_(std::move(transport)),
      identities_(std::move(identities)),
      credentials_(MakeCredentialSource(config_, options_.clock, options_.warn)),
      limiter_(options_.qps, options_.burst) {}

absl::StatusOr<std::unique_ptr<Client>> Client::Create(const ClientConfig& config,
                                                       ClientOptions options) {
  auto transport = MakeCurlTransport(config);
  if (!transport.ok()) return transport.status();
  return Create(config, std::move(options), *std::move(transport));
}

absl::StatusOr<std::unique_ptr<Client>> Client::Create(const ClientConfig& config,
                                                       ClientOptions options,
                                                       std::unique_ptr<Transport> transport) {
  absl::Status status = CheckConfig(config);
  if (!status.ok()) return status;
  auto identities = TlsIdentitySource::Create(config, options.clock.now, options.warn);
  if (!identities.ok()) return identities.status();
  return std::unique_ptr<Client>(
      new Client(config, std::move(options), std::move(transport), *std::move(identities)));
}

absl::StatusOr<ApiResponse> Client::Call(const ApiRequest& request) {
  bool was_open = false;
  auto answer = TryUntil(request, options_.clock.now() + request.timeout, &was_open);
  if (!answer.ok()) {
    const bool is_about_all = request.errors_are_of_all_tries && was_open;
    return Named(request, is_about_all ? AfterOpenTry(answer.status()) : answer.status());
  }
  return ApiResponse{answer->code, std::move(answer->body)};
}

absl::Status Client::Stream(const ApiRequest& request, ByteSink sink) {
  const auto answer = Try(request, options_.clock.now() + request.timeout, &sink);
  return answer.ok() ? absl::OkStatus() : Named(request, answer.status());
}

absl::StatusOr<WireAnswer> Client::TryUntil(const ApiRequest& request, Clock::TimePoint deadline,
                                            bool* was_open) {
  bool unanswered = false;
  for (int retry = 1;; ++retry) {
    auto answer = Try(request, deadline, nullptr);
    // A server that has just started refuses everybody until it has read the roles. That says
    // nothing of a try before, which may have been carried out though its answer was lost.
    const bool starting = unanswered && absl::IsPermissionDenied(answer.status());
    if (answer.ok() || !request.may_retry || retry > options_.retry.most ||
        (!starting && !IsTransient(answer.status()))) {
      return answer;
    }
    unanswered |= !ApiErrorOf(answer.status());
    *was_open |= IsOpen(answer.status());
    const Clock::Duration delay =
        RetryDelay(options_.retry, retry, answer.status(), options_.random());
    // What was answered says more than that time is over.
    if (options_.clock.now() + delay >= deadline) return answer;
    if (!options_.clock.sleep(delay, request.stop)) {
      return absl::CancelledError("stopped between two attempts");
    }
  }
}

absl::StatusOr<WireAnswer> Client::Try(const ApiRequest& request, Clock::TimePoint deadline,
                                       const ByteSink* sink) {
  Credentials used;
  auto answer = Exchange(request, deadline, sink, &used);
  if (!absl::IsUnauthenticated(answer.status()) || !ApiErrorOf(answer.status())) return answer;
  credentials_->Refused(used);
  const auto renewed = credentials_->Get(deadline, request.stop);
  if (!renewed.ok()) return renewed.status();
  if (*renewed == used) return answer;
  return Exchange(request, deadline, sink, &used);
}

absl::StatusOr<WireAnswer> Client::Exchange(const ApiRequest& request, Clock::TimePoint deadline,
                                            const ByteSink* sink, Credentials* used) {
  absl::Status status = AwaitTurn(request, deadline);
  if (!status.ok()) return status;
  auto credentials = credentials_->Get(deadline, request.stop);
  if (!credentials.ok()) return credentials.status();
  *used = *std::move(credentials);
  WireRequest wire;
  wire.method = request.method;
  wire.target = request.path + QueryText(QueryOf(request, deadline));
  wire.headers = Headers(request, *used);
  wire.body = request.body;
  wire.deadline = deadline;
  wire.stream = sink != nullptr;
  wire.silence = request.silence;
  wire.on_head = request.on_head;
  wire.stop = request.stop;
  wire.may_resend = request.may_retry || request.method == "GET";
  wire.identity = identities_->Get(used->cert, used->key);
  auto answer = transport_->Send(wire, sink);
  if (!answer.ok() || IsGood(answer->code)) return answer;
  return ErrorOfAnswer(answer->code, answer->body, answer->retry_after);
}

std::vector<std::pair<std::string, std::string>> Client::QueryOf(const ApiRequest& request,
                                                                 Clock::TimePoint deadline) const {
  auto query = request.query;
  if (!request.server_times_out) return query;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - options_.clock.now());
  query.emplace_back("timeout", fmt::format("{}ms", std::max<int64_t>(left.count(), 1)));
  return query;
}

absl::Status Client::AwaitTurn(const ApiRequest& request, Clock::TimePoint deadline) {
  if (request.stop.stop_requested()) return absl::CancelledError("stopped before it was sent");
  if (!request.rate_limited) return absl::OkStatus();
  const Clock::TimePoint now = options_.clock.now();
  const auto wait = limiter_.Reserve(now, deadline - now);
  if (!wait) {
    return absl::DeadlineExceededError(
        fmt::format("the client's limit of {} calls per second left no time for it", options_.qps));
  }
  if (*wait > Clock::Duration::zero() && !options_.clock.sleep(*wait, request.stop)) {
    return absl::CancelledError("stopped before it was sent");
  }
  return absl::OkStatus();
}

std::vector<std::string> Client::Headers(const ApiRequest& request,
                                         const Credentials& credentials) const {
  std::vector<std::string> headers = {fmt::format("Accept: {}", request.accept),
                                      "User-Agent: " + config_.user_agent};
  if (!request.body.empty())
    headers.push_back(fmt::format("Content-Type: {}", request.content_type));
  if (!credentials.token.empty()) headers.push_back("Authorization: Bearer " + credentials.token);
  if (!config_.as_user.empty()) headers.push_back("Impersonate-User: " + config_.as_user);
  for (const std::string& group : config_.as_groups) {
    headers.push_back("Impersonate-Group: " + group);
  }
  return headers;
}

}  // namespace outrigger::kube
