#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/select.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "gate.h"
#include "http/fd.h"
#include "raw_http.h"
#include "start_testing.h"

// Many connections, and what they must not do to each other.

namespace outrigger::http {
namespace {

using std::chrono::milliseconds;
using testing::Gate;
using testing::OpensAtEnd;
using testing::RawHttp;
using Clock = std::chrono::steady_clock;

std::vector<std::unique_ptr<RawHttp>> Connect(uint16_t port, size_t count) {
  std::vector<std::unique_ptr<RawHttp>> clients;
  for (size_t i = 0; i < count; ++i) clients.push_back(std::make_unique<RawHttp>(port));
  return clients;
}

/// Waits at `gate` if the path is /block.
Handler BlockAt(Gate& gate) {
  return [&gate](const Request& request, Response* response) {
    if (request.path == "/block") gate.Pass();
    response->body = request.path;
  };
}

TEST(HttpConnections, IdleOnesDoNotDelayTheNextRequest) {
  const auto server = MustStart(Echo);
  const auto silent = Connect(server->port(), 32);
  const auto kept_alive = Connect(server->port(), 32);
  for (const auto& client : kept_alive) ASSERT_TRUE(client->Call("POST", "/", "x"));
  const auto start = Clock::now();
  RawHttp client(server->port());
  ASSERT_TRUE(client.Call("POST", "/", "x"));
  EXPECT_LT(Clock::now() - start, milliseconds(2000));
}

TEST(HttpConnections, BlockedCallsDoNotDelayAnother) {
  Gate gate;
  const auto server = MustStart(BlockAt(gate));
  const OpensAtEnd open(gate);
  const auto blocked = Connect(server->port(), 100);
  for (const auto& client : blocked) ASSERT_TRUE(client->SendRequest("POST", "/block"));
  ASSERT_TRUE(gate.AwaitHeld(100));
  EXPECT_EQ(server->stats().in_flight, 100U);
  const auto start = Clock::now();
  RawHttp client(server->port());
  EXPECT_TRUE(client.Call("POST", "/free"));
  EXPECT_LT(Clock::now() - start, milliseconds(2000));
  gate.Open();
  for (const auto& held : blocked) EXPECT_TRUE(held->ReadAnswer());
}

TEST(HttpConnections, SmallAnswersAreNotHeldBackByNagle) {
  const auto server = MustStart(Echo);
  RawHttp client(server->port());
  ASSERT_TRUE(client.Call("POST", "/", "first"));
  constexpr int kCalls = 50;
  const auto start = Clock::now();
  for (int i = 0; i < kCalls; ++i) ASSERT_TRUE(client.Call("POST", "/", "small"));
  // With Nagle's algorithm at work each takes 40 ms and more.
  EXPECT_LT((Clock::now() - start) / kCalls, milliseconds(20));
}

TEST(HttpConnections, OutliveManyRequests) {
  const auto server = MustStart(Echo);
  RawHttp client(server->port());
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(client.Call("POST", "/", "x")) << i;
  EXPECT_EQ(server->stats().connections_accepted, 1U);
}

TEST(HttpConnections, EndWhenTheyAreIdleForTooLong) {
  ServerOptions options;
  options.idle_timeout = std::chrono::seconds(1);
  const auto server = MustStart(Echo, options);
  RawHttp client(server->port());
  ASSERT_TRUE(client.Call("POST", "/", "x"));
  EXPECT_TRUE(client.ReadsEnd());
}

TEST(HttpConnections, QueueUpWhenAllWorkersAreTaken) {
  Gate gate;
  ServerOptions options;
  options.max_workers = 2;
  options.may_block = [](std::string_view, std::string_view) { return false; };
  const auto server = MustStart(BlockAt(gate), options);
  const OpensAtEnd open(gate);
  const auto blocked = Connect(server->port(), 2);
  for (const auto& client : blocked) {
    ASSERT_TRUE(client->SendRequest("POST", "/block", "", "Connection: close\r\n"));
  }
  ASSERT_TRUE(gate.AwaitHeld(2));
  RawHttp waiting(server->port());
  ASSERT_TRUE(waiting.SendRequest("POST", "/free"));
  EXPECT_EQ(server->stats().workers, 2U);
  gate.Open();
  EXPECT_TRUE(waiting.ReadAnswer());
}

TEST(HttpConnections, TakeABurstLargerThanTheUsualBacklog) {
  const auto server = MustStart(Echo);
  const auto clients = Connect(server->port(), 300);
  for (const auto& client : clients) ASSERT_TRUE(client->SendRequest("POST", "/", "x"));
  for (const auto& client : clients) EXPECT_TRUE(client->ReadAnswer());
}

TEST(HttpConnections, MayHaveDescriptorsThatSelectCannotTake) {
  constexpr rlim_t kMany = FD_SETSIZE + 100;
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit before = limit;
  ASSERT_GE(limit.rlim_max, kMany) << "this test wants a hard limit of so many descriptors";
  limit.rlim_cur = std::max(limit.rlim_cur, kMany);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  const auto server = MustStart(Echo);
  std::vector<Fd> fillers;
  while (fillers.empty() || fillers.back().get() < FD_SETSIZE) {
    fillers.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(fillers.back().valid());
  }
  RawHttp client(server->port());
  const auto answer = client.Call("POST", "/", "x");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace outrigger::http
