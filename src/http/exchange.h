#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "http/body.h"
#include "http/connection.h"
#include "http/head.h"
#include "http/pool.h"
#include "http/server.h"

namespace outrigger::http {

/// What all connections of a server share. Thread-safe.
struct Shared {
  Shared(Handler call, size_t largest_body);

  const Handler handler;
  const size_t max_body;
  Pool<Buffer> bodies;
  Pool<std::string> answers;
  std::atomic<bool> draining{false};
  std::atomic<uint64_t> refused{0};
  std::atomic<size_t> in_flight{0};
};

/// One request and its answer on a connection. Knows the rules of HTTP, not their bytes: reading
/// the head and writing it is the codec's part. Used by one thread.
class Exchange {
 public:
  Exchange(Connection& connection, Shared& shared);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Reads the body and lets the handler answer. Throws nothing.
  void Answer(const RequestHead& head);
  /// The codec could not read the head; `status` is what it makes of it.
  void RefuseHead(int status);

  bool answered() const { return answered_; }
  const Response& response() const { return response_; }
  /// The answer says `Connection: close`, and the connection has to be closed behind it.
  bool close() const { return close_ || shared_.draining; }
  /// There may be bytes of the request that nobody read.
  bool unread() const { return unread_; }

 private:
  void Refuse(const Refusal& refusal);
  void CallHandler(const RequestHead& head, std::string_view body);

  Connection& connection_;
  Shared& shared_;
  Response response_;
  bool answered_ = false;
  bool close_ = false;
  bool unread_ = false;
};

}  // namespace outrigger::http
