#include "lab/framework/timers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <vector>

#include "lab/framework/random.h"
#include "lab/framework/workers.h"

namespace outrigger::lab {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(ThreadTimers, CallWhatIsDueInTheOrderOfItsTime) {
  std::vector<int> order;
  std::promise<void> done;
  ThreadTimers timers;
  const Clock::TimePoint start = timers.Now();
  timers.At(start + milliseconds(20), [&] {
    order.push_back(2);
    done.set_value();
  });
  timers.At(start + milliseconds(10), [&] { order.push_back(1); });
  done.get_future().wait();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
  EXPECT_GE(timers.Now() - start, milliseconds(20));
}

TEST(ThreadTimers, ATaskMayAskForAnother) {
  std::promise<void> done;
  ThreadTimers timers;
  timers.After(milliseconds(0), [&] { timers.After(milliseconds(0), [&] { done.set_value(); }); });
  done.get_future().wait();
}

TEST(ThreadTimers, DropWhatIsNotDueAtTheirEnd) {
  bool called = false;
  {
    ThreadTimers timers;
    timers.After(hours(1), [&] { called = true; });
  }
  EXPECT_FALSE(called);
}

TEST(Workers, RunEachTaskOnceAndSeveralAtATime) {
  std::atomic<int> ran = 0;
  std::promise<void> first_goes_on;
  std::promise<void> second_ran;
  {
    Workers workers(2);
    workers.Run([&] {
      first_goes_on.get_future().wait();  // for ever, if the second had to wait for it
      ++ran;
    });
    workers.Run([&] {
      ++ran;
      first_goes_on.set_value();
      second_ran.set_value();
    });
    second_ran.get_future().wait();
  }
  EXPECT_EQ(ran, 2);
}

TEST(Random, IsRepeatedByItsSeedAndReachesAll) {
  Random a(7);
  Random b(7);
  std::vector<int> seen(9, 0);
  for (int i = 0; i < 900; ++i) {
    const size_t pick = a.Pick(9);
    ASSERT_EQ(pick, b.Pick(9));
    ++seen.at(pick);
  }
  for (const int count : seen) EXPECT_GT(count, 50);
  EXPECT_EQ(Random(1).Pick(1), 0);
}

}  // namespace
}  // namespace outrigger::lab
