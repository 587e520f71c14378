#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "apiserver/admission/admission.h"
#include "apiserver/store/store.h"
#include "apiserver/verbs/catalog.h"
#include "apiserver/verbs/writes.h"
#include "http/server.h"
#include "outrigger/base/clock.h"

// A Kubernetes API server in one process, in memory: what kubectl, client-go and kube-scheduler
// take for a real one. docs/lab.md says what it serves, and what it refuses.

namespace outrigger::apiserver {

struct ServerOptions {
  uint16_t port = 0;  // of 127.0.0.1; 0: any free one
  AdmissionOptions admission;
  bool controllers = true;
  uint64_t seed = 0;   // of UIDs and generated names
  Store::Limits past;  // what watches may fall behind
  Clock clock;
};

/// Thread-safe.
class Server {
 public:
  /// Serves once it returns. Errors are those of http::Server::Start().
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  uint16_t port() const;
  /// "http://127.0.0.1:55441"
  std::string Url() const;
  /// Answers one request; what the HTTP server calls.
  void Handle(const http::Request& request, http::Response* response);

  const Writes& writes() const;
  const Catalog& catalog() const;
  Store& store();

 private:
  struct Parts;
  explicit Server(const ServerOptions& options);
  std::unique_ptr<Parts> parts_;
};

}  // namespace outrigger::apiserver
