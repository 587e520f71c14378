#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

// The API server as the rest of this folder sees it: calls in bytes, with deadlines. What stands
// behind it is a connection (client.h) or, in tests, a script.

namespace outrigger::kube {

inline constexpr std::string_view kAcceptProtobuf =
    "application/vnd.kubernetes.protobuf,application/json";

/// One call. Views live until the call has returned.
struct ApiRequest {
  std::string_view method = "GET";
  /// Absolute path without the server's prefix: "/api/v1/nodes". Parts that come from outside are
  /// escaped by the caller.
  std::string path;
  /// Query parameters, not yet escaped.
  std::vector<std::pair<std::string, std::string>> query;
  std::string_view body;
  std::string_view content_type = "application/json";
  /// What answers may be encoded as; kAcceptProtobuf where the caller reads both.
  std::string_view accept = "application/json";
  /// Wall-clock time for the whole call, retries included; for a stream, until its head has come.
  std::chrono::milliseconds timeout{30'000};
  /// Streams only: how long no byte may come before the stream counts as dead.
  std::chrono::milliseconds silence{0};  // 0: no limit
  /// Streams only, may be empty: called once, on the caller's thread, when the head of a good
  /// answer has come, before the sink. What comes behind it may take minutes, or be an error yet.
  std::function<void()> on_head = {};
  /// The call ends with Cancelled soon after stop is requested.
  std::stop_token stop = {};
  /// Bindings (and evictions on their behalf) do not wait for the client's own rate limit: a pod
  /// that was placed must not queue behind housekeeping.
  bool rate_limited = true;
  /// Whether the call may be sent again after an answer of 429 or 5xx or a lost connection. True
  /// for what is idempotent or carries a precondition.
  bool may_retry = true;
  /// For what is not undone by being asked for again, such as bindings. True: an error is about all
  /// tries of the call. Where an earlier one had no answer, or one of 5xx, it may have been carried
  /// out, or may be yet: what the last one was refused with is Unavailable then, with the refusal's
  /// payload. False: an error is about the last try alone.
  bool errors_are_of_all_tries = false;
  /// The server, too, gives up each try after the time that is left for the call, so that little is
  /// carried out after the caller disconnected. Not for streams.
  bool server_times_out = false;
};

struct ApiResponse {
  int code = 0;  // 200..299
  std::string body;
};

/// Takes the bytes of an answer as they come, in pieces of any size. False ends the call with
/// Cancelled.
using ByteSink = absl::FunctionRef<bool(std::string_view bytes)>;

/// Calls of one API server with one identity. Thread-safe; calls block.
///
/// Errors. An answer outside 200..299 becomes the Status that ApiError describes (errors.h has the
/// codes); besides:
///   Unavailable        no connection, or it was lost
///   FailedPrecondition the server's certificate is not trusted, or our own cannot be used
///   DeadlineExceeded   `timeout` or `silence` is over
///   Cancelled          `stop`, or the sink said so
///   Unauthenticated    no credentials could be had
class Api {
 public:
  virtual ~Api() = default;
  /// Answers up to 256 MiB are taken; a larger one is ResourceExhausted.
  virtual absl::StatusOr<ApiResponse> Call(const ApiRequest& request) = 0;
  /// As Call(), without retries, and with the body in pieces; returns when the answer has ended
  /// properly (chunked: with its last chunk), else with an error. `sink` sees the bodies of good
  /// answers only.
  virtual absl::Status Stream(const ApiRequest& request, ByteSink sink) = 0;
};

}  // namespace outrigger::kube
