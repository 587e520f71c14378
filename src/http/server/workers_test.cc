#include "http/server/workers.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
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

/// What sched_getattr(2) says: 48 bytes, of which nice is at 16 and the turn at 24.
struct Turns {
  std::array<uint32_t, 4> head{};
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t runtime = 0;
  std::array<uint64_t, 2> rest{};
};

Turns OfThisThread() {
  Turns turns;
  EXPECT_EQ(::syscall(SYS_sched_getattr, 0, &turns, sizeof(turns), 0), 0);
  return turns;
}

bool KernelHasTurns() {
  utsname name{};
  int major = 0;
  int minor = 0;
  // NOLINTNEXTLINE(cert-err34-c): a kernel's release begins with two numbers.
  if (::uname(&name) != 0 || std::sscanf(name.release, "%d.%d", &major, &minor) != 2) return false;
  return major > 6 || (major == 6 && minor >= 12);
}

TEST(ShortTurns, TheKernelIsAskedAndWhatAnAdministratorSetStays) {
  std::thread([] {  // what it does to itself, no other test has
    ASSERT_EQ(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 3), 0);
    const Turns before = OfThisThread();
    AskForShortTurns();
    const Turns after = OfThisThread();
    EXPECT_EQ(after.nice, 3);
    EXPECT_EQ(after.head, before.head) << "size, policy and flags";
    EXPECT_EQ(after.runtime, KernelHasTurns() ? 100'000U : before.runtime);
  })
      .join();
}

}  // namespace

}  // namespace outrigger::http
