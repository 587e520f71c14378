#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

// Transport: listening, limits, deadlines, keep-alive. Knows no Kubernetes and no JSON of its own
// but the body of its refusals.

namespace outrigger::http {

/// Readable bytes behind the end of every Request::body.
inline constexpr size_t kBodyPadding = 64;

/// One received request. Views live until the handler returns.
struct Request {
  std::string_view method;
  std::string_view path;  // without the query
  std::string_view query;
  std::string_view content_type;
  /// Followed by kBodyPadding readable bytes.
  std::string_view body;
  /// The peer's address, from the socket and never from a header.
  std::string_view peer;
};

/// The answer. Content-Length, Connection and Date are the transport's business.
struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::string allow;  // header Allow, for 405
};

/// Called on a worker thread, from several at once. What it throws becomes a 500 without details.
using Handler = std::function<void(const Request&, Response*)>;

struct ServerOptions {
  std::string bind = "127.0.0.1";
  uint16_t port = 0;  // 0: any free port
  size_t max_body = size_t{256} << 20;
  /// How long a connection may stay idle. Go keeps idle connections for 90 s and does not retry a
  /// POST on one that was just closed, so this must be above 90 s.
  std::chrono::seconds idle_timeout{120};
  /// How long a request may take to arrive, or an answer to be taken, between two bytes.
  std::chrono::seconds io_timeout{10};
  /// Threads are made when they are needed, up to this many; every open connection needs one.
  size_t max_workers = 1024;
};

/// Counts of what happened below the handler; all monotone except the gauges.
struct ServerStats {
  uint64_t connections_accepted = 0;
  uint64_t requests_refused = 0;  // answered here with 4xx, before the handler
  size_t workers = 0;             // gauge
  size_t in_flight = 0;           // gauge: requests between first byte and last
};

/// An HTTP/1.1 server on one address. Thread-safe.
class Server {
 public:
  virtual ~Server() = default;

  /// Binds, listens and serves in the background. Errors name the address and the cause
  /// (AlreadyExists: somebody listens there; SO_REUSEPORT is never used).
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options,
                                                       Handler handler);

  /// The port that is served.
  virtual uint16_t port() const = 0;
  virtual ServerStats stats() const = 0;

  /// Answers what is under way with `Connection: close`, takes no new connections once nothing is
  /// in flight (or `patience` is over), and returns when all threads have ended. What still runs
  /// after `patience` loses its connection. Idempotent; the destructor drains with no patience.
  virtual void Drain(std::chrono::milliseconds patience) = 0;
};

}  // namespace outrigger::http
