#include "kube/lease/lock.h"

#include <utility>

#include "gmock/gmock.h"
#include "kube/fake_objects_testing.h"
#include "kube/kube_testing.h"

namespace outrigger::kube {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr const char* kPath = "/apis/coordination.k8s.io/v1/namespaces/shop/leases/gang";

LeaseOptions Options(const std::string& identity) {
  return {.namespace_ = "shop", .name = "gang", .identity = identity};
}

class LeaseLockTest : public ::testing::Test {
 protected:
  bool Try(LeaseLock& lock) {
    const auto got = lock.TryAcquireOrRenew(seconds(10), {});
    EXPECT_TRUE(got.ok()) << got.status();
    return got.ok() && *got;
  }
  nlohmann::json Spec() { return server_.At(kPath)["spec"]; }

  FakeObjects server_;
  FakeTime time_;
  LeaseLock a_{&server_, Options("a"), time_.clock()};
  LeaseLock b_{&server_, Options("b"), time_.clock()};
};

TEST_F(LeaseLockTest, TheFirstMakesTheLeaseAndHoldsIt) {
  EXPECT_TRUE(Try(a_));
  EXPECT_EQ(Spec()["holderIdentity"], "a");
  EXPECT_EQ(Spec()["leaseDurationSeconds"], 15);
  EXPECT_EQ(Spec()["leaseTransitions"], 0);
  EXPECT_EQ(Spec()["acquireTime"], Spec()["renewTime"]);
  EXPECT_FALSE(Try(b_));
  EXPECT_EQ(b_.holder(), "a");
}

TEST_F(LeaseLockTest, RenewingKeepsTheTimeOfAcquisition) {
  ASSERT_TRUE(Try(a_));
  const auto first = Spec();
  time_.Pass(seconds(2));
  EXPECT_TRUE(Try(a_));
  EXPECT_EQ(Spec()["acquireTime"], first["acquireTime"]);
  EXPECT_NE(Spec()["renewTime"], first["renewTime"]);
  EXPECT_EQ(Spec()["leaseTransitions"], 0);
}

TEST_F(LeaseLockTest, ALeaseThatIsRenewedIsNeverTaken) {
  ASSERT_TRUE(Try(a_));
  for (int i = 0; i < 20; ++i) {
    time_.Pass(seconds(14));
    EXPECT_FALSE(Try(b_));
    EXPECT_TRUE(Try(a_));
  }
}

TEST_F(LeaseLockTest, ALeaseIsTakenOnceItDidNotChangeForItsDuration) {
  ASSERT_TRUE(Try(a_));
  EXPECT_FALSE(Try(b_));
  time_.Pass(seconds(14));
  EXPECT_FALSE(Try(b_));
  time_.Pass(seconds(1));
  EXPECT_TRUE(Try(b_));
  EXPECT_EQ(Spec()["holderIdentity"], "b");
  EXPECT_EQ(Spec()["leaseTransitions"], 1);
  EXPECT_FALSE(Try(a_));
}

TEST_F(LeaseLockTest, AClockThatIsWrongElsewhereTakesNothing) {
  ASSERT_TRUE(Try(a_));
  nlohmann::json lease = server_.At(kPath);
  lease["spec"]["renewTime"] = "2001-01-01T00:00:00.000000Z";
  server_.Put(kPath, lease);
  EXPECT_FALSE(Try(b_)) << "a process that saw it just now knows nothing of its age";
  time_.Pass(seconds(15));
  EXPECT_TRUE(Try(b_));
}

TEST_F(LeaseLockTest, OfTwoWhoClaimAtOnceOneGetsIt) {
  ASSERT_TRUE(Try(a_));
  EXPECT_FALSE(Try(b_));
  time_.Pass(seconds(15));
  LeaseLock c(&server_, Options("c"), time_.clock());
  ASSERT_FALSE(Try(c));
  time_.Pass(seconds(15));
  // c writes between b's read and write.
  bool once = true;
  server_.before = [&](const ApiRequest& request) {
    if (request.method == "PUT" && std::exchange(once, false)) {
      EXPECT_TRUE(Try(c));
    }
    return absl::OkStatus();
  };
  EXPECT_FALSE(Try(b_));
  EXPECT_EQ(Spec()["holderIdentity"], "c");
}

TEST_F(LeaseLockTest, AReleasedLeaseIsFreeAtOnce) {
  ASSERT_TRUE(Try(a_));
  EXPECT_TRUE(a_.Release(seconds(1)).ok());
  EXPECT_EQ(Spec()["holderIdentity"], "");
  EXPECT_TRUE(Try(b_));
  EXPECT_EQ(Spec()["leaseTransitions"], 1);
}

TEST_F(LeaseLockTest, WhatWasRenewedWithoutAnAnswerIsReleasedToo) {
  ASSERT_TRUE(Try(a_));
  nlohmann::json renewed = server_.At(kPath);
  renewed["spec"]["renewTime"] = "2026-11-21T23:30:58.000042Z";
  server_.Put(kPath, renewed);
  EXPECT_TRUE(a_.Release(seconds(1)).ok());
  EXPECT_EQ(Spec()["holderIdentity"], "");
}

TEST_F(LeaseLockTest, WhatWasClaimedWithoutAnAnswerIsReleasedToo) {
  server_.before = [&](const ApiRequest& request) {
    if (request.method != "POST") return absl::OkStatus();
    server_.Put(kPath, nlohmann::json::parse(request.body));
    return absl::DeadlineExceededError("the answer was lost");
  };
  EXPECT_FALSE(a_.TryAcquireOrRenew(seconds(1), {}).ok());
  ASSERT_EQ(Spec()["holderIdentity"], "a");
  EXPECT_TRUE(a_.Release(seconds(1)).ok());
  EXPECT_EQ(Spec()["holderIdentity"], "");
}

TEST_F(LeaseLockTest, ARenewalThatArrivesDuringTheReleaseDoesNotUndoIt) {
  ASSERT_TRUE(Try(a_));
  bool once = true;
  server_.before = [&](const ApiRequest& request) {
    if (request.method == "PUT" && std::exchange(once, false)) {
      server_.Put(kPath, server_.At(kPath));  // a newer resourceVersion
    }
    return absl::OkStatus();
  };
  EXPECT_TRUE(a_.Release(seconds(1)).ok());
  EXPECT_FALSE(once);
  EXPECT_EQ(Spec()["holderIdentity"], "");
}

TEST_F(LeaseLockTest, WhoNeverClaimedItAsksNothingToReleaseIt) {
  ASSERT_TRUE(Try(a_));
  ASSERT_FALSE(Try(b_));
  const size_t calls = server_.calls().size();
  EXPECT_TRUE(b_.Release(seconds(1)).ok());
  EXPECT_EQ(server_.calls().size(), calls);
}

TEST_F(LeaseLockTest, ReadingAndWritingShareTheTime) {
  ASSERT_TRUE(Try(a_));
  std::chrono::milliseconds writing{0};
  server_.before = [&](const ApiRequest& request) {
    if (request.method == "GET") time_.Pass(seconds(7));
    if (request.method == "PUT") writing = request.timeout;
    return absl::OkStatus();
  };
  EXPECT_TRUE(Try(a_));
  EXPECT_EQ(writing, seconds(3));
  EXPECT_EQ(a_.TryAcquireOrRenew(seconds(7), {}).status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST_F(LeaseLockTest, OnlyTheHolderReleases) {
  ASSERT_TRUE(Try(a_));
  ASSERT_FALSE(Try(b_));
  EXPECT_TRUE(b_.Release(seconds(1)).ok());
  EXPECT_EQ(Spec()["holderIdentity"], "a");
}

TEST_F(LeaseLockTest, WhatOthersWroteIntoTheLeaseStays) {
  server_.Put(kPath, {{"metadata", {{"name", "gang"}, {"labels", {{"team", "x"}}}}},
                      {"spec", {{"holderIdentity", ""}, {"strategy", "OldestEmulationVersion"}}}});
  EXPECT_TRUE(Try(a_));
  EXPECT_EQ(server_.At(kPath)["metadata"]["labels"]["team"], "x");
  EXPECT_EQ(Spec()["strategy"], "OldestEmulationVersion");
}

TEST_F(LeaseLockTest, AnErrorIsNotANo) {
  server_.before = [](const ApiRequest&) { return absl::UnavailableError("gone"); };
  EXPECT_EQ(a_.TryAcquireOrRenew(seconds(1), {}).status().code(), absl::StatusCode::kUnavailable);
}

struct Refusal {
  const char* name;
  LeaseOptions options;
  const char* text;
};
class LeaseRefusals : public ::testing::TestWithParam<Refusal> {};
TEST_P(LeaseRefusals, NameTheField) {
  const absl::Status status = CheckLeaseOptions(GetParam().options);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(MessageOf(status), HasSubstr(GetParam().text));
}
LeaseOptions With(void (*change)(LeaseOptions&)) {
  LeaseOptions options = Options("a");
  change(options);
  return options;
}
INSTANTIATE_TEST_SUITE_P(
    Of, LeaseRefusals,
    ::testing::Values(
        Refusal{"NoName", With([](LeaseOptions& o) { o.name = ""; }), "name"},
        Refusal{"NoNamespace", With([](LeaseOptions& o) { o.namespace_ = ""; }), "namespace"},
        Refusal{"NoIdentity", With([](LeaseOptions& o) { o.identity = ""; }), "identity"},
        Refusal{"LeaseNotLonger", With([](LeaseOptions& o) { o.renew_deadline = seconds(15); }),
                "leaseDuration"},
        Refusal{"LeaseNotASecondLonger",
                With([](LeaseOptions& o) { o.renew_deadline = std::chrono::milliseconds(14'001); }),
                "a second more"},
        Refusal{"RetryTooLong", With([](LeaseOptions& o) { o.retry_period = seconds(9); }),
                "retryPeriod"},
        Refusal{"RetryZero", With([](LeaseOptions& o) { o.retry_period = seconds(0); }),
                "retryPeriod"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(LeaseOptions, TheDefaultsAreAccepted) {
  EXPECT_TRUE(CheckLeaseOptions(Options("a")).ok());
}

}  // namespace
}  // namespace outrigger::kube
