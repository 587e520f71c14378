#include "load/annotate/node_patcher.h"

#include "annotate_testing.h"
#include "kube/errors.h"

namespace outrigger::annotate {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NodePatcherTest : public ::testing::Test {
 protected:
  NodePatcherTest() { Make(1000); }

  void Make(double qps, int most_tries = 0) {
    PatcherOptions options;
    options.qps = qps;
    options.most_tries = most_tries;
    options.clock = time_.clock();
    options.warn = [this](const std::string& line) { warnings_.push_back(line); };
    patcher_ = std::make_unique<NodePatcher>(&writer_, &written_, &counters_, options);
  }
  milliseconds Step() { return std::chrono::duration_cast<milliseconds>(patcher_->Step({})); }
  std::vector<std::string> Written() const {
    std::vector<std::string> nodes;
    for (const auto& [node, change] : writer_.writes) nodes.push_back(node);
    return nodes;
  }
  uint64_t Count(const std::string& outcome) { return counters_.Read().patches[outcome]; }

  FakeTime time_;
  FakeWriter writer_;
  WrittenValues written_;
  Counters counters_;
  std::vector<std::string> warnings_;
  std::unique_ptr<NodePatcher> patcher_;
};

TEST_F(NodePatcherTest, WritesAtMostSoManyASecond) {
  Make(50);
  for (int i = 0; i < 500; ++i) patcher_->Set("n" + std::to_string(i), {{"x", "1"}});
  for (const Clock::TimePoint end = time_.now() + seconds(4); time_.now() < end;) {
    time_.Advance(Step());
  }
  EXPECT_GE(writer_.writes.size(), 190U);
  EXPECT_LE(writer_.writes.size(), 206U);  // 4 s, and a burst of a tenth of a second
}

TEST_F(NodePatcherTest, ANodeThatIsGoneIsForgotten) {
  writer_.answers = {absl::NotFoundError("nodes \"a\" not found")};
  patcher_->Set("a", {{"x", "1"}});
  Step();
  EXPECT_EQ(patcher_->Pending(), 0U);
  EXPECT_EQ(Count("gone"), 1U);
  EXPECT_THAT(warnings_, ElementsAre());
}

TEST_F(NodePatcherTest, AConflictConcernsItsNodeAlone) {
  writer_.answers = {absl::AbortedError("conflict")};
  patcher_->Set("a", {{"x", "1"}});
  patcher_->Set("b", {{"x", "1"}});
  Step();
  Step();
  EXPECT_THAT(Written(), ElementsAre("a", "b"));
  time_.Advance(seconds(1));
  Step();
  EXPECT_THAT(Written(), ElementsAre("a", "b", "a"));
  EXPECT_EQ(patcher_->Pending(), 0U);
}

TEST_F(NodePatcherTest, A429HoldsAllNodesForAsLongAsTheServerAsks) {
  writer_.answers = {kube::ErrorOfAnswer(429, "", "7")};
  patcher_->Set("a", {{"x", "1"}});
  patcher_->Set("b", {{"x", "1"}});
  Step();
  EXPECT_EQ(Step(), seconds(7));
  time_.Advance(milliseconds(6999));
  EXPECT_EQ(Step(), milliseconds(1));
  time_.Advance(milliseconds(1));
  Step();
  time_.Advance(milliseconds(1));
  Step();
  EXPECT_THAT(Written(), ElementsAre("a", "b", "a"));
  EXPECT_EQ(Count("throttled"), 1U);
}

TEST_F(NodePatcherTest, AMissingRightIsNamedOnce) {
  const absl::Status refused = absl::PermissionDeniedError(
      R"(403: nodes "a" is forbidden: User "x" cannot patch resource "nodes")");
  writer_.answers = {refused, refused};
  patcher_->Set("a", {{"x", "1"}});
  Step();
  time_.Advance(seconds(30));
  Step();
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_[0], HasSubstr("no permission to write annotations (patch nodes)"));
  EXPECT_THAT(warnings_[0], HasSubstr("cannot patch resource"));
  EXPECT_EQ(patcher_->Forbidden(), warnings_[0]);
  time_.Advance(seconds(30));
  Step();
  EXPECT_EQ(patcher_->Forbidden(), "");
  EXPECT_EQ(patcher_->Pending(), 0U);
}

TEST_F(NodePatcherTest, AnAdmissionPluginThatForbidsOneNodeHoldsNoOther) {
  const absl::Status refused = absl::PermissionDeniedError("403: nodes \"b\" is forbidden: frozen");
  writer_.answers = {absl::OkStatus(), refused, absl::OkStatus(),
                     absl::InternalError("500: failed calling webhook")};
  for (const char* node : {"a", "b", "c", "d", "e"}) patcher_->Set(node, {{"x", "1"}});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Step(), seconds(0)) << i;
  EXPECT_THAT(Written(), ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_EQ(patcher_->Forbidden(), "");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("node b refuses"), HasSubstr("node d refuses")));
  EXPECT_EQ(Step(), seconds(30));
  time_.Advance(seconds(30));
  Step();
  EXPECT_EQ(Step(), seconds(270));
  time_.Advance(seconds(270));
  Step();
  EXPECT_THAT(Written(), ElementsAre("a", "b", "c", "d", "e", "d", "b"));
}

TEST_F(NodePatcherTest, ARightThatWasTakenAwayIsNoticedAfterSomeNodes) {
  patcher_->Set("first", {{"x", "1"}});
  Step();
  const absl::Status refused = absl::PermissionDeniedError("403: cannot patch");
  writer_.answers.assign(NodePatcher::kMostRefusals + 1, refused);
  for (int i = 0; i < 100; ++i) patcher_->Set("n" + std::to_string(i), {{"x", "1"}});
  for (int i = 0; i < NodePatcher::kMostRefusals; ++i) {
    EXPECT_EQ(Step(), seconds(0));
    EXPECT_EQ(patcher_->Forbidden(), "");
  }
  Step();
  EXPECT_THAT(patcher_->Forbidden(), HasSubstr("(patch nodes)"));
  EXPECT_EQ(Step(), seconds(30));
}

TEST_F(NodePatcherTest, WhereTriesAreLimitedARefusedNodeIsGivenUpAtOnce) {
  Make(1000, 3);
  writer_.answers = {absl::InvalidArgumentError("422: too long")};
  patcher_->Set("a", {{"x", "1"}});
  Step();
  EXPECT_EQ(patcher_->GivenUp(), 1U);
  EXPECT_TRUE(patcher_->AwaitIdle({}).ok());
}

TEST_F(NodePatcherTest, WhereTriesAreLimitedAMissingRightEndsTheWait) {
  Make(1000, 3);
  writer_.answers = {absl::PermissionDeniedError("403: cannot patch")};
  patcher_->Set("a", {{"x", "1"}});
  patcher_->Set("b", {{"x", "1"}});
  Step();
  const absl::Status status = patcher_->AwaitIdle({});
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("(patch nodes)"));
}

TEST_F(NodePatcherTest, WhereTriesAreLimitedThreeOutagesEndTheWait) {
  Make(1000, 3);
  writer_.answers.assign(3, absl::UnavailableError("connection refused"));
  for (int i = 0; i < 100; ++i) patcher_->Set("n" + std::to_string(i), {{"x", "1"}});
  for (int i = 0; i < 3; ++i) {
    Step();
    time_.Advance(Step());
  }
  const absl::Status status = patcher_->AwaitIdle({});
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("connection refused"));
}

TEST_F(NodePatcherTest, AnOutageIsWarnedAboutOnceAndTriedLessAndLessOften) {
  writer_.answers.assign(8, absl::UnavailableError("connection refused"));
  patcher_->Set("a", {{"x", "1"}});
  std::vector<int64_t> waits;
  for (int i = 0; i < 8; ++i) {
    Step();
    const milliseconds wait = Step();
    waits.push_back(wait.count() / 1000);
    time_.Advance(wait);
  }
  EXPECT_THAT(waits, ElementsAre(1, 2, 4, 8, 16, 30, 30, 30));
  EXPECT_EQ(warnings_.size(), 1U);
  Step();
  EXPECT_EQ(patcher_->Pending(), 0U);
}

TEST_F(NodePatcherTest, ANodeThatRefusesItsAnnotationsHoldsNoOther) {
  writer_.answers = {absl::InvalidArgumentError("422: too long")};
  patcher_->Set("a", {{"x", "1"}});
  patcher_->Set("b", {{"x", "1"}});
  Step();
  Step();
  EXPECT_THAT(Written(), ElementsAre("a", "b"));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("the annotations of node a are rejected")));
}

TEST_F(NodePatcherTest, GivesUpWhereTriesAreLimited) {
  Make(1000, 2);
  writer_.answers.assign(2, absl::AbortedError("conflict"));
  patcher_->Set("a", {{"x", "1"}});
  Step();
  time_.Advance(seconds(1));
  Step();
  EXPECT_EQ(patcher_->GivenUp(), 1U);
  EXPECT_EQ(patcher_->Pending(), 0U);
}

TEST_F(NodePatcherTest, WritesInTheBackgroundUntilItIsStopped) {
  PatcherOptions options;
  options.qps = 10'000;
  NodePatcher patcher(&writer_, &written_, &counters_, options);
  std::jthread running([&](const std::stop_token& stop) { patcher.Run(stop); });
  patcher.Set("a", {{"x", "1"}});
  EXPECT_TRUE(patcher.AwaitIdle({}).ok());
  EXPECT_EQ(patcher.Pending(), 0U);
}

}  // namespace

namespace {

class PatchQueueTest : public ::testing::Test {
 protected:
  std::string Next() {
    auto taken = queue_.Take(time_.now());
    if (!taken) return "";
    taken_ = *taken;
    return taken->node;
  }

  FakeTime time_;
  PatchQueue queue_;
  TakenPatch taken_;
};

TEST_F(PatchQueueTest, TheNodeThatWaitedLongestComesFirstWithItsLastChange) {
  queue_.Set("b", {{"x", "1"}});
  queue_.Set("a", {{"x", "1"}});
  queue_.Set("b", {{"x", "2"}, {"y", "3"}});
  EXPECT_EQ(Next(), "b");
  EXPECT_EQ(taken_.change, (NodeChange{{"x", "2"}, {"y", "3"}}));
  EXPECT_EQ(Next(), "a");
  EXPECT_EQ(Next(), "");
}

TEST_F(PatchQueueTest, AnEmptyChangeTakesTheNodeOut) {
  queue_.Set("a", {{"x", "1"}});
  queue_.Set("a", {});
  queue_.Set("b", {});
  EXPECT_EQ(queue_.size(), 0U);
  EXPECT_EQ(Next(), "");
}

TEST_F(PatchQueueTest, OneNodeIsPatchedOnceAtATime) {
  queue_.Set("a", {{"x", "1"}});
  EXPECT_EQ(Next(), "a");
  queue_.Set("a", {{"x", "1"}, {"y", "2"}});
  TakenPatch first = taken_;
  EXPECT_EQ(Next(), "");
  EXPECT_EQ(queue_.size(), 1U);
  queue_.Done(first);
  EXPECT_EQ(Next(), "a");
  EXPECT_EQ(taken_.change, (NodeChange{{"y", "2"}}));  // x was written
  queue_.Done(taken_);
  EXPECT_EQ(queue_.size(), 0U);
}

TEST_F(PatchQueueTest, AFailedPatchGoesToTheEndAndANewerChangeWins) {
  queue_.Set("a", {{"x", "1"}});
  EXPECT_EQ(Next(), "a");
  queue_.Set("b", {{"x", "1"}});
  queue_.Set("a", {{"x", "2"}});
  queue_.Fail(taken_, time_.now() + std::chrono::seconds(1));
  EXPECT_EQ(Next(), "b");
  EXPECT_EQ(Next(), "");
  EXPECT_EQ(queue_.NextTime(), time_.now() + std::chrono::seconds(1));
  time_.Advance(std::chrono::seconds(1));
  queue_.Set("c", {{"x", "1"}});
  EXPECT_EQ(Next(), "a");
  EXPECT_EQ(taken_.change, (NodeChange{{"x", "2"}}));
  EXPECT_EQ(taken_.failures, 1);
  EXPECT_EQ(Next(), "c");
}

TEST_F(PatchQueueTest, ANodeThatFailedHoldsUpNoOther) {
  queue_.Set("a", {{"x", "1"}});
  queue_.Set("b", {{"x", "1"}});
  EXPECT_EQ(Next(), "a");
  queue_.Fail(taken_, time_.now());
  EXPECT_EQ(Next(), "b");
  EXPECT_EQ(Next(), "a");
  EXPECT_EQ(Next(), "");
}

TEST_F(PatchQueueTest, AChangeThatWasWithdrawnMeanwhileDoesNotComeBack) {
  queue_.Set("a", {{"x", "1"}});
  EXPECT_EQ(Next(), "a");
  queue_.Set("a", {});
  queue_.Fail(taken_, time_.now());
  EXPECT_EQ(queue_.size(), 0U);
  EXPECT_EQ(Next(), "");
}

TEST_F(PatchQueueTest, ANodeThatCameAgainMeanwhileKeepsItsChange) {
  queue_.Set("a", {{"x", "1"}});
  EXPECT_EQ(Next(), "a");
  queue_.Set("a", {{"x", "2"}});
  queue_.Drop(taken_);
  EXPECT_EQ(Next(), "a");
  EXPECT_EQ(taken_.change, (NodeChange{{"x", "2"}}));
  EXPECT_EQ(taken_.failures, 0);
  queue_.Drop(taken_);
  EXPECT_EQ(queue_.size(), 0U);
}

TEST_F(PatchQueueTest, ANodeThatWentMeanwhileDoesNotComeBack) {
  queue_.Set("a", {{"x", "1"}});
  EXPECT_EQ(Next(), "a");
  queue_.Retain([](std::string_view) { return false; });
  queue_.Fail(taken_, time_.now());
  EXPECT_EQ(queue_.size(), 0U);
}

TEST_F(PatchQueueTest, NodesThatAreGoneAreForgotten) {
  queue_.Set("a", {{"x", "1"}});
  queue_.Set("b", {{"x", "1"}});
  queue_.Set("c", {{"x", "1"}});
  EXPECT_EQ(Next(), "a");
  queue_.Retain([](std::string_view node) { return node == "c"; });
  queue_.Drop(taken_);
  EXPECT_EQ(queue_.size(), 1U);
  EXPECT_EQ(Next(), "c");
}

}  // namespace

}  // namespace outrigger::annotate
