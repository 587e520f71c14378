#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "http/stream.h"

// Transport: listening, limits, deadlines, keep-alive, TLS. Knows no Kubernetes and no JSON of its
// own but the body of its refusals. docs/http.md says why it is as it is.

namespace outrigger::http {

/// Readable bytes behind the end of every Request::body.
inline constexpr size_t kBodyPadding = 64;

/// One received request. Views live until the handler returns, and `body` until its answer is sent.
struct Request {
  std::string_view method;
  std::string_view path;  // without the query
  std::string_view query;
  std::string_view content_type;
  /// Followed by kBodyPadding readable bytes.
  std::string_view body;
  /// The peer's address, from the socket and never from a header.
  std::string_view peer;
  /// Stop is requested when nobody waits for the answer any more: the peer has hung up, or the
  /// server gives up on what is under way. Callbacks on it run on the thread that watches all
  /// connections, so they must be quick.
  std::stop_token abandoned = {};
  /// "name:value\n" of each header, as sent; for Header().
  std::string_view fields = {};

  /// The value of the first header of this name, whose case does not matter; empty if there is
  /// none. Like all views, until the handler returns.
  std::string_view Header(std::string_view name) const;
};

/// Why `request` may be the work of a web page of somebody else in a browser on this machine: its
/// Host names no loopback address (DNS rebinding), or it has an Origin. Empty: it is not.
std::string ForeignPageFault(const Request& request);

/// Bytes that belong into an answer before the byte at `at` of its own text.
struct Insert {
  size_t at = 0;
  std::string_view bytes;
};

/// The answer. Content-Length, Transfer-Encoding, Connection and Date are the transport's business.
struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  /// By `at`, ascending; slices of Request::body, which lives until the answer is sent.
  std::vector<Insert> inserts = {};
  std::string allow;  // header Allow, for 405
  /// Further headers: name and value. A name or value that HTTP does not allow, or a name that is
  /// the transport's business, makes a 500 of the answer.
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// If set, what is sent instead of `body`, in chunks, until its End(); for HTTP/1.0 until the
  /// connection closes.
  std::shared_ptr<Stream> stream = {};
};

/// Called on a worker thread, from several at once. What it throws becomes a 500 without details.
using Handler = std::function<void(const Request&, Response*)>;

/// Files in PEM. Read again when they change; a change that cannot be read is warned about, and
/// what was read before stays.
struct TlsOptions {
  std::string cert_file;       // the certificate, followed by those between it and its root
  std::string key_file;        // its private key
  std::string client_ca_file;  // empty: clients need no certificate; else one signed by these
};

/// Times are of the wall clock, not between two bytes: a byte now and then gains nobody more.
struct ServerOptions {
  std::string bind = "127.0.0.1";
  uint16_t port = 0;  // 0: any free port
  std::optional<TlsOptions> tls;

  size_t max_body = size_t{256} << 20;
  /// What the bodies of all requests under way may take, of which only what has come counts; at
  /// least max_body.
  size_t max_body_memory = size_t{1} << 30;

  /// How long a connection may stay idle. Go keeps idle connections for 90 s and does not retry a
  /// POST on one that was just closed, so this must be above 90 s.
  std::chrono::milliseconds idle_timeout{120'000};
  /// How long after its first byte the first line, and the whole head, of a request may take.
  std::chrono::milliseconds line_timeout{5'000};
  std::chrono::milliseconds head_timeout{10'000};
  /// How long a body may take after its head, and the peer to take an answer, or the next bytes of
  /// a stream that has some.
  std::chrono::milliseconds body_timeout{30'000};
  std::chrono::milliseconds answer_timeout{30'000};

  /// Threads, made when they are needed, for calls that do not block.
  size_t max_workers = 64;
  /// Which calls may block for long. They get threads of their own, so that no number of them
  /// delays another call; above max_blocked a further one is answered 503. Null: none does.
  std::function<bool(std::string_view method, std::string_view path)> may_block;
  size_t max_blocked = 500;
  /// Connections at once; at least max_blocked and some for others. Above, the idle one that has
  /// waited longest is closed, and only if none waits, the new one refused with 503.
  size_t max_connections = 2048;

  /// How often memory goes back that lay unused since the last time, and `trim` is called (which
  /// may be null), so that the handler's owner can do the same: it must be quick, and not throw.
  std::chrono::milliseconds trim_every{30'000};
  std::function<void()> trim;

  /// Gives an answer of the transport's own, whose status is set, another body and content type:
  /// `text` says what is wrong. Must not throw. Null: {"error": "<text>"}.
  std::function<void(std::string_view text, Response*)> refusal;

  /// Told what an operator should know, in a line; may be null. Called from any thread.
  std::function<void(const std::string&)> warn;
};

/// Connections that are kept for other calls however many may block.
inline constexpr size_t kSpareConnections = 256;

/// How many connections `options` come to.
size_t MaxConnections(const ServerOptions& options);

/// Counts of what happened below the handler; all monotone except the gauges.
struct ServerStats {
  uint64_t connections_accepted = 0;
  uint64_t connections_refused = 0;  // answered 503 at once: too many
  uint64_t connections_evicted = 0;  // closed while they waited, to make room
  /// TLS handshakes that were rejected, aborted or not completed in time. A peer that left before
  /// its first byte, such as a probe of the port, is not counted.
  uint64_t handshakes_failed = 0;
  uint64_t requests_refused = 0;  // answered here with 4xx or 503, before the handler
  uint64_t calls_abandoned = 0;   // nobody waited for the answer any more
  size_t connections = 0;         // gauge: open
  size_t workers = 0;             // gauge: threads for calls that do not block
  size_t blocked = 0;             // gauge: calls under way that may block
  size_t in_flight = 0;           // gauge: calls in the handler, the blocked included
  size_t streams = 0;             // gauge: answers under way that are streams
  size_t body_bytes = 0;          // gauge: held by bodies under way
};

/// An HTTP/1.1 server on one address. Thread-safe.
class Server {
 public:
  virtual ~Server() = default;

  /// Binds, listens and serves in the background. Errors name the address and the cause
  /// (AlreadyExists: somebody listens there; SO_REUSEPORT is never used), or the file of `tls` and
  /// what is wrong with it (Unavailable: it cannot be read; InvalidArgument: what it holds).
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options,
                                                       Handler handler);

  /// The port that is served.
  virtual uint16_t port() const = 0;
  virtual ServerStats stats() const = 0;

  /// Answers what is under way with `Connection: close`, takes no new connections once nothing is
  /// in flight (or `patience` is over), and returns when all threads have ended. What still runs
  /// after `patience` is told by Request::abandoned and loses its connection. Idempotent; the
  /// destructor drains with no patience.
  virtual void Drain(std::chrono::milliseconds patience) = 0;
};

}  // namespace outrigger::http
