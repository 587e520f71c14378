#include "agent_client/deadline.h"

#include <semaphore>

#include "gtest/gtest.h"

namespace outrigger::agent_client {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(Deadline, CallsAgainUntilItIsDestroyed) {
  std::counting_semaphore<> calls(0);
  const Deadline deadline(milliseconds(1), [&calls] { calls.release(); });
  calls.acquire();
  calls.acquire();
  EXPECT_TRUE(deadline.passed());
}

TEST(Deadline, DoesNothingBeforeItsTimeAndEndsAtOnce) {
  int calls = 0;
  {
    const Deadline deadline(hours(1), [&calls] { ++calls; });
    EXPECT_FALSE(deadline.passed());
  }
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace outrigger::agent_client
