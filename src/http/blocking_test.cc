#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "crowd_testing.h"
#include "gate.h"
#include "http/server/connection.h"
#include "raw_http.h"
#include "start_testing.h"

// Calls that block for long, as bind does: how many, what they leave behind, who hears of whom.

namespace outrigger::http {
namespace {

using std::chrono::milliseconds;
using testing::Gate;
using ::testing::HasSubstr;
using testing::OpensAtEnd;
using testing::RawHttp;

/// Small calls beside waiting ones: ten times what one may take on a quiet machine (3 ms).
void ExpectPromptAnswers(uint16_t port) {
  RawHttp client(port);
  const auto start = Clock::now();
  for (int i = 0; i < 100; ++i) {
    const auto answer = client.Call("POST", "/free");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "/free");
  }
  EXPECT_LT((Clock::now() - start) / 100, milliseconds(30));
}

void ExpectRefused(RawHttp& client) {
  const auto answer = client.Call("POST", "/block");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503);
  EXPECT_THAT(answer->body, HasSubstr("try again"));
}

void ExpectAnswers(const Clients& blocked) {
  size_t answered = 0;
  for (const auto& client : blocked) {
    const auto answer = client->ReadAnswer();
    if (answer && answer->status == 200 && answer->body == "/block") ++answered;
  }
  EXPECT_EQ(answered, blocked.size());
}

TEST(HttpLimits, ABlockingCallAboveTheLimitIsToldToTryAgain) {
  Gate gate;
  ServerOptions options;
  options.max_blocked = 3;
  const auto server = MustStart(BlockAt(gate), options);
  const OpensAtEnd open(gate);
  const Clients blocked = Block(server->port(), 3, gate);
  EXPECT_EQ(server->stats().blocked, 3U);
  RawHttp fourth(server->port());
  ExpectRefused(fourth);
  gate.Open();
  ExpectAnswers(blocked);
  ASSERT_TRUE(Soon([&] { return server->stats().blocked == 0; }));
  const auto later = fourth.Call("POST", "/block");
  ASSERT_TRUE(later);
  EXPECT_EQ(later->status, 200);
}

/// Lets this process open `count` descriptors; says why not if it cannot.
::testing::AssertionResult AllowDescriptors(rlim_t count) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= count) return ::testing::AssertionSuccess();
  const rlimit wanted{count, std::max(count, limit.rlim_max)};
  if (::setrlimit(RLIMIT_NOFILE, &wanted) == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "this test needs " << count << " file descriptors, and the hard limit (ulimit -Hn) is "
         << limit.rlim_max;
}

#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;
#elif defined(__has_feature)
constexpr bool kThreadSanitizer = __has_feature(thread_sanitizer);
#else
constexpr bool kThreadSanitizer = false;
#endif

struct BlockedRow {
  const char* name;
  size_t calls;
};
class HttpBlocked : public ::testing::TestWithParam<BlockedRow> {};

TEST_P(HttpBlocked, CallsDelayNoOtherAndAreAnsweredInTheEnd) {
  const size_t calls = GetParam().calls;
  // Both ends of the connections are in this process.
  ASSERT_TRUE(AllowDescriptors(2 * calls + 200));
  Gate gate;
  ServerOptions options;
  options.max_workers = 2;
  options.max_blocked = calls;
  const auto server = MustStart(BlockAt(gate), options);
  const OpensAtEnd open(gate);
  const Clients blocked = Block(server->port(), calls, gate);
  EXPECT_EQ(server->stats().blocked, calls);
  RawHttp one_more(server->port());
  ExpectRefused(one_more);
  ExpectPromptAnswers(server->port());
  gate.Open();
  ExpectAnswers(blocked);
}

// With thread sanitizer thousands of threads take minutes; twice the load sees the same code.
INSTANTIATE_TEST_SUITE_P(Rows, HttpBlocked,
                         ::testing::Values(BlockedRow{"FiveHundred", 500},
                                           kThreadSanitizer ? BlockedRow{"TwiceTheLoad", 1000}
                                                            : BlockedRow{"TenTimesTheLoad", 5000}),
                         [](const auto& row) { return row.param.name; });

TEST(HttpLimits, OfManyBlockingCallsOnlyTwoConnectionsStay) {
  Gate gate;
  const auto server = MustStart(BlockAt(gate));
  const OpensAtEnd open(gate);
  const Clients blocked = Block(server->port(), 50, gate);
  gate.Open();
  size_t closed = 0;
  for (const auto& client : blocked) {
    const auto answer = client->ReadAnswer();
    ASSERT_TRUE(answer);
    if (answer->header("connection") == "close") {
      ++closed;
      EXPECT_TRUE(client->ReadsEnd()) << "the server closes first";
    }
  }
  EXPECT_EQ(closed, 48U);
  EXPECT_TRUE(Soon([&] { return server->stats().connections == 2; }));
}

TEST(HttpAbandoned, ABlockedCallHearsThatItsClientHasGone) {
  std::mutex mutex;
  std::condition_variable_any changed;
  bool waits = false;
  std::atomic<bool> heard{false};
  const auto server = MustStart([&](const Request& request, Response*) {
    std::unique_lock<std::mutex> lock(mutex);
    waits = true;
    changed.notify_all();
    changed.wait_for(lock, request.abandoned, std::chrono::seconds(20), [] { return false; });
    heard = request.abandoned.stop_requested();
  });
  {
    RawHttp client(server->port());
    ASSERT_TRUE(client.SendRequest("POST", "/block"));
    std::unique_lock<std::mutex> lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(20), [&] { return waits; }));
  }
  EXPECT_TRUE(Soon([&] { return heard.load(); }));
  EXPECT_TRUE(Soon([&] { return server->stats().calls_abandoned == 1; }));
  EXPECT_TRUE(Soon([&] { return server->stats().connections == 0; }));
}

TEST(HttpAbandoned, ADrainThatHasNoMorePatienceTellsTheCallsUnderWay) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::atomic<size_t> waits{0};
  const auto server = MustStart([&](const Request& request, Response*) {
    std::unique_lock<std::mutex> lock(mutex);
    ++waits;
    changed.wait(lock, request.abandoned, [] { return false; });  // would wait forever
  });
  const Clients clients = Connect(server->port(), 10);
  for (const auto& client : clients) ASSERT_TRUE(client->SendRequest("POST", "/block"));
  ASSERT_TRUE(Soon([&] { return waits == 10; }));
  server->Drain(milliseconds(10));
  EXPECT_EQ(server->stats().connections, 0U);
}

TEST(HttpAbandoned, ACallWhoseClientWaitsIsNot) {
  Gate gate;
  std::atomic<bool> abandoned{false};
  const auto server = MustStart([&](const Request& request, Response*) {
    gate.Pass();
    abandoned = request.abandoned.stop_requested();
  });
  const OpensAtEnd open(gate);
  RawHttp client(server->port());
  ASSERT_TRUE(client.SendRequest("POST", "/block"));
  ASSERT_TRUE(gate.AwaitHeld(1));
  gate.Open();
  EXPECT_TRUE(client.ReadAnswer());
  EXPECT_FALSE(abandoned);
  EXPECT_EQ(server->stats().calls_abandoned, 0U);
}

}  // namespace
}  // namespace outrigger::http
