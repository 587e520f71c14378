#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "http/server.h"
#include "raw_http.h"
#include "start_testing.h"

// Headers that the handler reads and writes, and refusals in its owner's words.

namespace outrigger::http {
namespace {

using testing::RawHttp;

TEST(HttpHeaders, OfARequestAreFoundByNameInAnyCase) {
  const auto server = MustStart([](const Request& request, Response* response) {
    response->body =
        std::string(request.Header("accept")) + "|" + std::string(request.Header("X-Empty")) + "|" +
        std::string(request.Header("X-None")) + "|" + std::string(request.Header("Twice")) + "|" +
        std::string(request.Header("X-Folded"));
  });
  RawHttp client(server->port());
  const auto answer = client.Call("GET", "/", "",
                                  "ACCEPT: text/plain;q=1\r\nX-Empty:\r\nTwice: 1\r\nTwice: 2\r\n"
                                  "X-Folded: a\r\n b\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "text/plain;q=1|||1|a b");
}

TEST(HttpHeaders, OfTheNextRequestAreItsOwn) {
  const auto server = MustStart([](const Request& request, Response* response) {
    response->body = std::string(request.Header("X-One"));
  });
  RawHttp client(server->port());
  EXPECT_EQ(client.Call("GET", "/", "", "X-One: 1\r\n")->body, "1");
  EXPECT_EQ(client.Call("GET", "/")->body, "");
}

struct HeaderRow {
  const char* name;
  std::string header, value;
  int status;
};
class HttpResponseHeader : public ::testing::TestWithParam<HeaderRow> {};

TEST_P(HttpResponseHeader, IsSentIfHttpAllowsIt) {
  const HeaderRow& row = GetParam();
  const auto server = MustStart([&row](const Request&, Response* response) {
    response->headers = {{"Before", "1"}, {row.header, row.value}};
  });
  RawHttp client(server->port());
  const auto answer = client.Call("GET", "/");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, row.status);
  EXPECT_EQ(answer->header("before"), row.status == 200 ? "1" : "");
  EXPECT_EQ(answer->header("audit-id"), row.status == 200 ? row.value : "");
}

INSTANTIATE_TEST_SUITE_P(Rows, HttpResponseHeader,
                         ::testing::Values(HeaderRow{"Plain", "Audit-Id", "a b\tc; d=\"e\"", 200},
                                           HeaderRow{"NoValue", "Audit-Id", "", 200},
                                           HeaderRow{"LineFeed", "Audit-Id", "a\nSet-Cookie: b",
                                                     500},
                                           HeaderRow{"Return", "Audit-Id", "a\rb", 500},
                                           HeaderRow{"NameWithColon", "Audit:Id", "a", 500},
                                           HeaderRow{"NameWithBlank", "Audit Id", "a", 500},
                                           HeaderRow{"NoName", "", "a", 500},
                                           HeaderRow{"OfTheTransport", "content-LENGTH", "7", 500}),
                         [](const auto& row) { return row.param.name; });

TEST(HttpRefusal, HasTheWordsOfTheOwner) {
  ServerOptions options;
  options.max_body = 10;
  options.refusal = [](std::string_view text, Response* response) {
    response->body = std::to_string(response->status) + ": " + std::string(text);
    response->content_type = "text/x-status";
  };
  const auto server = MustStart(Echo, options);
  RawHttp client(server->port());
  const auto answer = client.Call("POST", "/", "more than ten bytes");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 413);
  EXPECT_EQ(answer->body, "413: body is larger than the limit of 10 bytes");
  EXPECT_EQ(answer->header("content-type"), "text/x-status");
}

}  // namespace
}  // namespace outrigger::http
