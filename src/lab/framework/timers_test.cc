#include <gtest/gtest.h>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <vector>

#include "lab/framework/handle.h"
#include "lab/framework/timers.h"
#include "lab/framework/workers.h"
#include "lab/manual_timers_testing.h"

namespace outrigger::lab {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

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

TEST(ScopedTimers, RunTasksWhenTheyAreDue) {
  ManualTimers timers;
  ScopedTimers scoped(&timers);
  int runs = 0;
  scoped.After(seconds(2), [&] { ++runs; });
  timers.Advance(seconds(1));
  EXPECT_EQ(runs, 0);
  timers.Advance(seconds(1));
  EXPECT_EQ(runs, 1);
}

TEST(ScopedTimers, RunNoneAfterTheirEnd) {
  ManualTimers timers;
  int runs = 0;
  {
    ScopedTimers scoped(&timers);
    scoped.After(seconds(1), [&] { ++runs; });
  }
  timers.Advance(seconds(2));
  EXPECT_EQ(runs, 0);
}

TEST(ScopedTimers, WaitAtTheirEndForATaskThatHasBegun) {
  ThreadTimers timers;
  std::promise<void> begun;
  std::promise<void> may_end;
  std::atomic<bool> ended = false;
  auto scoped = std::make_unique<ScopedTimers>(&timers);
  scoped->After(seconds(0), [&] {
    begun.set_value();
    may_end.get_future().wait();
    ended = true;
  });
  begun.get_future().wait();
  std::promise<void> resetting;
  const auto reset = std::async(std::launch::async, [&] {
    resetting.set_value();
    scoped.reset();
    EXPECT_TRUE(ended);
  });
  resetting.get_future().wait();
  EXPECT_EQ(reset.wait_for(milliseconds(50)), std::future_status::timeout);
  may_end.set_value();
  reset.wait();
}

}  // namespace

}  // namespace outrigger::lab
