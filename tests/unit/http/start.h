#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "http/server.h"

namespace outrigger::http {

/// A server on a free port whose calls of /block may block; a failure ends the test program.
inline std::unique_ptr<Server> MustStart(Handler handler, ServerOptions options = {}) {
  if (!options.may_block) {
    options.may_block = [](std::string_view, std::string_view path) { return path == "/block"; };
  }
  auto server = Server::Start(options, std::move(handler));
  if (!server.ok()) {
    ADD_FAILURE() << server.status();
    std::abort();
  }
  return std::move(*server);
}

/// Answers with the body that came.
inline void Echo(const Request& request, Response* response) {
  response->body.assign(request.body);
}

}  // namespace outrigger::http
