#include "serve/server/answers.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "outrigger/base/text.h"
#include "serve/server/version.h"

namespace outrigger::server {
namespace {

// Paths come decoded and may hold broken UTF-8, for which dump() would throw.
std::string Dump(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void AnswerError(int status, std::string_view text, http::Response* response) {
  response->status = status;
  response->content_type = "application/json";
  response->body = Dump({{"error", text}});
}

void AnswerWrongMethod(const http::Request& request, std::string_view accepted,
                       http::Response* response) {
  AnswerError(405,
              fmt::format("{} is not accepted on {}: use {}", request.method,
                          Shortened(request.path, kMaxQuoted), accepted),
              response);
  response->allow = accepted;
}

void AnswerVersion(http::Response* response) {
  const Version& version = GetVersion();
  nlohmann::json json{{"version", version.version},
                      {"compiler", version.compiler},
                      {"buildType", version.build_type}};
  if (!version.commit.empty()) json["commit"] = version.commit;
  response->body = Dump(json);
}

bool IsGetOrHead(const http::Request& request) {
  return request.method == "GET" || request.method == "HEAD";
}

}  // namespace outrigger::server
