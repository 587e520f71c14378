#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "raw_http.h"
#include "start_testing.h"

// Requests that RFC 9112 allows and that servers get wrong: each has one defined answer.

namespace outrigger::http {
namespace {

using testing::RawHttp;

struct Row {
  const char* name;
  std::string request;
  int status;
  std::string body;
};
class HttpSemantics : public ::testing::TestWithParam<Row> {};

TEST_P(HttpSemantics, HaveOneDefinedAnswer) {
  const auto server = MustStart([](const Request& request, Response* response) {
    response->body =
        fmt::format("{} {} [{}] [{}]", request.method, request.path, request.query, request.body);
  });
  RawHttp client(server->port());
  ASSERT_TRUE(client.Send(GetParam().request));
  const auto answer = client.ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, GetParam().status);
  EXPECT_EQ(answer->body, GetParam().body);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, HttpSemantics,
    ::testing::Values(
        Row{"AbsoluteForm", "GET http://elsewhere:80/a?b HTTP/1.1\r\nHost: t\r\n\r\n", 200,
            "GET /a [b] []"},
        Row{"AbsoluteFormWithoutPath", "GET http://elsewhere HTTP/1.1\r\nHost: t\r\n\r\n", 200,
            "GET / [] []"},
        Row{"AsteriskForm", "OPTIONS * HTTP/1.1\r\nHost: t\r\n\r\n", 200, "OPTIONS * [] []"},
        // A path is compared as it came; nothing that it hides gets decoded.
        Row{"PercentEncodedLineEnd", "GET /a%0D%0AX:%20y HTTP/1.1\r\nHost: t\r\n\r\n", 200,
            "GET /a%0D%0AX:%20y [] []"},
        Row{"PercentEncodedSlash", "GET /safe%2Ffilter HTTP/1.1\r\nHost: t\r\n\r\n", 200,
            "GET /safe%2Ffilter [] []"},
        Row{"FoldedHeader", "GET /a HTTP/1.1\r\nHost: t\r\nX: one\r\n two\r\n\r\n", 200,
            "GET /a [] []"},
        Row{"FoldedFramingHeader", "POST /a HTTP/1.1\r\nHost: t\r\nContent-Length:\r\n 2\r\n\r\nhi",
            200, "POST /a [] [hi]"},
        Row{"HeaderNamesInAnyCase", "POST /a HTTP/1.1\r\nhOST: t\r\ncONTENT-lENGTH: 2\r\n\r\nhi",
            200, "POST /a [] [hi]"},
        Row{"BlankLineBeforeTheRequest", "\r\n\r\nGET /a HTTP/1.1\r\nHost: t\r\n\r\n", 200,
            "GET /a [] []"},
        Row{"ChunkedInAnyCase",
            "POST /a HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
            200, "POST /a [] [hi]"},
        Row{"LeadingZerosInAChunkLength",
            "POST /a HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
            "0002\r\nhi\r\n000\r\n\r\n",
            200, "POST /a [] [hi]"},
        Row{"EmptyChunkedBody",
            "POST /a HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 200,
            "POST /a [] []"},
        Row{"IdentityEncoding",
            "POST /a HTTP/1.1\r\nHost: t\r\nContent-Encoding: identity\r\n"
            "Content-Length: 2\r\n\r\nhi",
            200, "POST /a [] [hi]"},
        Row{"Http10", "GET /a HTTP/1.0\r\n\r\n", 200, "GET /a [] []"},
        Row{"Http10WithKeepAlive", "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200,
            "GET /a [] []"},
        Row{"HeaderNamedRemoteAddr", "GET /a HTTP/1.1\r\nHost: t\r\nREMOTE_ADDR: 1.2.3.4\r\n\r\n",
            200, "GET /a [] []"},
        Row{"ExpectWithoutABody", "GET /a HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\n\r\n", 200,
            "GET /a [] []"},
        Row{"HundredHeaders",
            [] {
              std::string request = "GET /a HTTP/1.1\r\nHost: t\r\n";
              for (int i = 0; i < 99; ++i) request += "X: y\r\n";
              return request + "\r\n";
            }(),
            200, "GET /a [] []"},
        Row{"LongestTarget", "GET /" + std::string(8191, 'a') + " HTTP/1.1\r\nHost: t\r\n\r\n", 200,
            "GET /" + std::string(8191, 'a') + " [] []"},
        Row{"LongHead", "GET /a HTTP/1.1\r\nHost: t\r\nX: " + std::string(32'000, 'a') + "\r\n\r\n",
            200, "GET /a [] []"}),
    [](const auto& row) { return row.param.name; });

TEST(HttpPipelining, KeepsOrderWhateverTheBodies) {
  const auto server = MustStart(Echo);
  RawHttp client(server->port());
  const std::string large(200'000, 'L');
  std::string requests;
  for (const std::string& body : {std::string("one"), large, std::string(), std::string("four")}) {
    requests += fmt::format("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: {}\r\n\r\n{}",
                            body.size(), body);
  }
  requests +=
      "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfive\r\n0\r\n\r\n";
  requests += "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\nsix";
  ASSERT_TRUE(client.Send(requests));
  for (const std::string& body : {std::string("one"), large, std::string(), std::string("four"),
                                  std::string("five"), std::string("six")}) {
    const auto answer = client.ReadAnswer();
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->body == body) << answer->body.substr(0, 40);
  }
}

TEST(HttpPipelining, EndsBehindARefusedRequest) {
  const auto server = MustStart(Echo);
  RawHttp client(server->port());
  ASSERT_TRUE(client.Send("BAD\r\n\r\nPOST / HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\nhi"));
  const auto refused = client.ReadAnswer();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 400);
  client.EndSending();
  EXPECT_TRUE(client.ReadsEnd()) << "what follows may be part of the bad one";
}

TEST(HttpPipelining, ABodyIsNotTakenForARequest) {
  const auto server = MustStart(Echo);
  RawHttp client(server->port());
  const std::string smuggled = "GET /smuggled HTTP/1.1\r\nHost: t\r\n\r\n";
  const auto first = client.Call("POST", "/", smuggled);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->body, smuggled);
  const auto second = client.Call("POST", "/", "next");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->body, "next");
}

}  // namespace
}  // namespace outrigger::http
