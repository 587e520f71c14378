#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "sdk/base/url.h"

// HTTP/1.1 as a client, in clear or over TLS, for calls that are few and far between: each has a
// connection of its own. Calls of the API server go through kube.

namespace outrigger::http_client {

/// Limits of one call. Times are of the wall clock.
struct Limits {
  std::chrono::milliseconds connect{2'000};
  std::chrono::milliseconds read{10'000};   // between two reads
  std::chrono::milliseconds total{15'000};  // of everything but the look-up of the host's name
  size_t max_bytes = size_t{16} << 20U;     // of the body. (The head is bounded by `total` alone.)
};

struct Options {
  /// "https://prometheus.example.com:9090/prefix"; the path is put before that of each call.
  std::string url;
  std::string url_by = "URL";  // what names it, for errors
  // PEM files, one with a bearer token, and one with a header "Name: value" a line; empty: none,
  // and the system's authorities. Read for each call: a file that changes counts from the next call
  // on.
  std::string ca_file, cert_file, key_file, token_file, header_file;
  Limits limits;
  /// Ends the error of a call that found no connection: "Check that ...".
  std::string check;
};

struct Answer {
  int status = 0;
  std::string body;      // "***" stands for what was sent in secret
  std::string location;  // of a redirect, which is not followed
};

using Parameters = std::vector<std::pair<std::string, std::string>>;
using Headers = std::vector<std::pair<std::string, std::string>>;

/// Calls one server. Thread-safe.
///
/// Errors of a call name its URL (without the query) and the cause:
/// - Unavailable: no connection, with what to check; or a certificate that is not accepted.
/// - DeadlineExceeded: no complete answer in time. ResourceExhausted: more than `max_bytes`.
/// - DataLoss: the connection ended, or what came is not HTTP.
/// - FailedPrecondition: a file of the options cannot be used, or has a header with a secret (as
///   Authorization) that would go in clear to another host.
/// - Cancelled: a stop was requested.
/// An answer of any HTTP status is an answer. Redirects are not followed, nothing is compressed and
/// no proxy is used.
class Client {
 public:
  /// InvalidArgument, without the URL, which may hold a password: the URL is not http:// or
  /// https://; files of TLS are given for http://; a certificate comes without its key; a token
  /// would go in clear to another host.
  static absl::StatusOr<Client> Create(Options options);

  absl::StatusOr<Answer> Get(std::string_view path, const Parameters& query = {},
                             const std::stop_token& stop = {}) const;
  /// POSTs `fields` as a form: for queries that are too long for a URL.
  absl::StatusOr<Answer> PostForm(std::string_view path, const Parameters& fields,
                                  const std::stop_token& stop = {}) const;

  /// The URL of `path`, for errors.
  std::string UrlOf(std::string_view path) const;

 private:
  Client(Options options, Url url, int port)
      : options_(std::move(options)), url_(std::move(url)), port_(port) {}

  Options options_;
  Url url_;
  int port_;
};

}  // namespace outrigger::http_client
