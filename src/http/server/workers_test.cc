#include "http/server/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "gate.h"

namespace outrigger::http {
namespace {

using std::chrono::milliseconds;
using testing::Gate;
using testing::OpensAtEnd;

constexpr milliseconds kLong{60'000};

TEST(Workers, AreMadeWhenTheyAreNeeded) {
  Gate gate;
  Workers workers(100, kLong);
  EXPECT_EQ(workers.size(), 0U);
  const OpensAtEnd open(gate);
  for (int i = 0; i < 10; ++i) workers.Run([&] { gate.Pass(); });
  ASSERT_TRUE(gate.AwaitHeld(10)) << "all at once";
  EXPECT_EQ(workers.size(), 10U);
  gate.Open();
}

TEST(Workers, AreNoMoreThanAllowed) {
  Gate gate;
  std::atomic<int> done{0};
  Workers workers(2, kLong);
  const OpensAtEnd open(gate);
  for (int i = 0; i < 10; ++i) {
    workers.Run([&] {
      gate.Pass();
      ++done;
    });
  }
  ASSERT_TRUE(gate.AwaitHeld(2));
  EXPECT_EQ(workers.size(), 2U);
  gate.Open();
  workers.Finish();
  EXPECT_EQ(done, 10);
}

TEST(Workers, AreUsedAgain) {
  Workers workers(100, kLong);
  for (int i = 0; i < 50; ++i) {
    std::atomic<bool> ran{false};
    workers.Run([&] { ran = true; });
    while (!ran) std::this_thread::yield();
  }
  // One that has just finished may not be idle yet when the next task comes.
  EXPECT_LT(workers.size(), 10U);
}

TEST(Workers, EndWhenTheyAreIdle) {
  std::atomic<int> done{0};
  Workers workers(100, milliseconds(1));
  for (int i = 0; i < 5; ++i) workers.Run([&] { ++done; });
  while (done < 5 || workers.size() > 0) std::this_thread::yield();
  workers.Run([&] { ++done; });
  workers.Finish();
  EXPECT_EQ(done, 6);
}

TEST(Workers, FinishRunsWhatIsQueued) {
  std::atomic<int> done{0};
  Workers workers(1, kLong);
  for (int i = 0; i < 1000; ++i) workers.Run([&] { ++done; });
  workers.Finish();
  EXPECT_EQ(done, 1000);
  EXPECT_EQ(workers.size(), 0U);
  workers.Finish();
}

}  // namespace
}  // namespace outrigger::http
