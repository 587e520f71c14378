#include "lab/framework/scoped_timers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>

#include "unit/lab/manual_timers.h"

namespace outrigger::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

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
