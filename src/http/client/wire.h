#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

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

/// Ends a call that takes too long. cpp-httplib 0.11 has time-outs between two bytes only, so a
/// peer that sends a byte now and then would never let it end.
class Deadline {
 public:
  /// Calls `end` again and again, on a thread of its own, from `total` after now, or from a request
  /// to stop, until this is destroyed: a call that comes before the socket is open has no effect.
  Deadline(std::chrono::milliseconds total, const std::stop_token& stop, std::function<void()> end);

  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  /// True once `end` was called.
  bool passed() const { return passed_; }

 private:
  std::atomic<bool> passed_{false};
  std::stop_source early_;  // requested where the first wait is over before its time
  std::stop_callback<std::function<void()>> by_caller_;
  std::jthread thread_;  // last: uses the above; its destructor joins it
};

}  // namespace outrigger::http_client
