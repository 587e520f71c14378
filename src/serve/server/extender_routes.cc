#include "serve/server/extender_routes.h"

#include <fmt/format.h>

#include <utility>

#include "outrigger/base/text.h"
#include "serve/server/answers.h"

namespace outrigger::server {

static_assert(http::kBodyPadding >= wire::kPadding, "the decoder reads beyond the body");

ExtenderRoutes::ExtenderRoutes(const engine::Engine& engine) : engine_(engine) {
  const auto& endpoints = engine.endpoints();
  for (size_t i = 0; i < endpoints.size(); ++i) {
    endpoints_.emplace(endpoints[i].path, i);
    served_ += endpoints[i].path + ", ";
  }
  served_ += "/version";
}

bool ExtenderRoutes::MayBlock(std::string_view method, std::string_view path) const {
  if (method != "POST") return false;
  const auto found = endpoints_.find(absl::string_view(path.data(), path.size()));
  return found != endpoints_.end() &&
         engine_.endpoints()[found->second].verb == engine::Verb::kBind;
}

void ExtenderRoutes::Handle(const http::Request& request, http::Response* response) const {
  const auto found = endpoints_.find(absl::string_view(request.path.data(), request.path.size()));
  if (found != endpoints_.end()) {
    if (request.method != "POST") return AnswerWrongMethod(request, "POST", response);
    return Call(found->second, request, response);
  }
  if (request.path == "/version") {
    if (!IsGetOrHead(request)) return AnswerWrongMethod(request, "GET, HEAD", response);
    return AnswerVersion(response);
  }
  AnswerError(
      404,
      fmt::format("no such path: {}; served: {}", Shortened(request.path, kMaxQuoted), served_),
      response);
}

void ExtenderRoutes::Call(size_t endpoint, const http::Request& request,
                          http::Response* response) const {
  engine::Reply reply;
  reply.body = std::move(response->body);  // keeps its memory from call to call
  reply.body.clear();
  engine_.Call(endpoint, {request.body.data(), request.body.size()}, request.abandoned, &reply);
  response->status = reply.http_status;
  response->body = std::move(reply.body);
  response->inserts.reserve(reply.echoes.size());
  for (const wire::Echo& echo : reply.echoes) response->inserts.push_back({echo.at, echo.bytes});
}

}  // namespace outrigger::server
