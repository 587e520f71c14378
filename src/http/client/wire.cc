#include "http/client/wire.h"

#include <httplib.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "http/client/broken_pipes.h"
#include "http/client/deadline.h"
#include "http/client/headers.h"
#include "http/client/socket_guard.h"

namespace outrigger::http_client {
namespace {

using SteadyClock = std::chrono::steady_clock;

absl::Status TooLate(const Call& call, std::chrono::milliseconds limit) {
  return absl::DeadlineExceededError(
      fmt::format("{}: no complete answer within {} ms", call.url, limit.count()));
}

absl::Status WhyNoAnswer(const Peer& peer, const Call& call, const Limits& limits,
                         httplib::Error error) {
  switch (error) {
    case httplib::Error::Connection:
      return absl::UnavailableError(fmt::format("{}: no connection. {}", call.url, peer.check));
    case httplib::Error::ConnectionTimeout:
      return TooLate(call, limits.connect);
    case httplib::Error::SSLConnection:
      return absl::UnavailableError(fmt::format(
          "{}: no TLS connection. Check that the server speaks TLS on this port, and whether it "
          "asks for a client certificate",
          call.url));
    case httplib::Error::SSLLoadingCerts:
      return absl::FailedPreconditionError(
          fmt::format("{}: the authorities in {} cannot be used: PEM is expected", call.url,
                      peer.ca_file.empty() ? "the system's folder" : peer.ca_file));
    case httplib::Error::SSLServerVerification:
      return absl::UnavailableError(fmt::format(
          "{}: the server's certificate is not accepted. Check that {} has its authority, that it "
          "names the host {} and that it is valid now",
          call.url, peer.ca_file.empty() ? "the system" : peer.ca_file, peer.host));
    default:
      return absl::DataLossError(
          fmt::format("{}: the connection ended before a complete HTTP answer ({})", call.url,
                      httplib::to_string(error)));
  }
}

/// Returns the client of one call: no redirects, no compression, no second call.
std::unique_ptr<httplib::ClientImpl> MakeClient(const Peer& peer, const Limits& limits) {
  std::unique_ptr<httplib::ClientImpl> client;
  if (peer.tls) {
    client =
        std::make_unique<httplib::SSLClient>(peer.host, peer.port, peer.cert_file, peer.key_file);
    client->enable_server_certificate_verification(true);
    if (!peer.ca_file.empty()) client->set_ca_cert_path(peer.ca_file, {});
  } else {
    client = std::make_unique<httplib::ClientImpl>(peer.host, peer.port);
  }
  client->set_connection_timeout(std::min(limits.connect, limits.total));
  client->set_read_timeout(limits.read);
  client->set_write_timeout(limits.read);
  client->set_follow_location(false);
  client->set_decompress(false);
  client->set_keep_alive(false);
  client->set_url_encode(false);
  return client;
}

httplib::Request MakeRequest(const Peer& peer, const Call& call) {
  httplib::Request request;
  request.method = call.method;
  request.path = call.target;
  request.headers = {{"Accept", "application/json"}};
  for (const auto& [name, value] : peer.headers) request.headers.emplace(name, value);
  if (call.method == "POST") {
    request.headers.emplace("Content-Type", "application/x-www-form-urlencoded");
    request.body = call.form;
  }
  return request;
}

}  // namespace

absl::StatusOr<Answer> Exchange(const Peer& peer, const Call& call, const Limits& limits,
                                const std::stop_token& stop) {
  const NoBrokenPipes none;  // first: the client's end may write, too
  const std::unique_ptr<httplib::ClientImpl> client = MakeClient(peer, limits);
  if (!client->is_valid()) {
    return absl::FailedPreconditionError(fmt::format(
        "{}: the client certificate in {} and the key in {} cannot be used: PEM is expected, and "
        "the key must be that of the first certificate",
        call.url, peer.cert_file, peer.key_file));
  }
  SocketGuard guard;
  client->set_socket_options([&guard](int socket) { guard.Watch(socket); });
  Answer answer;
  bool too_large = false;
  httplib::Request request = MakeRequest(peer, call);
  request.content_receiver = [&](const char* data, size_t size, uint64_t /*at*/, uint64_t /*of*/) {
    too_large = answer.body.size() + size > limits.max_bytes;
    if (!too_large) answer.body.append(data, size);
    return !too_large;
  };
  const SteadyClock::time_point start = SteadyClock::now();
  const Deadline deadline(limits.total, stop, [&guard] { guard.Shutdown(); });
  const httplib::Result result = client->send(request);
  if (too_large) {
    return absl::ResourceExhaustedError(
        fmt::format("{}: the answer has more than {} bytes", call.url, limits.max_bytes));
  }
  if (stop.stop_requested()) return absl::CancelledError(call.url + ": a stop was requested");
  // Before the result: without a length, a body that the deadline has cut looks complete.
  if (deadline.passed()) return TooLate(call, limits.total);
  if (!result && result.error() == httplib::Error::Read &&
      SteadyClock::now() - start >= limits.read) {
    return TooLate(call, limits.read);
  }
  if (!result) return WhyNoAnswer(peer, call, limits, result.error());
  answer.status = result->status;
  answer.location = result->get_header_value("Location");
  if (answer.status >= 400) HideSecrets(peer.headers, &answer.body);
  return answer;
}

}  // namespace outrigger::http_client
