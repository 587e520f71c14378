#include "gang/desk/leadership/own_lease.h"

#include <atomic>
#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

#include "fake_elections.h"
#include "gmock/gmock.h"
#include "outrigger/agent/lease_claim.h"

namespace outrigger::desk {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

class OwnLeaseTest : public ::testing::Test {
 protected:
  std::string Why() const { return std::string(lease_.Now().message()); }
  // Terms begin on a thread of the election.
  void AwaitLeads() {
    while (!lease_.Now().ok()) std::this_thread::yield();
  }

  testing::FakeElections elections_;
  std::atomic<int> changes_{0};
  OwnLease lease_{&elections_, LeaseClaimOf("outrigger", "outrigger", 15), [this] { ++changes_; }};
};

TEST_F(OwnLeaseTest, IsNotHeldBeforeTheStart) {
  elections_.Give();
  EXPECT_EQ(lease_.Now(), absl::UnavailableError(
                              "starting: the Lease outrigger/outrigger has not been read yet"));
  EXPECT_EQ(lease_.Epoch(), "");
  EXPECT_FALSE(lease_.IsHeldByAnother());
}

TEST_F(OwnLeaseTest, StandsForTheLeaseThatIsNamed) {
  ASSERT_TRUE(lease_.Start().ok());
  EXPECT_EQ(elections_.claim().namespace_, "outrigger");
  EXPECT_EQ(elections_.claim().name, "outrigger");
  EXPECT_EQ(elections_.claim().lease_duration, std::chrono::seconds(15));
}

TEST_F(OwnLeaseTest, AClaimThatIsRefusedIsAnErrorOfTheStart) {
  OwnLease nameless(&elections_, LeaseClaimOf("outrigger", "", 15), [] {});
  EXPECT_EQ(nameless.Start().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(OwnLeaseTest, IsHeldDuringATermAndNoLonger) {
  ASSERT_TRUE(lease_.Start().ok());
  elections_.Give();
  AwaitLeads();
  EXPECT_TRUE(lease_.Ask({}).ok());
  EXPECT_FALSE(lease_.IsHeldByAnother());
  const int before = changes_;
  elections_.Take("other_1");
  EXPECT_THAT(Why(), HasSubstr("not in charge: other_1 holds the Lease outrigger/"));
  EXPECT_EQ(lease_.Ask({}), lease_.Now());
  EXPECT_TRUE(lease_.IsHeldByAnother());
  EXPECT_GT(changes_, before) << "the desk is woken";
}

TEST_F(OwnLeaseTest, SaysThatNoneHoldsIt) {
  ASSERT_TRUE(lease_.Start().ok());
  elections_.Take("");
  EXPECT_EQ(Why(), "not in charge: the Lease outrigger/outrigger has no holder");
  EXPECT_FALSE(lease_.IsHeldByAnother()) << "what this one has begun it may go on with";
}

// Though the election's thread has not come to end it.
TEST_F(OwnLeaseTest, ATermIsOverWithTheDeadlineByTheClock) {
  ASSERT_TRUE(lease_.Start().ok());
  elections_.Give();
  AwaitLeads();
  elections_.SetOverdue(true);
  EXPECT_EQ(Why(), "not in charge: the Lease outrigger/outrigger was not renewed in time");
  EXPECT_EQ(lease_.Ask({}).code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(lease_.IsHeldByAnother());
  elections_.SetOverdue(false);
  EXPECT_TRUE(lease_.Now().ok());
}

TEST_F(OwnLeaseTest, EachTermIsAnEpoch) {
  ASSERT_TRUE(lease_.Start().ok());
  elections_.Give();
  AwaitLeads();
  const std::string first = lease_.Epoch();
  EXPECT_NE(first, "");
  elections_.Take("other_1");
  EXPECT_EQ(lease_.Epoch(), first) << "the other one's is not ours";
  elections_.Give();
  AwaitLeads();
  EXPECT_NE(lease_.Epoch(), first);
}

TEST_F(OwnLeaseTest, AWriteHasWhatIsLeftOfTheTermAtMost) {
  ASSERT_TRUE(lease_.Start().ok());
  elections_.Give();
  AwaitLeads();
  elections_.SetTimeLeft(seconds(3));
  EXPECT_EQ(lease_.MayWrite({.timeout = seconds(10)})->limits.timeout, seconds(3));
  EXPECT_EQ(lease_.MayWrite({.timeout = seconds(2)})->limits.timeout, seconds(2));
  elections_.SetTimeLeft(seconds(0));
  EXPECT_EQ(lease_.MayWrite({.timeout = seconds(10)}).status(), lease_.Now());
}

TEST_F(OwnLeaseTest, AWriteIsCutShortByItsCaller) {
  ASSERT_TRUE(lease_.Start().ok());
  elections_.Give();
  AwaitLeads();
  std::stop_source caller;
  const auto permit = lease_.MayWrite({.stop = caller.get_token()});
  ASSERT_TRUE(permit.ok()) << permit.status();
  EXPECT_FALSE(permit->limits.stop.stop_requested());
  caller.request_stop();
  EXPECT_TRUE(permit->limits.stop.stop_requested());
}

// Who follows may begin as soon as the term has ended.
TEST_F(OwnLeaseTest, ATermCutsShortWhatIsUnderWayAndEndsAfterIt) {
  ASSERT_TRUE(lease_.Start().ok());
  elections_.Give();
  AwaitLeads();
  auto permit = lease_.MayWrite({});
  ASSERT_TRUE(permit.ok()) << permit.status();
  bool seen = false;
  std::jthread write([&] {
    while (!permit->limits.stop.stop_requested()) std::this_thread::yield();
    // Long enough for an election that does not wait.
    for (int i = 0; i < 20'000 && !seen; ++i) {
      seen = lease_.IsHeldByAnother();
      std::this_thread::yield();
    }
    permit->under_way.reset();
  });
  elections_.Take("other_1");
  write.join();
  EXPECT_FALSE(seen) << "another one leads while a write is under way";
  EXPECT_TRUE(lease_.IsHeldByAnother());
  EXPECT_FALSE(lease_.MayWrite({}).ok());
}

TEST_F(OwnLeaseTest, GivesItBackAtTheEnd) {
  ASSERT_TRUE(lease_.Start().ok());
  elections_.Give();
  AwaitLeads();
  lease_.Stop();
  EXPECT_FALSE(lease_.Now().ok());
  EXPECT_FALSE(elections_.IsStoodFor());
  lease_.Stop();
}

}  // namespace
}  // namespace outrigger::desk
