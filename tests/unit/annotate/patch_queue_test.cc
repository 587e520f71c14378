#include "annotate/patch_queue.h"

#include "annotate_testing.h"

namespace outrigger::annotate {
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
