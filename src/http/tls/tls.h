#pragma once

#include <openssl/ssl.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "http/fd.h"
#include "http/server.h"
#include "http/socket/transport.h"

namespace outrigger::http {

/// The server's side of TLS 1.2 and 1.3, by OpenSSL. Thread-safe.
class TlsContext {
 public:
  /// Reads the files; errors are those of ReadTlsFiles(). `warn`, which may be null, is told when
  /// changed files could not be read, and when they were.
  static absl::StatusOr<std::unique_ptr<TlsContext>> Load(
      const TlsOptions& options, std::function<void(const std::string&)> warn);
  virtual ~TlsContext() = default;

  /// The server's end of a new connection on `socket`, which is non-blocking and outlives it. Takes
  /// changed files up first; connections that stand keep what they began with. Null without memory.
  virtual std::unique_ptr<Transport> Accept(const Fd& socket) = 0;
};

/// What a server needs for TLS, from the files of `options`. Errors name the flag, the file and
/// what is wrong: Unavailable where a file cannot be read, InvalidArgument where what it holds is
/// not accepted.
absl::StatusOr<std::shared_ptr<SSL_CTX>> ReadTlsFiles(const TlsOptions& options);

}  // namespace outrigger::http
