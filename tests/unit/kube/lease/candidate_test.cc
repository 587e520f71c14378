#include "kube/lease/candidate.h"

#include <condition_variable>
#include <latch>
#include <mutex>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "unit/kube/fake_objects.h"

namespace outrigger::kube {
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
