#include "gang/desk/leadership/scheduler_lease.h"

#include <atomic>

#include "fake_cluster.h"
#include "gmock/gmock.h"

namespace outrigger::desk {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

class SchedulerLeaseTest : public ::testing::Test {
 protected:
  SchedulerLeaseTest() : leadership_(&cluster_, Options(), [this] { ++changes_; }) {}

  SchedulerLease::Options Options() {
    SchedulerLease::Options options;
    options.lease = {.namespace_ = "kube-system", .name = "kube-scheduler"};
    options.host_name = "mine";
    options.now = [this] { return now_; };
    return options;
  }
  // A second later the Lease is read, with that answer.
  std::string Read(const std::string& holder, const std::string& renewed) {
    return Read(LeaseRecord{holder, renewed, seconds(15)});
  }
  std::string ReadFails() { return Read(absl::DeadlineExceededError("no answer")); }
  std::string Read(absl::StatusOr<LeaseRecord> lease) {
    now_ += seconds(1);
    cluster_.SetLease(std::move(lease));
    return std::string(leadership_.Ask({}).message());
  }
  std::string AskOf(absl::StatusOr<std::string> holder) {
    cluster_.SetLeaseHolder(std::move(holder));
    const absl::Status status = leadership_.Ask({});
    EXPECT_EQ(leadership_.Now(), status);
    return std::string(status.message());
  }

  testing::FakeCluster cluster_;
  std::chrono::steady_clock::time_point now_{std::chrono::hours(1)};
  std::atomic<int> changes_{0};
  SchedulerLease leadership_;
};

TEST_F(SchedulerLeaseTest, IsOfTheHostWithWhoseNameTheHolderBegins) {
  for (const char* mine : {"mine_1", "mine_", "mine_other_2"}) EXPECT_EQ(AskOf(mine), "") << mine;
  for (const char* other : {"mine", "mine2_1", "other_mine_1", "other_1"}) {
    EXPECT_THAT(AskOf(other), HasSubstr(fmt::format("is held by {}, not by", other)));
  }
  EXPECT_THAT(AskOf(""), HasSubstr("is held by nobody"));
}

TEST_F(SchedulerLeaseTest, IsNobodysUntilTheLeaseWasRead) {
  EXPECT_EQ(leadership_.Now(),
            absl::UnavailableError("starting: the Lease kube-system/kube-scheduler "
                                   "has not been read yet"));
}

TEST_F(SchedulerLeaseTest, WritesEndBeforeAnotherOneMayHaveIt) {
  EXPECT_EQ(Read("mine_1", "1"), "");
  now_ += seconds(6);
  EXPECT_EQ(leadership_.MayWrite({.timeout = seconds(60)})->limits.timeout, seconds(9));
  EXPECT_EQ(leadership_.MayWrite({.timeout = seconds(5)})->limits.timeout, seconds(5));
}

TEST_F(SchedulerLeaseTest, WritesTakeAsLongAsTheyAreToAndOnlyInCharge) {
  EXPECT_EQ(leadership_.MayWrite({}).status(), leadership_.Now());
  AskOf("mine_1");
  const std::stop_source stop;
  const auto permit =
      leadership_.MayWrite({.timeout = std::chrono::seconds(60), .stop = stop.get_token()});
  ASSERT_TRUE(permit.ok()) << permit.status();
  EXPECT_EQ(permit->limits.timeout, std::chrono::seconds(60));
  EXPECT_EQ(permit->limits.stop, stop.get_token());
  AskOf("other_1");
  EXPECT_EQ(leadership_.MayWrite({}).status(), leadership_.Now());
}

// Two thirds of the Lease's 15 s: by then the scheduler has renewed it or has ended.
TEST_F(SchedulerLeaseTest, LastsTenSecondsFromTheLastRenewalThoughReadsFail) {
  EXPECT_EQ(Read("mine_1", "1"), "");
  for (int second = 1; second < 10; ++second) {
    EXPECT_EQ(ReadFails(), "") << second << " s after";
  }
  EXPECT_THAT(ReadFails(), HasSubstr("cannot be read: no answer"));
  EXPECT_FALSE(leadership_.MayWrite({}).ok());
  EXPECT_FALSE(leadership_.IsHeldByAnother());
  EXPECT_EQ(leadership_.Epoch(), "mine_1") << "nobody else is known to have it";
  EXPECT_EQ(changes_, 2);
}

TEST_F(SchedulerLeaseTest, EndsWithTimeThoughNothingIsRead) {
  EXPECT_EQ(Read("mine_1", "1"), "");
  now_ += seconds(9);
  EXPECT_EQ(leadership_.Now(), absl::OkStatus());
  now_ += seconds(1);
  EXPECT_FALSE(leadership_.Now().ok());
}

TEST_F(SchedulerLeaseTest, IsOfNobodyWhoDoesNotRenew) {
  for (int second = 0; second < 10; ++second) EXPECT_EQ(Read("mine_1", "1"), "") << second;
  EXPECT_EQ(Read("mine_1", "1"),
            "not in charge: the Lease kube-system/kube-scheduler was not renewed in time");
  EXPECT_EQ(Read("mine_1", "2"), "") << "the scheduler runs again";
}

// A renewal that is seen may have been made just after the read that has not seen it.
TEST_F(SchedulerLeaseTest, TakesARenewalToBeAsOldAsTheReadBefore) {
  EXPECT_EQ(Read("mine_1", "1"), "");
  for (int second = 1; second < 9; ++second) ReadFails();
  EXPECT_EQ(Read("mine_1", "2"), "") << "renewed in these 9 s";
  EXPECT_THAT(ReadFails(), HasSubstr("cannot be read")) << "perhaps ten seconds ago";
}

TEST_F(SchedulerLeaseTest, EndsAtOnceWhenAnotherHasIt) {
  EXPECT_EQ(Read("mine_1", "1"), "");
  EXPECT_THAT(Read("other_1", "2"), HasSubstr("is held by other_1"));
  EXPECT_TRUE(leadership_.IsHeldByAnother());
  EXPECT_THAT(ReadFails(), HasSubstr("is held by other_1"));
}

TEST_F(SchedulerLeaseTest, TheReadThatWasBegunLastCounts) {
  cluster_.SetLease(LeaseRecord{"mine_1", "1", seconds(15)});
  std::function<void()> within = [&] { EXPECT_THAT(Read("other_1", "2"), HasSubstr("other_1")); };
  cluster_.OnReadLease([&] {
    if (within) std::exchange(within, nullptr)();
  });
  EXPECT_THAT(std::string(leadership_.Ask({}).message()), HasSubstr("is held by other_1"));
}

TEST_F(SchedulerLeaseTest, NamesTheSettingWhereThereIsNoLease) {
  EXPECT_THAT(
      AskOf(absl::NotFoundError("404")),
      HasSubstr("the Lease kube-system/kube-scheduler does not exist: set --gang.scheduler-lease "
                "to the namespace and name of the scheduler's Lease, or to none"));
}

TEST_F(SchedulerLeaseTest, IsAlwaysOfAnAgentWhoseSchedulerElectsNoLeader) {
  cluster_.SetLeaseHolder("other_1");
  SchedulerLease charge(&cluster_, SchedulerLease::Options{}, nullptr);
  EXPECT_EQ(charge.Now(), absl::OkStatus());
  EXPECT_EQ(charge.Ask({}), absl::OkStatus());
}

TEST_F(SchedulerLeaseTest, EveryHolderIsAnEpoch) {
  AskOf("mine_1");
  EXPECT_EQ(leadership_.Epoch(), "mine_1");
  EXPECT_EQ(changes_, 1);
  AskOf("mine_1");
  EXPECT_EQ(changes_, 1) << "nothing has changed";
  AskOf("mine_2");
  EXPECT_EQ(leadership_.Epoch(), "mine_2");
  EXPECT_EQ(changes_, 2);
}

TEST_F(SchedulerLeaseTest, WarnsOnceOfALeaseThatDoesNotExist) {
  std::vector<std::string> warnings;
  SchedulerLease leadership(
      &cluster_, Options(), [] {}, [&](std::string_view line) { warnings.emplace_back(line); });
  const auto ask = [&](absl::StatusOr<std::string> holder) {
    cluster_.SetLeaseHolder(std::move(holder));
    (void)leadership.Ask({});
    return warnings.size();
  };
  EXPECT_EQ(ask(absl::UnavailableError("down")), 0U);
  EXPECT_EQ(ask(absl::NotFoundError("404")), 1U);
  EXPECT_EQ(ask(absl::NotFoundError("404")), 1U);
  EXPECT_EQ(ask(absl::UnavailableError("down")), 1U);
  EXPECT_EQ(ask(absl::NotFoundError("404")), 1U) << "it was not seen since";
  EXPECT_EQ(ask("mine_1"), 1U);
  EXPECT_EQ(ask(absl::NotFoundError("404")), 2U) << "it was deleted";
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_THAT(warnings[0], HasSubstr("the Lease kube-system/kube-scheduler does not exist"));
  EXPECT_THAT(warnings[0], HasSubstr("--gang.scheduler-lease"));
  EXPECT_THAT(warnings[0], HasSubstr("scheduling fails for every pod"));
}

}  // namespace
}  // namespace outrigger::desk
