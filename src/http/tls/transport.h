#pragma once

#include <openssl/ssl.h>

#include <memory>

#include "http/fd.h"
#include "http/socket/transport.h"

namespace outrigger::http {

/// The server's end of a connection with the keys of `context`. Null without memory.
std::unique_ptr<Transport> MakeTlsTransport(SSL_CTX* context, const Fd& socket);

}  // namespace outrigger::http
