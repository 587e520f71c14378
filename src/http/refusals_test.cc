#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "raw_http.h"
#include "start_testing.h"

// What is answered before the handler sees it.

namespace outrigger::http {
namespace {

using ::testing::HasSubstr;
using testing::RawHttp;
using ::testing::StartsWith;

constexpr size_t kLimit = size_t{1} << 20;

struct Row {
  const char* name;
  std::string request;
  int status;
  const char* text;
};

std::string Post(const std::string& headers, const std::string& body = "") {
  return "POST / HTTP/1.1\r\nHost: t\r\n" + headers + "\r\n" + body;
}
std::string Chunked(const std::string& chunks) {
  return Post("Transfer-Encoding: chunked\r\n", chunks);
}

class HttpRefusals : public ::testing::TestWithParam<Row> {};

TEST_P(HttpRefusals, AreJsonAndCloseTheConnectionAndNeverReachTheHandler) {
  std::atomic<int> handled{0};
  ServerOptions options;
  options.max_body = kLimit;
  const auto server = MustStart([&](const Request&, Response*) { ++handled; }, options);
  RawHttp client(server->port());
  ASSERT_TRUE(client.Send(GetParam().request));
  const auto answer = client.ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, GetParam().status);
  EXPECT_EQ(answer->header("content-type"), "application/json");
  EXPECT_EQ(answer->header("connection"), "close");
  EXPECT_THAT(answer->body, StartsWith(R"({"error":")"));
  EXPECT_THAT(answer->body, HasSubstr(GetParam().text));
  client.EndSending();
  EXPECT_TRUE(client.ReadsEnd());
  EXPECT_EQ(handled, 0);
  EXPECT_EQ(server->stats().requests_refused, 1U);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, HttpRefusals,
    ::testing::Values(
        // The body of these is not sent: the answer must not wait for it.
        Row{"HugeContentLength", Post("Content-Length: 99999999999\r\n"), 413, "1048576 bytes"},
        Row{"JustAboveTheLimit", Post("Content-Length: 1048577\r\n"), 413, "1048576 bytes"},
        Row{"LengthBeyond64Bits", Post("Content-Length: 99999999999999999999\r\n"), 400,
            "Content-Length"},
        Row{"HugeLengthWithExpect", Post("Content-Length: 99999999999\r\nExpect: 100-continue\r\n"),
            413, "limit"},
        Row{"NegativeLength", Post("Content-Length: -1\r\n"), 400, "Content-Length"},
        Row{"SignedLength", Post("Content-Length: +5\r\n", "hello"), 400, "Content-Length"},
        Row{"LengthTwice", Post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello"), 400,
            "Content-Length"},
        Row{"SameLengthTwice", Post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"), 400,
            "more than once"},
        Row{"ListOfLengths", Post("Content-Length: 5, 5\r\n", "hello"), 400, "Content-Length"},
        Row{"LengthAndChunked", Post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400,
            "without Content-Length"},
        Row{"ChunkedAndLength", Post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), 400,
            "Content-Length"},
        Row{"UnknownTransferCoding", Post("Transfer-Encoding: gzip, chunked\r\n"), 501, "chunked"},
        Row{"TwoTransferCodings",
            Post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"), 400, "chunked"},
        Row{"Gzip", Post("Content-Encoding: gzip\r\nContent-Length: 5\r\n", "hello"), 415,
            "Content-Encoding"},
        Row{"UnknownExpectation", Post("Expect: miracles\r\nContent-Length: 5\r\n"), 417,
            "100-continue"},
        Row{"NegativeChunk", Chunked("-1\r\n"), 400, "chunk length"},
        Row{"ChunkOfNonsense", Chunked("zz\r\n"), 400, "chunk length"},
        Row{"ChunkAboveTheLimit", Chunked("100001\r\n"), 413, "limit"},
        Row{"ChunkBeyond64Bits", Chunked("fffffffffffffffff\r\n"), 400, "chunk length"},
        Row{"ChunksThatAddUp", Chunked("80000\r\n" + std::string(0x80000, 'x') + "\r\n80001\r\n"),
            413, "limit"},
        Row{"ChunkWithoutItsEnd", Chunked("5\r\nhelloXX5\r\n"), 400, "chunk end"},
        Row{"EndlessTrailers",
            Chunked("0\r\n" +
                    [] {
                      std::string trailers;
                      for (int i = 0; i < 100; ++i) trailers += "A: b\r\n";
                      return trailers;
                    }() +
                    "\r\n"),
            431, "100 headers"},
        Row{"NotHttp", "hello there\r\n\r\n", 400, "malformed"},
        Row{"LongTarget", "GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n\r\n", 414, "too long"},
        Row{"LongHeaderLine", Post("X: " + std::string(40'000, 'a') + "\r\n"), 431, "too large"},
        Row{"ManyHeaders", Post([] {
              std::string headers;
              for (int i = 0; i < 4000; ++i) headers += fmt::format("X-{}: value\r\n", i);
              return headers;
            }()),
            431, "100 headers"},
        Row{"EndlessFirstLine", "GET /" + std::string(40'000, 'a'), 414, "too long"},
        Row{"EndlessHeader", "GET / HTTP/1.1\r\nX: " + std::string(40'000, 'a'), 431, "too large"},
        Row{"NoHost", "GET / HTTP/1.1\r\n\r\n", 400, "Host"},
        Row{"TwoHosts", Post("Host: other\r\n"), 400, "Host"},
        Row{"BlankBeforeColon", Post("Transfer-Encoding : chunked\r\n"), 400, "malformed"},
        Row{"HeaderWithoutColon", Post("Content-Length 5\r\n", "hello"), 400, "malformed"},
        Row{"LineFeedsAlone", "GET / HTTP/1.1\nHost: t\n\n\r\n\r\n", 505, "HTTP/1.1"},
        Row{"ControlInAHeader", Post("X: a\x01\x02\r\n"), 400, "malformed"},
        Row{"NulInTheTarget", std::string("GET /\0x HTTP/1.1\r\nHost: t\r\n\r\n", 29), 400,
            "malformed"},
        Row{"Http2Preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "HTTP/1.1"},
        Row{"Http09", "GET /\r\n\r\n", 400, "malformed"},
        Row{"ChunkedInHttp10", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400, "HTTP/1.0"},
        Row{"EndlessChunkExtension", Chunked("5;" + std::string(40'000, 'a')), 400, "chunk"}),
    [](const auto& row) { return row.param.name; });

TEST(HttpRefusal, OfABodyThatEndsEarly) {
  const auto server = MustStart(Echo);
  RawHttp client(server->port());
  ASSERT_TRUE(client.Send(Post("Content-Length: 10\r\n", "half")));
  client.EndSending();
  const auto answer = client.ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 400);
  EXPECT_THAT(answer->body, HasSubstr("ended early"));
}

TEST(HttpRefusal, OfABodyThatDoesNotCome) {
  ServerOptions options;
  options.line_timeout = options.body_timeout = std::chrono::milliseconds(100);
  const auto server = MustStart(Echo, options);
  RawHttp body(server->port());
  RawHttp head(server->port());
  ASSERT_TRUE(body.Send(Post("Content-Length: 10\r\n", "half")));
  ASSERT_TRUE(head.Send("POST / HT"));
  for (RawHttp* client : {&body, &head}) {
    const auto answer = client->ReadAnswer();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 408);
    EXPECT_TRUE(client->ReadsEnd());
  }
}

TEST(HttpRefusal, ReachesAClientThatIsStillSending) {
  ServerOptions options;
  options.max_body = 1000;
  const auto server = MustStart(Echo, options);
  // Closing with unread bytes would reset the connection and take the answer with it.
  RawHttp client(server->port());
  EXPECT_TRUE(client.SendRequest("POST", "/", std::string(8'000'000, 'x')));
  const auto answer = client.ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 413);
}

TEST(HttpRefusal, TakesABodyOfExactlyTheLimit) {
  ServerOptions options;
  options.max_body = 1000;
  const auto server = MustStart(Echo, options);
  RawHttp client(server->port());
  const auto plain = client.Call("POST", "/", std::string(1000, 'x'));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->status, 200);
  ASSERT_TRUE(client.Send(Chunked("3e8\r\n" + std::string(1000, 'x') + "\r\n0\r\n\r\n")));
  const auto chunked = client.ReadAnswer();
  ASSERT_TRUE(chunked);
  EXPECT_EQ(chunked->status, 200);
}

TEST(HttpRefusal, NeverLetsDecodedLineEndsIntoAnAnswer) {
  const auto server = MustStart([](const Request& request, Response* response) {
    response->content_type = std::string(request.content_type);
    response->body = "x";
  });
  RawHttp client(server->port());
  const auto answer = client.Call("GET", "/", "", "Content-Type: a%0D%0AInjected: yes\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->headers.count("injected"), 0U);
}

}  // namespace
}  // namespace outrigger::http
