#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "crowd_testing.h"
#include "gate.h"
#include "http/server/connection.h"
#include "raw_http.h"
#include "start_testing.h"

// Nobody can take so much that others go without.

namespace outrigger::http {
namespace {

using std::chrono::milliseconds;
using testing::Gate;
using ::testing::HasSubstr;
using testing::OpensAtEnd;
using testing::RawHttp;

constexpr const char* kHead = "POST / HTTP/1.1\r\nHost: t\r\n";

/// Sends a byte now and then until the peer has had enough.
class Drip {
 public:
  Drip(uint16_t port, std::string_view first, milliseconds pause) : client_(port) {
    EXPECT_TRUE(client_.Send(first));
    thread_ = std::thread([this, pause] {
      std::unique_lock<std::mutex> lock(mutex_);
      while (!stopped_.wait_for(lock, pause, [this] { return stop_; })) client_.Send("a");
    });
  }
  ~Drip() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    stopped_.notify_all();
    thread_.join();
  }
  RawHttp& client() { return client_; }

 private:
  RawHttp client_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::thread thread_;
};

struct DeadlineRow {
  const char* name;
  std::string first;
  const char* text;
};
class HttpDeadline : public ::testing::TestWithParam<DeadlineRow> {};

TEST_P(HttpDeadline, IsOfTheWallClockHoweverBytesDrip) {
  ServerOptions options;
  options.line_timeout = options.head_timeout = options.body_timeout = milliseconds(300);
  const auto server = MustStart(Echo, options);
  Drip drip(server->port(), GetParam().first, milliseconds(20));
  const auto answer = drip.client().ReadAnswer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 408);
  EXPECT_THAT(answer->body, HasSubstr(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, HttpDeadline,
    ::testing::Values(
        DeadlineRow{"FirstLine", "GET /", "head"},
        DeadlineRow{"Headers", std::string(kHead) + "X: ", "head"},
        DeadlineRow{"Body", std::string(kHead) + "Content-Length: 90000\r\n\r\n", "body"},
        DeadlineRow{"Chunks", std::string(kHead) + "Transfer-Encoding: chunked\r\n\r\nffff\r\n",
                    "body"}),
    [](const auto& row) { return row.param.name; });

TEST(HttpLimits, SlowRequestsHoldNoWorker) {
  ServerOptions options;
  options.max_workers = 2;
  const auto server = MustStart(Echo, options);
  const Clients slow = Connect(server->port(), 100);
  for (size_t i = 0; i < slow.size(); ++i) {
    ASSERT_TRUE(slow[i]->Send(i % 2 == 0 ? "POST / HT"
                                         : std::string(kHead) + "Content-Length: 9\r\n\r\nhalf"));
  }
  RawHttp client(server->port());
  const auto start = Clock::now();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(client.Call("POST", "/", "x"));
  EXPECT_LT(Clock::now() - start, milliseconds(2000));
  EXPECT_LE(server->stats().workers, 2U);
  for (size_t i = 1; i < slow.size(); i += 2) {
    ASSERT_TRUE(slow[i]->Send("-body"));
    const auto answer = slow[i]->ReadAnswer();
    ASSERT_TRUE(answer) << "a slow one is answered in the end";
    EXPECT_EQ(answer->body, "half-body");
  }
}

TEST(HttpLimits, AnswersThatNobodyTakesHoldNoWorkerAndNotForever) {
  ServerOptions options;
  options.max_workers = 2;
  options.answer_timeout = milliseconds(300);
  const auto server = MustStart(
      [](const Request& request, Response* response) {
        response->body.assign(request.path == "/large" ? 64'000'000 : 1, 'x');
      },
      options);
  const Clients lazy = Connect(server->port(), 8);
  for (const auto& client : lazy) ASSERT_TRUE(client->SendRequest("GET", "/large"));
  RawHttp client(server->port());
  ASSERT_TRUE(client.Call("GET", "/"));
  EXPECT_TRUE(Soon([&] { return server->stats().connections == 1; }));
}

TEST(HttpLimits, IdleConnectionsMakeRoomForNewOnes) {
  ServerOptions options;
  options.max_blocked = 1;
  options.max_connections = 1;  // and so kSpareConnections and 1
  const auto server = MustStart(Echo, options);
  const Clients idle = Connect(server->port(), 2 * kSpareConnections);
  ASSERT_TRUE(Soon([&] { return server->stats().connections_evicted >= kSpareConnections - 1; }));
  RawHttp client(server->port());
  const auto answer = client.Call("POST", "/", "x");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_TRUE(idle.front()->ReadsEnd()) << "the one that waited longest goes first";
  EXPECT_EQ(server->stats().connections_refused, 0U);
}

TEST(HttpLimits, RefuseAConnectionOnlyWhenNoneIsIdle) {
  Gate gate;
  ServerOptions options;
  options.max_blocked = 4;
  options.max_workers = kSpareConnections;
  options.max_connections = 4;
  const auto server = MustStart(
      [&](const Request& request, Response*) {
        if (request.path != "/free") gate.Pass();
      },
      options);
  const OpensAtEnd open(gate);
  const Clients busy = Connect(server->port(), kSpareConnections + 4);
  for (size_t i = 0; i < busy.size(); ++i) {
    ASSERT_TRUE(busy[i]->SendRequest("POST", i < 4 ? "/block" : "/busy"));
  }
  ASSERT_TRUE(gate.AwaitHeld(busy.size()));
  RawHttp refused(server->port());
  const auto answer = refused.ReadAnswer();
  ASSERT_TRUE(answer) << "a word, not a reset";
  EXPECT_EQ(answer->status, 503);
  EXPECT_THAT(answer->body, HasSubstr("too many connections"));
  EXPECT_EQ(server->stats().connections_refused, 1U);
  gate.Open();
  for (const auto& client : busy) EXPECT_TRUE(client->ReadAnswer());
}

TEST(HttpLimits, BodiesShareAMemoryOfBoundedSize) {
  Gate gate;
  ServerOptions options;
  options.max_body = 1'000'000;
  options.max_body_memory = 2'000'000;
  const auto server = MustStart(BlockAt(gate), options);
  const OpensAtEnd open(gate);
  const Clients holders = Connect(server->port(), 2);
  for (const auto& client : holders) {
    ASSERT_TRUE(client->SendRequest("POST", "/block", std::string(900'000, 'x')));
  }
  ASSERT_TRUE(gate.AwaitHeld(2));
  EXPECT_EQ(server->stats().body_bytes, 1'800'000U);
  RawHttp third(server->port());
  ASSERT_TRUE(third.SendRequest("POST", "/free", std::string(900'000, 'x')));
  const auto refused = third.ReadAnswer();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 503);
  EXPECT_THAT(refused->body, HasSubstr("memory"));
  RawHttp small(server->port());
  EXPECT_TRUE(small.Call("POST", "/free", "x"));
  gate.Open();
  for (const auto& client : holders) EXPECT_TRUE(client->ReadAnswer());
  EXPECT_TRUE(Soon([&] { return server->stats().body_bytes == 0; }));
}

TEST(HttpLimits, MemoryIsChargedForBytesThatCameNotForThoseAnnounced) {
  ServerOptions options;
  options.max_body = options.max_body_memory = 8'000'000;
  const auto server = MustStart(Echo, options);
  const Clients liars = Connect(server->port(), 20);
  for (const auto& client : liars) {
    ASSERT_TRUE(client->Send(std::string(kHead) + "Content-Length: 8000000\r\n\r\n"));
  }
  RawHttp honest(server->port());
  const auto answer = honest.Call("POST", "/", std::string(1'000'000, 'x'));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
}

}  // namespace
}  // namespace outrigger::http
