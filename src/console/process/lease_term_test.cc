#include "console/process/lease_term.h"

#include <latch>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fake_elections.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::cli {
namespace {

using ::testing::ElementsAre;
using testing::FakeElections;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LeaseTermTest : public ::testing::Test {
 protected:
  LeaseTask Task() {
    LeaseTask task{
        .claim = {.namespace_ = "kube-system", .name = "outrigger-penalty"},
        .wait = std::chrono::seconds(60),
        .work = [this](const std::stop_token&) { return work_(); },
        .on_other_holder = [this](const std::string& holder) { holders_.push_back(holder); }};
    task.claim.identity = "cli";
    return task;
  }
  // The wait is over at once.
  static Clock Impatient() {
    Clock clock;
    clock.sleep = [](Clock::Duration, const std::stop_token& stop) {
      return !stop.stop_requested();
    };
    return clock;
  }

  std::function<absl::Status()> work_ = [this] {
    ++works_;
    return absl::OkStatus();
  };
  int works_ = 0;
  std::vector<std::string> holders_;
};

TEST_F(LeaseTermTest, WorksOnceItHoldsTheLease) {
  FakeElections elections;
  elections.Give();
  EXPECT_EQ(HoldingLease(&elections, Task(), {}), absl::OkStatus());
  EXPECT_EQ(works_, 1);
  EXPECT_THAT(holders_, IsEmpty()) << "itself";
  EXPECT_EQ(elections.claim().identity, "cli");
}

TEST_F(LeaseTermTest, ReturnsWhatTheWorkReturns) {
  FakeElections elections;
  elections.Give();
  work_ = [] { return absl::AbortedError("no"); };
  EXPECT_EQ(HoldingLease(&elections, Task(), {}), absl::AbortedError("no"));
}

TEST_F(LeaseTermTest, GivesUpIfItDoesNotGetTheLease) {
  FakeElections elections;
  const absl::Status status = HoldingLease(&elections, Task(), Impatient());
  EXPECT_TRUE(absl::IsDeadlineExceeded(status));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("Lease kube-system/outrigger-penalty could not be acquired within 60 s; "
                        "nothing was done. No holder was seen"));
  EXPECT_EQ(works_, 0);
}

// An agent that does not give it back.
class HeldElections final : public Elections {
  class Waiting final : public Candidacy {
    std::chrono::steady_clock::duration TimeLeft() const override { return {}; }
    std::string Leader() const override { return "agent-1"; }
  };
  absl::StatusOr<std::unique_ptr<Candidacy>> Stand(LeaseClaim, ElectionCallbacks calls) override {
    calls.on_new_leader("");
    calls.on_new_leader("agent-1");
    return std::make_unique<Waiting>();
  }
};

TEST_F(LeaseTermTest, NamesWhoHoldsIt) {
  HeldElections elections;
  const absl::Status status = HoldingLease(&elections, Task(), Impatient());
  EXPECT_THAT(std::string(status.message()), HasSubstr("agent-1 holds it: stop the agent"));
  EXPECT_THAT(holders_, ElementsAre("agent-1"));
}

TEST_F(LeaseTermTest, EndsWorkThatHasBegunWhenTheWaitIsOver) {
  FakeElections elections;
  elections.Give();
  std::latch began{1};
  std::latch is_over{1};
  work_ = [&] {
    began.count_down();
    is_over.wait();
    ++works_;
    return absl::OkStatus();
  };
  Clock clock;
  int sleeps = 0;
  clock.sleep = [&, sleep = clock.sleep](Clock::Duration time, const std::stop_token& stop) {
    if (++sleeps > 1) return sleep(time, stop);
    began.wait();
    is_over.count_down();
    return true;
  };
  EXPECT_EQ(HoldingLease(&elections, Task(), clock), absl::OkStatus());
  EXPECT_EQ(works_, 1);
}

}  // namespace
}  // namespace outrigger::cli
