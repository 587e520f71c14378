#include "kube/transport/turnstile.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace outrigger::kube {
namespace {

using std::chrono::steady_clock;

steady_clock::time_point InAMinute() {
  return steady_clock::now() + std::chrono::minutes(1);
}

void UntilSoManyWait(const Turnstile& turnstile, size_t count) {
  while (turnstile.waiting() < count) std::this_thread::yield();
}

TEST(Turnstile, LetsSoManyThroughAtOnceAndNoMore) {
  Turnstile turnstile(2);
  EXPECT_TRUE(turnstile.Enter(InAMinute(), {}));
  EXPECT_TRUE(turnstile.Enter(InAMinute(), {}));
  EXPECT_FALSE(turnstile.Enter(steady_clock::now(), {})) << "two are in, and its time is over";
  EXPECT_EQ(turnstile.waiting(), 0U);
  turnstile.Leave();
  EXPECT_TRUE(turnstile.Enter(steady_clock::now(), {}));
}

TEST(Turnstile, WhoCameFirstGoesFirst) {
  Turnstile turnstile(1);
  ASSERT_TRUE(turnstile.Enter(InAMinute(), {}));
  std::vector<size_t> order;  // guarded by the one place
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < 8; ++i) {
      threads.emplace_back([&turnstile, &order, i] {
        EXPECT_TRUE(turnstile.Enter(InAMinute(), {}));
        order.push_back(i);
        turnstile.Leave();
      });
      UntilSoManyWait(turnstile, i + 1);
    }
    turnstile.Leave();
  }
  EXPECT_EQ(order, (std::vector<size_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Turnstile, WhoIsStoppedGivesUpItsTurn) {
  Turnstile turnstile(1);
  ASSERT_TRUE(turnstile.Enter(InAMinute(), {}));
  std::stop_source stop;
  std::jthread stopped([&] { EXPECT_FALSE(turnstile.Enter(InAMinute(), stop.get_token())); });
  UntilSoManyWait(turnstile, 1);
  std::jthread next([&] {
    EXPECT_TRUE(turnstile.Enter(InAMinute(), {}));
    turnstile.Leave();
  });
  UntilSoManyWait(turnstile, 2);
  stop.request_stop();
  stopped.join();
  turnstile.Leave();
  next.join();
  EXPECT_TRUE(turnstile.Enter(steady_clock::now(), {}));
}

TEST(Turnstile, ManyThreadsAreNeverMoreThanThePlaces) {
  constexpr int kPlaces = 3;
  Turnstile turnstile(kPlaces);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&] {
        for (int round = 0; round < 200; ++round) {
          ASSERT_TRUE(turnstile.Enter(InAMinute(), {}));
          const int now = ++inside;
          int before = most;
          while (before < now && !most.compare_exchange_weak(before, now)) {
          }
          --inside;
          turnstile.Leave();
        }
      });
    }
  }
  EXPECT_LE(most, kPlaces);
  EXPECT_EQ(turnstile.waiting(), 0U);
}

}  // namespace
}  // namespace outrigger::kube
