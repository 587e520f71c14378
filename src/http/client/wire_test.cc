#include "http/client/wire.h"

#include <memory>
#include <semaphore>
#include <stop_token>

#include "gtest/gtest.h"

namespace outrigger::http_client {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(Deadline, CallsAgainUntilItIsDestroyed) {
  std::counting_semaphore<> calls(0);
  const Deadline deadline(milliseconds(1), {}, [&calls] { calls.release(); });
  calls.acquire();
  calls.acquire();
  EXPECT_TRUE(deadline.passed());
}

TEST(Deadline, DoesNothingBeforeItsTimeAndEndsAtOnce) {
  int calls = 0;
  {
    const Deadline deadline(hours(1), {}, [&calls] { ++calls; });
    EXPECT_FALSE(deadline.passed());
  }
  EXPECT_EQ(calls, 0);
}

TEST(Deadline, EndsTheCallWhenAStopIsRequested) {
  const auto stop = std::make_unique<std::stop_source>();
  std::counting_semaphore<> calls(0);
  const Deadline deadline(hours(1), stop->get_token(), [&calls] { calls.release(); });
  EXPECT_FALSE(deadline.passed());
  stop->request_stop();
  calls.acquire();
  EXPECT_TRUE(deadline.passed());
}

}  // namespace
}  // namespace outrigger::http_client
