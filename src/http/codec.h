#pragma once

#include <memory>

#include "http/connection.h"
#include "http/exchange.h"

namespace outrigger::http {

/// Reads heads of requests and writes heads of answers with cpp-httplib; its source is the only
/// one that knows that library and its versions. Thread-safe.
class Codec {
 public:
  Codec();
  ~Codec();
  Codec(const Codec&) = delete;
  Codec& operator=(const Codec&) = delete;

  /// One request and its answer. False when the connection is of no further use.
  bool Run(Connection& connection, Exchange& exchange);

 private:
  class Httplib;
  const std::unique_ptr<Httplib> httplib_;
};

}  // namespace outrigger::http
