#include "kube/transport/transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kube/errors.h"
#include "kube/kube_testing.h"
#include "kube/raw_server_testing.h"

namespace outrigger::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kChunked[] =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3\r\nyou\r\n0\r\n\r\n";

Clock::Duration Since(Clock::TimePoint begin) {
  return std::chrono::steady_clock::now() - begin;
}

TEST(Transport, SendsWhatTheRequestSays) {
  std::string received;
  RawServer server([&](RawPeer& peer, size_t) {
    received = peer.ReadRequest();
    peer.Send(Answer(201, "made"));
  });
  ClientConfig config;
  config.server = server.url() + "/prefix/";
  config.token = "secret";
  config.as_user = "jane";
  config.as_groups = {"a", "b"};
  config.user_agent = "outrigger/1 (linux/amd64)";
  ApiRequest request = Once("/api/v1/pods");
  request.method = "PATCH";
  request.query = {{"labelSelector", "a in (b,c)"}};
  request.body = "{}";
  request.content_type = "application/merge-patch+json";
  const auto answer = MustCreate(config)->Call(request);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->code, 201);
  EXPECT_EQ(answer->body, "made");
  EXPECT_THAT(
      received,
      StartsWith("PATCH /prefix/api/v1/pods?labelSelector=a%20in%20%28b%2Cc%29 HTTP/1.1\r\n"));
  for (const char* line :
       {"\r\nAuthorization: Bearer secret\r\n", "\r\nImpersonate-User: jane\r\n",
        "\r\nImpersonate-Group: a\r\nImpersonate-Group: b\r\n", "\r\nAccept: application/json\r\n",
        "\r\nUser-Agent: outrigger/1 (linux/amd64)\r\n",
        "\r\nContent-Type: application/merge-patch+json\r\n"}) {
    EXPECT_THAT(received, HasSubstr(line));
  }
  EXPECT_THAT(received, HasSubstr("\r\nHost: 127.0.0.1:" + std::to_string(server.port())));
  EXPECT_THAT(received, Not(HasSubstr("Accept-Encoding")));
  EXPECT_THAT(received, Not(HasSubstr("Expect")));
  EXPECT_TRUE(received.ends_with("\r\n\r\n{}"));
}

TEST(Transport, KeepsAConnectionForTheNextCall) {
  RawServer server([](RawPeer& peer, size_t) {
    while (!peer.ReadRequest().empty()) peer.Send(Answer(200, "{}"));
  });
  const auto client = ClientOf(server.url());
  ApiRequest request;
  request.path = "/api";
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(client->Call(request).ok());
  EXPECT_EQ(server.connections(), 1U);
}

TEST(Transport, TakesANewConnectionWhereTheKeptOneWasClosed) {
  RawServer server([](RawPeer& peer, size_t) {
    peer.ReadRequest();
    peer.Send(Answer(200, "{}"));
  });
  const auto client = ClientOf(server.url());
  for (int i = 0; i < 5; ++i) {
    const auto answer = client->Call(Once("/api"));
    EXPECT_TRUE(answer.ok()) << answer.status();
  }
  EXPECT_EQ(server.connections(), 5U);
}

TEST(Transport, SendsNothingTwiceThatMayNotBe) {
  std::atomic<int> posts{0};
  RawServer server([&](RawPeer& peer, size_t) {
    // Answers the first request of a connection and hangs up upon the second.
    if (peer.ReadRequest().starts_with("POST")) ++posts;
    peer.Send(Answer(200, "{}"));
    if (peer.ReadRequest().starts_with("POST")) ++posts;
  });
  const auto client = ClientOf(server.url());
  ASSERT_TRUE(client->Call(Once("/api")).ok());
  ApiRequest post = Once("/api");
  post.method = "POST";
  post.body = "{}";
  EXPECT_TRUE(client->Call(post).ok());
  EXPECT_EQ(posts, 1);
  EXPECT_EQ(server.connections(), 2U);
}

TEST(Transport, TakesNoAnswerThatWasCutAtAnyByte) {
  // Of the chunks the very last byte is the end of an empty line: libcurl 7.88 takes them without
  // it, 8.14 does not.
  const std::string chunked = kChunked;
  const std::string counted = Answer(200, R"({"kind":"PodList"})");
  for (const auto& [whole, needed] :
       {std::pair(chunked, chunked.size() - 1), std::pair(counted, counted.size())}) {
    std::atomic<size_t> sent{0};
    const std::string_view bytes = whole;
    RawServer server([&sent, bytes](RawPeer& peer, size_t) {
      peer.ReadRequest();
      peer.Send(bytes.substr(0, sent));
    });
    const auto client = ClientOf(server.url());
    for (; sent < needed; ++sent) {
      const auto answer = client->Call(Once("/api"));
      EXPECT_EQ(answer.status().code(), absl::StatusCode::kUnavailable)
          << "cut at " << sent << " of " << whole << ": " << answer.status();
    }
    sent = whole.size();
    const auto answer = client->Call(Once("/api"));
    EXPECT_TRUE(answer.ok()) << answer.status();
  }
}

struct BrokenRow {
  const char* name;
  std::string answer;
  absl::StatusCode code;
};
class BrokenAnswer : public ::testing::TestWithParam<BrokenRow> {};

TEST_P(BrokenAnswer, IsAnError) {
  RawServer server([](RawPeer& peer, size_t) {
    peer.ReadRequest();
    peer.Send(GetParam().answer);
  });
  const auto answer = ClientOf(server.url())->Call(Once("/api"));
  EXPECT_EQ(answer.status().code(), GetParam().code) << answer.status();
  for (const char c : Text(answer.status())) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BrokenAnswer,
    ::testing::Values(
        BrokenRow{"Garbage", "\x16\x03\x01 what is this\r\n\r\n", absl::StatusCode::kUnavailable},
        BrokenRow{"NoHttpVersion", "hello\r\n\r\nhello", absl::StatusCode::kUnavailable},
        BrokenRow{"TooShort", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello",
                  absl::StatusCode::kUnavailable},
        BrokenRow{"NegativeLength", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nhello",
                  absl::StatusCode::kUnavailable},
        BrokenRow{"WrongChunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello",
                  absl::StatusCode::kUnavailable},
        BrokenRow{"NoLength", "HTTP/1.1 200 OK\r\n\r\n{\"kind\":\"Pod\"}",
                  absl::StatusCode::kUnavailable},
        BrokenRow{"EndlessLine", "HTTP/1.1 200 OK\r\nA: " + std::string(300'000, 'a'),
                  absl::StatusCode::kUnavailable},
        BrokenRow{"OnlyContinue", "HTTP/1.1 100 Continue\r\n\r\n", absl::StatusCode::kUnavailable},
        BrokenRow{
            "Redirect",
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
            absl::StatusCode::kUnknown},
        BrokenRow{"RefusalThatWasCut", "HTTP/1.1 403 No\r\nContent-Length: 99\r\n\r\n{\"ki",
                  absl::StatusCode::kPermissionDenied}),
    [](const auto& row) { return row.param.name; });

TEST(Transport, RefusesAHeadWithoutEnd) {
  RawServer server([](RawPeer& peer, size_t) {
    peer.ReadRequest();
    peer.Send("HTTP/1.1 200 OK\r\n");
    // Long enough for our limit to come before that of later versions of libcurl, 5000 lines.
    const std::string line = "A: " + std::string(100, 'b') + "\r\n";
    while (peer.Send(line)) {
    }
  });
  const auto answer = ClientOf(server.url())->Call(Once("/api"));
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(Text(answer.status()), HasSubstr("head of the answer"));
}

TEST(Transport, RefusesABodyWithoutEnd) {
  RawServer server([](RawPeer& peer, size_t) {
    peer.ReadRequest();
    peer.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "100000\r\n" + std::string(0x100000, 'x') + "\r\n";
    while (peer.Send(chunk)) {
    }
  });
  const auto answer = ClientOf(server.url())->Call(Once("/api", seconds(60)));
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kResourceExhausted) << answer.status();
}

TEST(Transport, ReadsNoMoreOfARefusalThanIsWanted) {
  RawServer server([](RawPeer& peer, size_t) {
    peer.ReadRequest();
    peer.Send("HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
    while (peer.Send(chunk)) {
    }
  });
  const auto answer = ClientOf(server.url())->Call(Once("/api"));
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kInternal) << answer.status();
}

// A byte every few milliseconds, which a timeout between two reads would never notice.
void Drip(RawPeer& peer, const std::string& bytes) {
  for (const char c : bytes) {
    if (!peer.Send({&c, 1})) return;
    peer.Pause(milliseconds(5));
  }
}

TEST(Transport, EndsADrippingHeadAtTheDeadline) {
  RawServer server([](RawPeer& peer, size_t) {
    peer.ReadRequest();
    Drip(peer, "HTTP/1.1 200 OK\r\n" + std::string(10'000, 'a'));
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto answer = ClientOf(server.url())->Call(Once("/api", milliseconds(200)));
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kDeadlineExceeded) << answer.status();
  EXPECT_GE(Since(begin), milliseconds(200));
  EXPECT_LT(Since(begin), seconds(5));
}

TEST(Transport, EndsADrippingBodyAtTheDeadline) {
  RawServer server([](RawPeer& peer, size_t) {
    peer.ReadRequest();
    peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n");
    Drip(peer, std::string(10'000, 'a'));
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto answer = ClientOf(server.url())->Call(Once("/api", milliseconds(200)));
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kDeadlineExceeded) << answer.status();
  EXPECT_LT(Since(begin), seconds(5));
}

TEST(Transport, SaysThatNobodyListens) {
  uint16_t port = 0;
  {
    const RawServer server([](RawPeer&, size_t) {});
    port = server.port();
  }
  const auto answer = ClientOf("http://127.0.0.1:" + std::to_string(port))->Call(Once("/api"));
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(Text(answer.status()), HasSubstr("127.0.0.1"));
  EXPECT_THAT(Text(answer.status()), Not(HasSubstr(" ms"))) << "the same text each time";
}

TEST(Transport, EndsWithinMillisecondsOfStopWhileNoAnswerComes) {
  struct Stop {
    std::stop_source source;
    Clock::TimePoint requested;
  };
  std::vector<Stop> stops(3);
  const int calling = ThisThread();
  RawServer server([&](RawPeer& peer, size_t connection) {
    // Timers of libcurl's own for a new connection end a wait too: the second call has none.
    ASSERT_LT(connection, stops.size());
    peer.ReadRequest();
    peer.Send(Answer(200, "{}"));
    peer.ReadRequest();
    EXPECT_TRUE(AwaitAsleep(calling)) << "the call waits for its answer";
    stops[connection].requested = std::chrono::steady_clock::now();
    stops[connection].source.request_stop();
    peer.AwaitEnd();
  });
  Clock::Duration quickest = seconds(20);
  for (const Stop& stop : stops) {
    const auto client = ClientOf(server.url());
    ASSERT_TRUE(client->Call(Once("/api")).ok());
    ApiRequest request = Once("/api", seconds(20));
    request.stop = stop.source.get_token();
    EXPECT_EQ(client->Call(request).status().code(), absl::StatusCode::kCancelled);
    quickest = std::min(quickest, Since(stop.requested));
  }
  // The quickest, since a busy machine may delay any of them.
  EXPECT_LT(quickest, milliseconds(100));
}

TEST(Transport, SendsNothingOnceItIsStopped) {
  RawServer server([](RawPeer&, size_t) {});
  const auto stop = std::make_unique<std::stop_source>();
  stop->request_stop();
  ApiRequest request = Once("/api");
  request.stop = stop->get_token();
  EXPECT_EQ(ClientOf(server.url())->Call(request).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(server.connections(), 0U);
}

TEST(Transport, AsksThroughAProxyWithTheServersName) {
  std::string received;
  RawServer proxy([&](RawPeer& peer, size_t) {
    received = peer.ReadRequest();
    peer.Send(Answer(200, "{}"));
  });
  ClientConfig config;
  config.server = "http://api.example.invalid:8080";
  config.proxy_url = proxy.url();
  const auto answer = MustCreate(config)->Call(Once("/api"));
  EXPECT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(received, StartsWith("GET http://api.example.invalid:8080/api HTTP/1.1\r\n"));
}

TEST(Transport, LeavesTheProxyOutForHostsOfNoProxy) {
  RawServer server([&](RawPeer& peer, size_t) {
    peer.ReadRequest();
    peer.Send(Answer(200, "{}"));
  });
  ClientConfig config;
  config.server = server.url();
  config.proxy_url = "http://127.0.0.1:1";
  EXPECT_FALSE(MustCreate(config)->Call(Once("/api")).ok());
  config.no_proxy = "example.com,127.0.0.1";
  EXPECT_TRUE(MustCreate(config)->Call(Once("/api")).ok());
}

}  // namespace
}  // namespace outrigger::kube
