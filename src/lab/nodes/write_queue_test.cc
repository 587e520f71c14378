#include "lab/nodes/write_queue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "lab/nodes/nodes_testing.h"

namespace outrigger::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Runs tasks when the test says so.
class HeldExecutor final : public Executor {
 public:
  void Run(std::function<void()> task) override { tasks.push_back(std::move(task)); }
  void RunOne() {
    const auto task = std::move(tasks.front());
    tasks.pop_front();
    task();
  }
  std::deque<std::function<void()>> tasks;
};

struct CountingWriter final : QueuedWriter {
  bool Write() override {
    ++writes;
    if (during) during();
    return works;
  }
  int writes = 0;
  bool works = true;
  std::function<void()> during;
};

TEST(WriteQueue, HoldsAWriterOnce) {
  ManualTimers timers;
  ScopedTimers scoped(&timers);
  HeldExecutor executor;
  WriteQueue queue(&executor, &scoped);
  const auto writer = std::make_shared<CountingWriter>();
  queue.Add(writer);
  queue.Add(writer);
  ASSERT_EQ(executor.tasks.size(), 1U);
  executor.RunOne();
  EXPECT_EQ(writer->writes, 1);
  EXPECT_TRUE(executor.tasks.empty());
}

TEST(WriteQueue, WritesAgainWhatIsAddedMeanwhile) {
  ManualTimers timers;
  ScopedTimers scoped(&timers);
  HeldExecutor executor;
  WriteQueue queue(&executor, &scoped);
  const auto writer = std::make_shared<CountingWriter>();
  writer->during = [&] {
    if (writer->writes == 1) queue.Add(writer);
  };
  queue.Add(writer);
  executor.RunOne();
  ASSERT_EQ(executor.tasks.size(), 1U);
  executor.RunOne();
  EXPECT_EQ(writer->writes, 2);
  EXPECT_TRUE(executor.tasks.empty());
}

TEST(WriteQueue, WaitsLongerAfterEachFailure) {
  NodeScene scene;
  const auto writer = std::make_shared<CountingWriter>();
  writer->works = false;
  scene.queue.Add(writer);
  EXPECT_EQ(writer->writes, 1);
  for (const int wait : {1, 2, 4, 8, 16, 32, 32}) {
    const int before = writer->writes;
    scene.timers.Advance(seconds(wait) - milliseconds(1));
    EXPECT_EQ(writer->writes, before) << wait;
    scene.timers.Advance(milliseconds(1));
    EXPECT_EQ(writer->writes, before + 1) << wait;
  }
  writer->works = true;
  scene.timers.Advance(seconds(32));
  const int writes = writer->writes;
  scene.timers.Advance(seconds(100));
  EXPECT_EQ(writer->writes, writes);
  writer->works = false;
  scene.queue.Add(writer);
  scene.timers.Advance(seconds(1));
  EXPECT_EQ(writer->writes, writes + 2) << "a success makes the first wait short again";
}

}  // namespace
}  // namespace outrigger::lab
