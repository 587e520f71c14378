#include "http/server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "raw_http.h"
#include "start_testing.h"

namespace outrigger::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::RawHttp;

void Describe(const Request& request, Response* response) {
  response->content_type = "text/plain";
  response->body = fmt::format("{}|{}|{}|{}|{}|{}", request.method, request.path, request.query,
                               request.content_type, request.body, request.peer);
}

TEST(HttpServer, GivesTheHandlerWhatCame) {
  const auto server = MustStart(Describe);
  RawHttp client(server->port());
  const auto answer =
      client.Call("POST", "/a/b?x=1&y", "hello", "Content-Type: application/json\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->header("content-type"), "text/plain");
  EXPECT_EQ(answer->body, "POST|/a/b|x=1&y|application/json|hello|127.0.0.1");
}

class HttpMethods : public ::testing::TestWithParam<const char*> {};

TEST_P(HttpMethods, AllReachTheHandler) {
  const auto server = MustStart(Describe);
  RawHttp client(server->port());
  const auto answer = client.Call(GetParam(), "/x", "body");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, std::string(GetParam()) + "|/x|||body|127.0.0.1");
}

INSTANTIATE_TEST_SUITE_P(Known, HttpMethods,
                         ::testing::Values("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS",
                                           "TRACE", "BREW"),
                         [](const auto& row) { return std::string(row.param); });

TEST(HttpServer, AnswersHeadWithTheLengthButNoBody) {
  const auto server = MustStart(Describe);
  RawHttp client(server->port());
  ASSERT_TRUE(client.SendRequest("HEAD", "/x"));
  const auto head = client.ReadAnswer(/*to_head=*/true);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->header("content-length"), "20");  // of "HEAD|/x||||127.0.0.1"
  const auto next = client.Call("GET", "/y");
  ASSERT_TRUE(next) << "a body behind the answer to HEAD breaks the next one";
  EXPECT_EQ(next->status, 200);
}

TEST(HttpServer, SendsStatusAllowAndDateAndKeepsTheConnection) {
  const auto server = MustStart([](const Request&, Response* response) {
    response->status = 405;
    response->allow = "POST";
    response->body = "{}";
  });
  RawHttp client(server->port());
  const auto answer = client.Call("GET", "/");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 405);
  EXPECT_EQ(answer->header("allow"), "POST");
  EXPECT_EQ(answer->header("content-type"), "application/json");
  EXPECT_THAT(answer->header("date"), HasSubstr(" GMT"));
  EXPECT_EQ(answer->header("connection"), "");
  EXPECT_TRUE(client.Call("GET", "/"));
}

TEST(HttpServer, PadsTheBodyWithReadableBytes) {
  const auto server = MustStart([](const Request& request, Response* response) {
    std::string padding(kBodyPadding, '\0');
    std::memcpy(padding.data(), request.body.data() + request.body.size(), kBodyPadding);
    response->body = padding == std::string(kBodyPadding, '\0') ? "padded" : "dirty";
  });
  RawHttp client(server->port());
  // The long body leaves its bytes in the buffer that the short one uses again.
  for (const size_t size : {size_t{300'000}, size_t{0}, size_t{10}, size_t{65'536}}) {
    const auto answer = client.Call("POST", "/", std::string(size, 'x'));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "padded") << size;
  }
}

TEST(HttpServer, CarriesBodiesOfAnySize) {
  const auto server = MustStart(Echo);
  RawHttp client(server->port());
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{16'383}, size_t{16'384}, size_t{16'385}, size_t{4} << 20}) {
    std::string body(size, ' ');
    for (size_t i = 0; i < size; ++i) body[i] = static_cast<char>('a' + i % 23);
    const auto answer = client.Call("POST", "/", body);
    ASSERT_TRUE(answer) << size;
    EXPECT_TRUE(answer->body == body) << size;
  }
}

TEST(HttpServer, ReadsChunkedBodies) {
  const auto server = MustStart(Echo);
  RawHttp client(server->port());
  const std::string head = "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n";
  ASSERT_TRUE(client.Send(head + "5\r\nhello\r\nA;ext=1\r\n, chunked!\r\n0\r\nTrailer: x\r\n\r\n"));
  auto answer = client.ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "hello, chunked!");
  const std::string large(200'000, 'z');
  ASSERT_TRUE(client.Send(head + fmt::format("{:x}\r\n{}\r\n{:x}\r\n{}\r\n0\r\n\r\n", large.size(),
                                             large, large.size(), large)));
  answer = client.ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->body == large + large);
}

TEST(HttpServer, SendsContinueBeforeItReadsAnAwaitedBody) {
  const auto server = MustStart(Echo);
  httplib::Client client("127.0.0.1", server->port());
  const auto answer = client.Post("/", {{"Expect", "100-continue"}}, "patient", "application/json");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "patient");
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
  const auto server = MustStart(Echo);
  RawHttp client(server->port());
  ASSERT_TRUE(client.SendRequest("POST", "/", "one") && client.SendRequest("POST", "/", "two"));
  const auto first = client.ReadAnswer();
  const auto second = client.ReadAnswer();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->body + second->body, "onetwo");
}

TEST(HttpServer, NeverCompressesOrCutsAnswers) {
  const auto server =
      MustStart([](const Request&, Response* response) { response->body.assign(100'000, 'a'); });
  RawHttp client(server->port());
  const auto answer =
      client.Call("GET", "/", "", "Accept-Encoding: gzip, br\r\nRange: bytes=0-9\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->header("content-encoding"), "");
  EXPECT_EQ(answer->body.size(), 100'000U);
}

TEST(HttpServer, SendsWhatIsInsertedFromWhereItLies) {
  const auto server = MustStart(Scatter);
  RawHttp client(server->port());
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{31}, size_t{32}, size_t{33}, size_t{500}, size_t{20'000}}) {
    std::string body(size, ' ');
    for (size_t i = 0; i < size; ++i) body[i] = static_cast<char>('a' + i % 23);
    const auto answer = client.Call("POST", "/", body);
    ASSERT_TRUE(answer) << size;
    EXPECT_TRUE(answer->body == Scattered(body)) << size;
  }
}

TEST(HttpServer, SendsALargeInsertToAClientThatTakesItSlowly) {
  const auto server = MustStart([](const Request& request, Response* response) {
    response->body = "()";
    response->inserts = {{1, request.body}};
  });
  RawHttp client(server->port());
  const std::string body(20'000'000, 'x');
  ASSERT_TRUE(client.SendRequest("POST", "/", body));
  const auto answer = client.ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->body == "(" + body + ")");
}

TEST(HttpServer, TakesThePeerFromTheSocket) {
  const auto server = MustStart(Describe);
  RawHttp client(server->port());
  const auto answer =
      client.Call("GET", "/", "", "REMOTE_ADDR: 10.9.8.7\r\nX-Forwarded-For: 10.9.8.7\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "GET|/||||127.0.0.1");
}

TEST(HttpServer, TurnsExceptionsIntoA500WithoutDetails) {
  const auto server = MustStart([](const Request& request, Response* response) {
    response->body = "half an answer";
    if (request.path == "/std") throw std::runtime_error("password=hunter2");
    if (request.path == "/int") throw 42;
  });
  RawHttp client(server->port());
  for (const char* path : {"/std", "/int"}) {
    const auto answer = client.Call("GET", path);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 500);
    EXPECT_EQ(answer->body, R"({"error":"internal error"})");
    for (const auto& [name, value] : answer->headers) {
      EXPECT_THAT(name + value, Not(HasSubstr("hunter2")));
    }
  }
  const auto after = client.Call("GET", "/");
  ASSERT_TRUE(after) << "an exception must not cost the connection";
  EXPECT_EQ(after->status, 200);
}

TEST(HttpServer, ClosesAfterTheAnswerWhenTheClientAsksForIt) {
  const auto server = MustStart(Echo);
  for (const char* request :
       {"GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: t\r\nConnection: foo, Close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"}) {
    RawHttp client(server->port());
    ASSERT_TRUE(client.Send(request));
    const auto answer = client.ReadAnswer();
    ASSERT_TRUE(answer) << request;
    EXPECT_EQ(answer->header("connection"), "close") << request;
    EXPECT_TRUE(client.ReadsEnd()) << request;
  }
}

TEST(HttpServer, RefusesAPortThatIsTaken) {
  const auto first = MustStart(Echo);
  ServerOptions options;
  options.port = first->port();
  const auto second = Server::Start(options, Echo);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(second.status().message(),
            fmt::format("cannot listen on 127.0.0.1:{}: Address already in use", first->port()));
}

TEST(HttpServer, NamesAnAddressItCannotListenOn) {
  for (const char* address : {"192.0.2.1", "node.example.com"}) {
    ServerOptions options;
    options.bind = address;
    const auto server = Server::Start(options, Echo);
    EXPECT_EQ(server.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(server.status().message()),
                HasSubstr(std::string("cannot listen on ") + address));
  }
}

TEST(HttpServer, ListensOnLocalhostByName) {
  ServerOptions options;
  options.bind = "localhost";
  EXPECT_TRUE(Server::Start(options, Echo).ok());
}

TEST(HttpServer, ListensOnIpv6) {
  ServerOptions options;
  options.bind = "::1";
  const auto server = Server::Start(options, Describe);
  ASSERT_TRUE(server.ok()) << server.status();
  httplib::Client client("::1", (*server)->port());
  const auto answer = client.Get("/x");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "GET|/x||||::1");
}

TEST(HttpServer, CanTakeItsPortAgainAtOnce) {
  auto server = MustStart(Echo);
  const uint16_t port = server->port();
  RawHttp client(port);
  ASSERT_TRUE(client.Call("GET", "/"));
  server.reset();
  ServerOptions options;
  options.port = port;
  EXPECT_TRUE(Server::Start(options, Echo).ok());
}

TEST(HttpServer, ServesAnOrdinaryClient) {
  const auto server = MustStart(Echo);
  httplib::Client client("127.0.0.1", server->port());
  client.set_keep_alive(true);
  client.set_tcp_nodelay(true);
  for (int i = 0; i < 20; ++i) {
    const auto answer = client.Post("/", fmt::format("call {}", i), "application/json");
    ASSERT_TRUE(answer) << to_string(answer.error());
    EXPECT_EQ(answer->body, fmt::format("call {}", i));
  }
  EXPECT_EQ(server->stats().connections_accepted, 1U);
}

}  // namespace
}  // namespace outrigger::http
