#include "kube/lease/leader_election.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "kube/fake_objects_testing.h"
#include "kube/kube_testing.h"

namespace outrigger::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kPath = "/apis/coordination.k8s.io/v1/namespaces/shop/leases/gang";

/// Counts who leads, and lets a test wait for it.
class Stage {
 public:
  LeaderCallbacks Callbacks() {
    return {.lead =
                [this](std::stop_token term) {
                  Change(+1);
                  std::unique_lock<std::mutex> lock(mutex_);
                  std::condition_variable_any over;
                  over.wait(lock, term, [] { return false; });
                  lock.unlock();
                  Change(-1);
                },
            .on_new_leader = nullptr,
            .warn =
                [this](const std::string& line) {
                  const std::lock_guard<std::mutex> lock(mutex_);
                  warnings_.push_back(line);
                  changed_.notify_all();
                }};
  }
  void AwaitLeading(int count) {
    std::unique_lock<std::mutex> lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, seconds(20), [&] { return leading_ == count; }));
  }
  void AwaitTerms(int count) {
    std::unique_lock<std::mutex> lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, seconds(20), [&] { return terms_ >= count; }));
  }
  void AwaitWarning(const std::string& part) {
    std::unique_lock<std::mutex> lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, seconds(20), [&] {
      return std::any_of(warnings_.begin(), warnings_.end(), [&](const std::string& line) {
        return line.find(part) != std::string::npos;
      });
    })) << part;
  }
  int most() const { return most_; }

 private:
  void Change(int by) {
    const std::lock_guard<std::mutex> lock(mutex_);
    leading_ += by;
    terms_ += by > 0 ? 1 : 0;
    most_ = std::max(most_, leading_);
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> warnings_;
  int leading_ = 0;
  int terms_ = 0;
  int most_ = 0;
};

/// Pauses are 500 times shorter than what they stand for, and time passes as fast.
class QuickTime {
 public:
  Clock clock() {
    return {
        .now = [this] { return begin_ + (std::chrono::steady_clock::now() - begin_) * kFaster; },
        .wall = std::chrono::system_clock::now,
        .sleep =
            [](Clock::Duration time, std::stop_token stop) {
              return Clock().sleep(time / kFaster, std::move(stop));
            }};
  }

 private:
  static constexpr int kFaster = 500;
  const Clock::TimePoint begin_ = std::chrono::steady_clock::now();
};

class LeaderElectionTest : public ::testing::Test {
 protected:
  std::unique_ptr<LeaderElection> Stand(Api* api, const std::string& identity) {
    // Wide apart, so that a slow machine does not lose a lease that the test wants kept.
    auto election = LeaderElection::Start(api,
                                          {.namespace_ = "shop",
                                           .name = "gang",
                                           .identity = identity,
                                           .lease_duration = seconds(1500),
                                           .renew_deadline = seconds(1000),
                                           .retry_period = seconds(2)},
                                          stage_.Callbacks(), time_.clock(), [] { return 0.5; });
    EXPECT_TRUE(election.ok()) << election.status();
    return *std::move(election);
  }

  FakeObjects server_;
  QuickTime time_;
  Stage stage_;
};

TEST_F(LeaderElectionTest, OneOfTwoLeadsAndTheOtherFollowsWhenItGoes) {
  auto a = Stand(&server_, "a");
  stage_.AwaitLeading(1);
  auto b = Stand(&server_, "b");
  EXPECT_TRUE(a->IsLeader());
  a.reset();  // gives the lease back
  stage_.AwaitTerms(2);
  stage_.AwaitLeading(1);
  EXPECT_EQ(server_.At(kPath)["spec"]["holderIdentity"], "b");
  EXPECT_EQ(b->Leader(), "b");
  b.reset();
  EXPECT_EQ(server_.At(kPath)["spec"]["holderIdentity"], "");
  EXPECT_EQ(stage_.most(), 1);
}

TEST_F(LeaderElectionTest, ALeaseThatCannotBeRenewedEndsTheTermBeforeAnotherMayBegin) {
  FakeObjects* const server = &server_;
  std::atomic<bool> cut{false};
  server->before = [&cut](const ApiRequest&) {
    return cut ? absl::UnavailableError("no route") : absl::OkStatus();
  };
  auto a = Stand(server, "a");
  stage_.AwaitLeading(1);
  cut = true;
  stage_.AwaitWarning("was not renewed in time");
  stage_.AwaitLeading(0);
  EXPECT_FALSE(a->IsLeader());
  cut = false;
  stage_.AwaitTerms(2);
}

TEST_F(LeaderElectionTest, ALeaseThatWasWonWithoutAnAnswerIsGivenBackWhenItStops) {
  server_.before = [this](const ApiRequest& request) {
    if (request.method == "GET") return absl::OkStatus();
    if (request.method == "PUT" &&
        request.body.find("\"holderIdentity\":\"\"") != std::string::npos) {
      return absl::OkStatus();
    }
    server_.Put(kPath, nlohmann::json::parse(request.body));
    return absl::DeadlineExceededError("the answer was lost");
  };
  auto a = Stand(&server_, "a");
  stage_.AwaitWarning("cannot be acquired");
  a.reset();
  EXPECT_EQ(server_.At(kPath)["spec"]["holderIdentity"], "");
  EXPECT_EQ(stage_.most(), 0);
}

TEST_F(LeaderElectionTest, ALeaseThatAnotherTookEndsTheTerm) {
  auto a = Stand(&server_, "a");
  stage_.AwaitLeading(1);
  nlohmann::json lease = server_.At(kPath);
  lease["spec"]["holderIdentity"] = "thief";
  lease["spec"]["leaseDurationSeconds"] = 100000;
  lease["metadata"].erase("resourceVersion");
  server_.Put(kPath, lease);
  stage_.AwaitWarning("was taken by thief");
  stage_.AwaitLeading(0);
  EXPECT_EQ(server_.At(kPath)["spec"]["holderIdentity"], "thief");
}

// As after a pause of the whole process: the clock says so before the thread does.
TEST_F(LeaderElectionTest, NobodyLeadsPastTheDeadlineWhateverTheThreadIsAt) {
  std::atomic<int64_t> passed{0};
  const Clock::TimePoint begin = std::chrono::steady_clock::now();
  const Clock clock{.now = [&] { return begin + seconds(passed); },
                    .wall = std::chrono::system_clock::now,
                    .sleep =
                        [](Clock::Duration /*time*/, std::stop_token stop) {
                          while (!stop.stop_requested()) std::this_thread::yield();
                          return false;
                        }};
  auto election = LeaderElection::Start(&server_,
                                        {.namespace_ = "shop",
                                         .name = "gang",
                                         .identity = "a",
                                         .lease_duration = seconds(15),
                                         .renew_deadline = seconds(10),
                                         .retry_period = seconds(2)},
                                        stage_.Callbacks(), clock, [] { return 0.5; });
  ASSERT_TRUE(election.ok()) << election.status();
  stage_.AwaitLeading(1);
  passed = 9;
  EXPECT_TRUE((*election)->IsLeader());
  EXPECT_EQ((*election)->TimeLeft(), seconds(1));
  passed = 11;
  EXPECT_FALSE((*election)->IsLeader());
  EXPECT_EQ((*election)->TimeLeft(), seconds(0)) << "not less";
  passed = 10;
  EXPECT_FALSE((*election)->IsLeader());
  EXPECT_EQ((*election)->Leader(), "a");
}

TEST_F(LeaderElectionTest, ALongPauseIsCutShortByTheDeadline) {
  std::mutex mutex;
  std::vector<Clock::Duration> pauses;
  Clock clock = time_.clock();
  clock.sleep = [&, sleep = clock.sleep](Clock::Duration time, std::stop_token stop) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      pauses.push_back(time);
    }
    return sleep(time, std::move(stop));
  };
  std::atomic<bool> cut{false};
  server_.before = [&cut](const ApiRequest&) {
    return cut ? absl::UnavailableError("no route") : absl::OkStatus();
  };
  auto election = LeaderElection::Start(&server_,
                                        {.namespace_ = "shop",
                                         .name = "gang",
                                         .identity = "a",
                                         .lease_duration = seconds(750),
                                         .renew_deadline = seconds(500),
                                         .retry_period = seconds(400)},
                                        stage_.Callbacks(), clock, [] { return 0.5; });
  ASSERT_TRUE(election.ok()) << election.status();
  stage_.AwaitLeading(1);
  cut = true;
  stage_.AwaitWarning("was not renewed in time");
  stage_.AwaitLeading(0);
  election->reset();
  const std::lock_guard<std::mutex> lock(mutex);
  EXPECT_TRUE(std::any_of(pauses.begin(), pauses.end(), [](Clock::Duration pause) {
    return pause > Clock::Duration::zero() && pause < seconds(200);
  })) << "from the try at 400 seconds to the deadline";
}

TEST_F(LeaderElectionTest, SaysOnceThatTheLeaseCannotBeGot) {
  server_.before = [](const ApiRequest&) { return absl::PermissionDeniedError("no leases"); };
  auto a = Stand(&server_, "a");
  stage_.AwaitWarning("lease shop/gang: cannot be acquired, trying again: no leases");
}

TEST(LeaderElection, RefusesWhatCannotBeHeld) {
  FakeObjects server;
  EXPECT_FALSE(LeaderElection::Start(&server, {}, {.lead = [](std::stop_token) {}}).ok());
  EXPECT_FALSE(
      LeaderElection::Start(&server, {.namespace_ = "n", .name = "l", .identity = "a"}, {}).ok());
}

}  // namespace

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* kLease = "/apis/coordination.k8s.io/v1/namespaces/ops/leases/penalty";

LeaseClaim Claim(const std::string& identity = "") {
  return {.namespace_ = "ops", .name = "penalty", .identity = identity};
}

void AwaitStop(const std::stop_token& term) {
  std::mutex mutex;
  std::condition_variable_any over;
  std::unique_lock<std::mutex> lock(mutex);
  over.wait(lock, term, [] { return false; });
}

TEST(Candidate, LeadsAndGivesTheLeaseBack) {
  FakeObjects api;
  std::latch leads{1};
  bool ended = false;
  ElectionCallbacks callbacks;
  callbacks.lead = [&](const std::stop_token& term) {
    leads.count_down();
    AwaitStop(term);
    ended = true;
  };
  std::vector<std::string> leaders;
  callbacks.on_new_leader = [&](const std::string& holder) { leaders.push_back(holder); };
  auto candidate = StandForElection(&api, Claim("me"), std::move(callbacks), nullptr, {});
  ASSERT_TRUE(candidate.ok()) << candidate.status();
  leads.wait();
  EXPECT_TRUE((*candidate)->IsLeader());
  EXPECT_GT((*candidate)->TimeLeft(), std::chrono::seconds(0));
  EXPECT_LE((*candidate)->TimeLeft(), LeaseClaim().renew_deadline);
  EXPECT_EQ((*candidate)->Leader(), "me");
  EXPECT_EQ(api.At(kLease)["spec"]["holderIdentity"], "me");
  candidate->reset();
  EXPECT_TRUE(ended);
  EXPECT_EQ(api.At(kLease)["spec"]["holderIdentity"], "");
  EXPECT_THAT(leaders, ElementsAre("me", ""));
}

TEST(Candidate, HasAnIdentityOfItsOwn) {
  std::vector<std::string> identities;
  for (int i = 0; i < 2; ++i) {
    FakeObjects api;
    std::latch leads{1};
    auto candidate = StandForElection(
        &api, Claim(), {.lead = [&](const std::stop_token& /*term*/) { leads.count_down(); }},
        nullptr, {});
    ASSERT_TRUE(candidate.ok()) << candidate.status();
    leads.wait();
    identities.push_back((*candidate)->Leader());
    EXPECT_EQ(api.At(kLease)["spec"]["holderIdentity"], identities.back());
  }
  EXPECT_THAT(identities[0], MatchesRegex(".+_[0-9a-f]{16}"));
  EXPECT_NE(identities[0], identities[1]) << "the same host, another process";
}

TEST(Candidate, IsRefusedByTheNameOfTheField) {
  FakeObjects api;
  LeaseClaim claim = Claim("me");
  claim.renew_deadline = claim.lease_duration;
  const auto refused =
      StandForElection(&api, claim, {.lead = [](const std::stop_token& /*term*/) {}}, nullptr, {});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("leaseDuration"));
  EXPECT_EQ(StandForElection(&api, Claim("me"), {.lead = nullptr}, nullptr, {}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace

}  // namespace outrigger::kube
