#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/api.h"
#include "kube/config/config.h"
#include "kube/config/tls_identity.h"
#include "outrigger/base/clock.h"

// HTTP/1.1 and TLS as a client. By libcurl and not by cpp-httplib, whose client (0.11) has a
// timeout for each read but none of the wall clock, takes certificates from files only, cannot
// check a certificate for another name than the host's, speaks to no SOCKS proxy, and ends a call
// that is under way only by closing a descriptor which another thread may have got by then.

namespace outrigger::kube {

/// One exchange. Views live until Send() has returned.
struct WireRequest {
  std::string_view method = "GET";
  std::string target;                // "/api/v1/nodes?limit=500", behind the server's prefix
  std::vector<std::string> headers;  // "Name: value"; without line ends
  std::string_view body;
  Clock::TimePoint deadline;  // of the whole exchange; for streams, of the head
  bool stream = false;
  std::chrono::milliseconds silence{0};  // streams: 0 is no limit
  std::function<void()> on_head;         // streams, may be empty: a good answer's head has come
  std::stop_token stop;
  /// Whether a connection that turns out to be closed already may be replaced without telling. If
  /// not, a connection of its own is made, so that nothing is ever sent twice.
  bool may_resend = true;
  std::shared_ptr<const TlsIdentity> identity;  // not null
};

/// The answer, whatever its code.
struct WireAnswer {
  int code = 0;
  std::string retry_after;  // the header's value, or empty
  std::string body;         // of a stream's good answer empty: the sink got it
};

/// Limits of what a server may make us hold.
inline constexpr size_t kLargestAnswer = size_t{256} << 20;
inline constexpr size_t kLargestHead = size_t{64} << 10;
/// Of the body of an answer outside 200..299 no more is read.
inline constexpr size_t kLargestError = size_t{1} << 20;

/// Sends requests to one server. Thread-safe; calls block. Redirects are not followed.
class Transport {
 public:
  virtual ~Transport() = default;
  /// `sink` takes the pieces of a good answer's body as they come; without one the body is part of
  /// the answer. Errors: Unavailable (no connection, or a cut or broken answer),
  /// FailedPrecondition (the server's certificate is not trusted, or ours cannot be used),
  /// DeadlineExceeded, Cancelled (stop, or the sink), ResourceExhausted (above kLargestAnswer).
  virtual absl::StatusOr<WireAnswer> Send(const WireRequest& request, const ByteSink* sink) = 0;
};

/// The transport by libcurl to config.server, through config.proxy_url: TLS 1.2 or newer, verified
/// unless the request's identity says otherwise; no compression, no cookies, no environment. Each
/// call under way has a connection of its own; the one used last is taken up first, and those idle
/// for longer than a minute are closed. A connection is never shared between two identities.
absl::StatusOr<std::unique_ptr<Transport>> MakeCurlTransport(const ClientConfig& config);

}  // namespace outrigger::kube
