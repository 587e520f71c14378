#include "outrigger/base/parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <set>
#include <thread>
#include <vector>

#include "outrigger/base/mutex.h"

namespace outrigger {
namespace {

using ::testing::Each;

TEST(ParallelFor, CallsEachIndexOnce) {
  std::vector<int> calls(1000, 0);
  ParallelFor(calls.size(), 8, [&](size_t i) { ++calls[i]; });
  EXPECT_THAT(calls, Each(1));
}

TEST(ParallelFor, CallsNothingWithoutWork) {
  ParallelFor(0, 8, [](size_t) { ADD_FAILURE() << "there is no index below 0"; });
}

TEST(ParallelFor, RunsCallsSideBySide) {
  std::latch all(4);  // each call waits for the three others
  ParallelFor(4, 4, [&](size_t) { all.arrive_and_wait(); });
}

TEST(ParallelFor, StartsNoMoreThreadsThanAllowed) {
  Mutex mutex;
  std::set<std::thread::id> threads;
  ParallelFor(100, 3, [&](size_t) {
    const MutexLock lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_LE(threads.size(), 3U);
  threads.clear();
  ParallelFor(100, 1, [&](size_t) { threads.insert(std::this_thread::get_id()); });
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

}  // namespace
}  // namespace outrigger
