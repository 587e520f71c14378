#include "rejections.h"

#include "gmock/gmock.h"

namespace outrigger::safe {
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
