#include "serve/server/extender_routes.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "fake_engine_testing.h"
#include "serve/server/version.h"

namespace outrigger::server {
namespace {

http::Response Ask(const FakeEngine& engine, std::string_view method, std::string_view path,
                   std::string body = "") {
  body.append(http::kBodyPadding, '\0');
  http::Response response;
  ExtenderRoutes(engine).Handle(
      {.method = method,
       .path = path,
       .query = {},
       .content_type = {},
       .body = std::string_view(body).substr(0, body.size() - http::kBodyPadding),
       .peer = "127.0.0.1"},
      &response);
  return response;
}

std::string ErrorOf(const http::Response& response) {
  return nlohmann::json::parse(response.body).at("error").get<std::string>();
}

TEST(ExtenderRoutes, CallTheEndpointOfThePath) {
  const FakeEngine engine;
  EXPECT_EQ(Ask(engine, "POST", "/gang/bind", "{}").body, "/gang/bind got {}");
  EXPECT_EQ(Ask(engine, "POST", "/filter", "[]").body, "/filter got []");
}

TEST(ExtenderRoutes, PassAnEmptyBodyThrough) {
  const FakeEngine engine;
  EXPECT_EQ(Ask(engine, "POST", "/filter").body, "/filter got ");
}

TEST(ExtenderRoutes, TakeStatusAndBodyFromTheEngine) {
  const FakeEngine engine([](const engine::Endpoint&, std::string_view, engine::Reply* reply) {
    reply->http_status = 400;
    reply->body += "{\"Error\":\"no pod\"}";
  });
  const http::Response response = Ask(engine, "POST", "/filter");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(response.body, "{\"Error\":\"no pod\"}");
}

TEST(ExtenderRoutes, GiveTheEngineAnEmptyReplyThatKeepsItsMemory) {
  const FakeEngine engine;
  http::Response response;
  response.body.assign(100'000, 'x');
  const char* const memory = response.body.data();
  const std::string body(http::kBodyPadding, '\0');
  ExtenderRoutes(engine).Handle({.method = "POST",
                                 .path = "/filter",
                                 .query = {},
                                 .content_type = {},
                                 .body = std::string_view(body).substr(0, 0),
                                 .peer = {}},
                                &response);
  EXPECT_EQ(response.body, "/filter got ");
  EXPECT_EQ(response.body.data(), memory);
}

TEST(ExtenderRoutes, RefuseOtherMethodsOnAnEndpoint) {
  const FakeEngine engine;
  for (const char* method : {"GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"}) {
    const http::Response response = Ask(engine, method, "/filter");
    EXPECT_EQ(response.status, 405) << method;
    EXPECT_EQ(response.allow, "POST") << method;
    EXPECT_EQ(ErrorOf(response), std::string(method) + " is not accepted on /filter: use POST");
  }
  EXPECT_EQ(engine.calls(), 0);
}

TEST(ExtenderRoutes, NameThePathsThatExist) {
  const FakeEngine engine;
  const http::Response response = Ask(engine, "POST", "/nope");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(ErrorOf(response),
            "no such path: /nope; served: /safe/filter, /safe/prioritize, /gang/bind, /filter, "
            "/version");
}

TEST(ExtenderRoutes, QuoteAnyPathSafely) {
  const FakeEngine engine;
  const http::Response response = Ask(engine, "POST", "/\"\r\n\xff" + std::string(5000, 'a'));
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body.find('\n'), std::string::npos);
  EXPECT_LT(response.body.size(), 600U);
  EXPECT_EQ(ErrorOf(response).substr(0, 18), "no such path: /\"\r\n");
}

TEST(ExtenderRoutes, AnswerVersion) {
  const FakeEngine engine;
  const http::Response response = Ask(engine, "GET", "/version");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(nlohmann::json::parse(response.body).at("version"), GetVersion().version);
  EXPECT_EQ(Ask(engine, "POST", "/version").status, 405);
  EXPECT_EQ(Ask(engine, "POST", "/version").allow, "GET, HEAD");
}

}  // namespace
}  // namespace outrigger::server
