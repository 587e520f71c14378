#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
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

/// Answers with "<", the bytes of the body one by one with a comma between two, and ">"; the bytes
/// are not copied.
inline void Scatter(const Request& request, Response* response) {
  response->body = "<>";
  for (size_t i = 0; i < request.body.size(); ++i) {
    response->inserts.push_back({response->body.size() - 1, request.body.substr(i, 1)});
    if (i + 1 < request.body.size()) response->body.insert(response->body.size() - 1, ",");
  }
}
/// What Scatter answers.
inline std::string Scattered(const std::string& body) {
  std::string answer = "<";
  for (size_t i = 0; i < body.size(); ++i) {
    if (i > 0) answer += ',';
    answer += body[i];
  }
  return answer + ">";
}

}  // namespace outrigger::http
