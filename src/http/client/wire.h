#pragma once

#include <stop_token>
#include <string>

#include "absl/status/statusor.h"
#include "http/client/client.h"

namespace outrigger::http_client {

/// All of one call.
struct Call {
  std::string method;  // "GET"
  std::string target;  // path and query, escaped
  std::string form;    // body of a POST
  std::string url;     // for errors
};

/// Where a call goes, with the files as they are now.
struct Peer {
  std::string host;
  int port = 0;
  bool tls = false;
  std::string ca_file, cert_file, key_file;
  Headers headers;
  std::string check;  // as in Options
};

/// Makes the call, on a connection of its own. Blocks for `limits.total` at most, the look-up of
/// the host's name aside. Errors as of Client.
absl::StatusOr<Answer> Exchange(const Peer& peer, const Call& call, const Limits& limits,
                                const std::stop_token& stop);

}  // namespace outrigger::http_client
