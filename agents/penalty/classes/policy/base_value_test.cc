#include "penalty/classes/base_value.h"

#include <string>

#include "gmock/gmock.h"

namespace outrigger::penalty {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

PriorityClass ClassOf(int32_t value, const char* base) {
  PriorityClass made;
  made.value = value;
  if (base != nullptr) made.annotations.Set(kBaseValueAnnotation, base);
  return made;
}

TEST(BaseValueTest, IsTheValueWithoutAnAnnotation) {
  EXPECT_EQ(BaseOf(ClassOf(-7, nullptr)).base, -7);
  EXPECT_THAT(BaseOf(ClassOf(-7, nullptr)).problem, IsEmpty());
}

TEST(BaseValueTest, IsTheAnnotationsIfThatIsNotBelowTheValue) {
  for (const char* base : {"500", "1000", "1000000000"}) {
    const BaseValue found = BaseOf(ClassOf(500, base));
    EXPECT_EQ(found.base, std::stoll(base));
    EXPECT_THAT(found.problem, IsEmpty());
  }
  EXPECT_EQ(BaseOf(ClassOf(-500, "-20")).base, -20);
}

TEST(BaseValueTest, AnotherTextIsReportedAndTheValueCounts) {
  for (const char* base : {"", "499", "-1", "1000000001", "99999999999999999999", "1e3", " 1000",
                           "1000.5", "high", "\x01"}) {
    const BaseValue found = BaseOf(ClassOf(500, base));
    EXPECT_EQ(found.base, 500) << base;
    EXPECT_THAT(found.problem, HasSubstr("outrigger.dev/base-value")) << base;
    EXPECT_THAT(found.problem, HasSubstr("500")) << base;
  }
}

TEST(BaseValueTest, OnlyAPenalisedClassHasTheAnnotation) {
  const StringMap others = {{"a", "1"}, {"z", "2"}};
  EXPECT_EQ(AnnotationsAt(others, 1000, 1000), others);
  const StringMap penalised = AnnotationsAt(others, 1000, 700);
  EXPECT_EQ(penalised, (StringMap{{"a", "1"}, {kBaseValueAnnotation.data(), "1000"}, {"z", "2"}}));
  EXPECT_EQ(AnnotationsAt(penalised, 2000, 700).Get(kBaseValueAnnotation), "2000");
  EXPECT_EQ(AnnotationsAt(penalised, 1000, 1000), others);
}

}  // namespace
}  // namespace outrigger::penalty
