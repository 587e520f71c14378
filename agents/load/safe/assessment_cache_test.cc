#include "assessment_cache.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::safe {
namespace {

using ::testing::IsNull;
using ::testing::Pointee;

Question Fits(double cpu) {
  return {.kind = Question::Kind::kFits, .demand = {cpu, 0}};
}
Question Score(double cpu, double share = 0.5) {
  return {.kind = Question::Kind::kScore, .demand = {cpu, 0}, .overload_share = share};
}

TEST(AnswerMemo, QuestionsAreToldApart) {
  AnswerMemo memo;
  const uint64_t fits = memo.NumberOf(Fits(1));
  EXPECT_EQ(memo.NumberOf(Fits(1)), fits);
  EXPECT_NE(memo.NumberOf(Fits(2)), fits);
  EXPECT_NE(memo.NumberOf(Score(1)), fits);
  EXPECT_NE(memo.NumberOf(Score(1)), memo.NumberOf(Score(1, 0.25)));
}

TEST(AnswerMemo, ANumberIsNeverGivenTwice) {
  AnswerMemo memo;
  const uint64_t first = memo.NumberOf(Fits(0));
  for (size_t i = 1; i <= AnswerMemo::kRemembered; ++i) {
    EXPECT_NE(memo.NumberOf(Fits(static_cast<double>(i))), first);
  }
  EXPECT_NE(memo.NumberOf(Fits(0)), first) << "forgotten, so what is stored under it is stale";
}

TEST(AnswerMemo, AnswersBelongToTheRevisionOfTheNodeAndToTheQuestion) {
  AnswerMemo memo;
  memo.Reserve(4);
  const uint64_t fits = memo.NumberOf(Fits(1));
  const uint64_t score = memo.NumberOf(Score(1));
  memo.Put(7, fits, 1);
  memo.Put(7, score, 0.25);
  EXPECT_THAT(memo.Find(7, fits), Pointee(1.0));
  EXPECT_THAT(memo.Find(7, score), Pointee(0.25));
  EXPECT_THAT(memo.Find(8, fits), IsNull());
  EXPECT_THAT(memo.Find(7 + 64, fits), IsNull()) << "another node in the same slot";
  EXPECT_THAT(memo.Find(7, memo.NumberOf(Fits(2))), IsNull());
}

TEST(AnswerMemo, ClearedItKnowsTheQuestionsAndNoAnswer) {
  AnswerMemo memo;
  memo.Reserve(4);
  const uint64_t fits = memo.NumberOf(Fits(1));
  memo.Put(7, fits, 1);
  memo.Clear();
  EXPECT_THAT(memo.Find(7, fits), IsNull());
  EXPECT_EQ(memo.NumberOf(Fits(1)), fits);
}

TEST(AnswerMemo, NothingIsRememberedOfANodeThatNobodyVouchesFor) {
  AnswerMemo memo;
  memo.Reserve(4);
  memo.Put(0, memo.NumberOf(Fits(1)), 1);
  EXPECT_THAT(memo.Find(0, memo.NumberOf(Fits(1))), IsNull());
}

}  // namespace

namespace {

using ::testing::Optional;

Verdict Of(size_t i) {
  return Verdict::Rejected("cpu-risk", "cpu: risk {} > 0.30", i);
}

TEST(SafeRejections, OfOneTextHaveOneNumber) {
  Rejections rejections;
  const auto first = rejections.NumberOf(Of(1));
  const auto second = rejections.NumberOf(Of(2));
  ASSERT_TRUE(first && second);
  EXPECT_NE(*first, *second);
  EXPECT_EQ(rejections.NumberOf(Of(1)), first);
  EXPECT_EQ(rejections.At(*second).reason(), "cpu: risk 2 > 0.30");
  EXPECT_EQ(rejections.At(*second).reason_class(), "cpu-risk");
}

TEST(SafeRejections, AreBounded) {
  Rejections rejections;
  for (size_t i = 0; i < Rejections::kMost; ++i) {
    EXPECT_FALSE(rejections.full());
    EXPECT_THAT(rejections.NumberOf(Of(i)), Optional(i));
  }
  EXPECT_TRUE(rejections.full());
  EXPECT_EQ(rejections.NumberOf(Of(Rejections::kMost)), std::nullopt);
  EXPECT_THAT(rejections.NumberOf(Of(7)), Optional(7U));
  EXPECT_EQ(rejections.At(7).reason(), "cpu: risk 7 > 0.30");

  rejections.Clear();
  EXPECT_FALSE(rejections.full());
  EXPECT_THAT(rejections.NumberOf(Of(9)), Optional(0U));
  EXPECT_EQ(rejections.At(0).reason(), "cpu: risk 9 > 0.30");
}

}  // namespace

}  // namespace outrigger::safe
