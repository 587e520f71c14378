#pragma once

#include <openssl/ssl.h>

#include <memory>

#include "absl/status/statusor.h"
#include "http/server.h"

namespace outrigger::http {

/// What a server needs for TLS, from the files of `options`. Errors name the flag, the file and
/// what is wrong: Unavailable where a file cannot be read, InvalidArgument where what it holds is
/// not accepted.
absl::StatusOr<std::shared_ptr<SSL_CTX>> ReadTlsFiles(const TlsOptions& options);

}  // namespace outrigger::http
