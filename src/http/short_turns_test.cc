#include "http/short_turns.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <thread>

namespace outrigger::http {
namespace {

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
