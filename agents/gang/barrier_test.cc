#include "barrier.h"

#include <atomic>
#include <deque>
#include <future>
#include <thread>

#include "board_testing.h"
#include "gmock/gmock.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Calls that wait, each on a thread of its own.
class Calls {
 public:
  explicit Calls(Barriers* barriers) : barriers_(*barriers) {}
  ~Calls() { barriers_.FailAll(BarrierEnd::kStopped, "the test is over"); }

  void Arrive(const plan::UnitKey& gang, const std::string& pod, const std::string& node = "n1") {
    Call& call = calls_.emplace_back();
    call.result = std::async(std::launch::async, [this, gang, pod, node, &call] {
      return barriers_.Wait({.gang = gang,
                             .uid = "uid-" + pod,
                             .name = "default/" + pod,
                             .node = node,
                             .role = "",
                             .abandoned = call.client.get_token()});
    });
  }
  /// Waits until so many calls wait at the gang's barrier.
  void AwaitWaiting(const plan::UnitKey& gang, size_t count) {
    while (Waiting(gang) != count) std::this_thread::yield();
  }
  size_t Waiting(const plan::UnitKey& gang) {
    const auto waiters = barriers_.Waiters();
    const auto found = waiters.find(gang);
    return found == waiters.end() ? 0 : found->second.size();
  }
  void HangUp(size_t call) { calls_[call].client.request_stop(); }
  absl::Status Result(size_t call) {
    if (calls_[call].result.wait_for(seconds(60)) != std::future_status::ready) {
      return absl::DeadlineExceededError("still waits");
    }
    return calls_[call].result.get();
  }

 private:
  struct Call {
    std::stop_source client;
    std::future<absl::Status> result;
  };
  Barriers& barriers_;
  std::deque<Call> calls_;
};

class BarrierTest : public ::testing::Test {
 protected:
  BarrierTest() : barriers_(Options()) {
    board_.AddGang("train", 3, 3);
    barriers_.OnPlan(board_.Make());
  }

  BarrierOptions Options() {
    BarrierOptions options;
    options.may_commit = [this] { return may_commit_; };
    options.ended = [this](const plan::UnitKey& /*gang*/, BarrierEnd end,
                           std::chrono::milliseconds /*held*/) {
      const std::lock_guard<std::mutex> lock(mutex_);
      ends_.push_back(end);
    };
    return options;
  }
  std::vector<BarrierEnd> ends() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return ends_;
  }

  const plan::UnitKey train_ = LabelsGang("train");
  absl::Status may_commit_;
  std::mutex mutex_;
  std::vector<BarrierEnd> ends_;
  MakeBoard board_;
  Barriers barriers_;
};

TEST_F(BarrierTest, NobodyPassesBeforeTheMinimumIsThere) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.Arrive(train_, "train-1");
  calls.AwaitWaiting(train_, 2);
  EXPECT_THAT(ends(), IsEmpty());
  calls.Arrive(train_, "train-2");
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(calls.Result(i).ok());
  EXPECT_THAT(ends(), ElementsAre(BarrierEnd::kOpened));
  EXPECT_TRUE(barriers_.IsCommitting(train_));
}

TEST_F(BarrierTest, ThoseWhoComeLaterPassAtOnce) {
  Calls calls(&barriers_);
  for (const char* pod : {"train-0", "train-1", "train-2"}) calls.Arrive(train_, pod);
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(calls.Result(i).ok());
  calls.Arrive(train_, "train-3");
  EXPECT_TRUE(calls.Result(3).ok());
}

TEST_F(BarrierTest, MembersThatAreBoundCount) {
  board_.Bind("train", 2);
  barriers_.OnPlan(board_.Make());
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-2");
  EXPECT_TRUE(calls.Result(0).ok());
}

TEST_F(BarrierTest, OneWhoHangsUpDoesNotCountAnyMore) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.AwaitWaiting(train_, 1);
  calls.HangUp(0);
  EXPECT_FALSE(calls.Result(0).ok());
  calls.Arrive(train_, "train-1");
  calls.Arrive(train_, "train-2");
  calls.AwaitWaiting(train_, 2);
  EXPECT_THAT(ends(), IsEmpty());
  calls.Arrive(train_, "train-0");
  for (const size_t i : {1U, 2U, 3U}) EXPECT_TRUE(calls.Result(i).ok());
}

TEST_F(BarrierTest, ARepeatedCallTakesThePlaceOfTheFormerOne) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.AwaitWaiting(train_, 1);
  calls.Arrive(train_, "train-0");
  EXPECT_THAT(std::string(calls.Result(0).message()), HasSubstr("asks again"));
  EXPECT_EQ(calls.Waiting(train_), 1U);
}

TEST_F(BarrierTest, FailsAtOnceWhenAPlanTakesThePlacesAway) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.AwaitWaiting(train_, 1);
  board_.Refuse("train", "cpu");
  barriers_.OnPlan(board_.Make());
  EXPECT_THAT(std::string(calls.Result(0).message()), HasSubstr("gang default/train waits: cpu"));
  EXPECT_THAT(ends(), ElementsAre(BarrierEnd::kNoRoom));
}

TEST_F(BarrierTest, NobodyIsBoundByWhoIsNotInCharge) {
  may_commit_ = absl::UnavailableError("not in charge");
  Calls calls(&barriers_);
  for (const char* pod : {"train-0", "train-1", "train-2"}) calls.Arrive(train_, pod);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(std::string(calls.Result(i).message()), HasSubstr("not in charge"));
  }
}

TEST_F(BarrierTest, OneWaiterMayFailAlone) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.Arrive(train_, "train-1");
  calls.AwaitWaiting(train_, 2);
  barriers_.FailWaiter(train_, "uid-train-0", "node n1 is gone");
  EXPECT_THAT(std::string(calls.Result(0).message()), HasSubstr("node n1 is gone"));
  EXPECT_EQ(calls.Waiting(train_), 1U);
}

TEST_F(BarrierTest, NobodyMayWaitAnyMoreOnceItIsClosed) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.AwaitWaiting(train_, 1);
  barriers_.Close("stopping");
  calls.Arrive(train_, "train-1");
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(calls.Result(i), absl::AbortedError("stopping"));
}

TEST(Barriers, RolesHaveMinimumsOfTheirOwn) {
  MakeBoard board;
  board.AddGang("train", 2, 2);
  board.Role("train", "master", 1);
  Barriers barriers({});
  barriers.OnPlan(board.Make());
  Calls calls(&barriers);
  const plan::UnitKey train = LabelsGang("train");
  calls.Arrive(train, "train-0");
  calls.Arrive(train, "train-1");
  calls.AwaitWaiting(train, 2);  // nobody of them is a master
}

TEST(Barriers, FailWhenTheLongestWaitIsOver) {
  MakeBoard board;
  board.AddGang("train", 2, 2);
  BarrierOptions options;
  options.longest = std::chrono::milliseconds(20);
  Barriers barriers(std::move(options));
  barriers.OnPlan(board.Make());
  Calls calls(&barriers);
  calls.Arrive(LabelsGang("train"), "train-0");
  EXPECT_THAT(std::string(calls.Result(0).message()), HasSubstr("in time"));
}

// A condition for each waiter: thousands that leave wake nobody else.
TEST(Barriers, ThousandsMayWaitAndLeave) {
  constexpr size_t kMembers = 500;
  MakeBoard board;
  board.AddGang("train", kMembers + 1, kMembers + 1);
  Barriers barriers({});
  barriers.OnPlan(board.Make());
  Calls calls(&barriers);
  const plan::UnitKey train = LabelsGang("train");
  for (size_t i = 0; i < kMembers; ++i) calls.Arrive(train, "train-" + std::to_string(i));
  calls.AwaitWaiting(train, kMembers);
  for (size_t i = 0; i < kMembers; ++i) calls.HangUp(i);
  for (size_t i = 0; i < kMembers; ++i) EXPECT_FALSE(calls.Result(i).ok());
}

}  // namespace
}  // namespace outrigger::gang
