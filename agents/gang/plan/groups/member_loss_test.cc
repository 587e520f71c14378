#include "groups_testing.h"

// What becomes of a gang that is bound in part, below its minimum.

namespace outrigger::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

PodGroupObject Train(std::string_view policy, int64_t minimum) {
  PodGroupObject object = ObjectOf(Dialect::kVolcano, "train", minimum);
  if (!policy.empty()) object.annotations.Set(kOnMemberLoss, policy);
  return object;
}

PodOf Worker(std::string_view name) {
  return PodOf(name).Member(Dialect::kVolcano, "train");
}

// It started with three.
PodOf Bound(std::string_view name) {
  return Worker(name).On("n").Annotation(kStartedWith, "3");
}

TEST(MemberLoss, IsReplacedBeforeOthersOfItsPriorityUnlessSomethingElseIsSaid) {
  for (const char* policy : {"", "replace", "restart"}) {
    const Built built =
        Build({Bound("a"), Worker("b"), Worker("c"), PodOf("a-single")}, {Train(policy, 3)});
    ASSERT_THAT(built.units, SizeIs(2)) << policy;
    EXPECT_EQ(built.units[0].key.name, "train") << policy;
    EXPECT_TRUE(built.units[0].rank.in_part) << policy;
    EXPECT_EQ(built.units[0].minimum, 3) << policy;
    EXPECT_THAT(built.notes, IsEmpty()) << policy;
  }
}

TEST(MemberLoss, MayBeIgnoredThenMembersComeOneByOneInTheirTurn) {
  const Built built = Build({Bound("a"), Worker("b"), PodOf("a-single")}, {Train("ignore", 3)});
  ASSERT_THAT(built.units, SizeIs(2));
  EXPECT_EQ(built.units[0].key.name, "a-single");
  EXPECT_FALSE(built.units[1].rank.in_part);
  EXPECT_EQ(built.units[1].minimum, 2) << "one more than is bound";
  ASSERT_THAT(built.groups, SizeIs(1));
  EXPECT_EQ(built.groups[0].cause, GroupCause::kNone);
  EXPECT_TRUE(built.groups[0].broken);
}

TEST(MemberLoss, IsNotIgnoredBeforeTheFirstMemberIsBound) {
  const Built built = Build({Worker("a"), Worker("b")}, {Train("ignore", 3)});
  EXPECT_THAT(built.units, IsEmpty());
  EXPECT_EQ(built.groups[0].cause, GroupCause::kTooFewMembers);
}

TEST(MemberLoss, PolicyIsTheObjectsOrThatOfTheOldestMemberThatHasOne) {
  const Built of_object = Build({Worker("a")}, {Train("restart", 1)});
  EXPECT_EQ(of_object.groups[0].on_member_loss, OnMemberLoss::kRestart);
  const Built of_pods = Build({PodOf("a").Train().Created(1),
                               PodOf("b").Train().Created(2).Annotation(kOnMemberLoss, "ignore")});
  EXPECT_EQ(of_pods.groups[0].on_member_loss, OnMemberLoss::kIgnore);
}

TEST(MemberLoss, PolicyThatIsNoneIsNotedAndReplaceCounts) {
  const Built built = Build({Worker("a")}, {Train("panic", 1)});
  EXPECT_EQ(built.groups[0].on_member_loss, OnMemberLoss::kReplace);
  EXPECT_THAT(built.notes,
              ElementsAre(IsNote(NoteKind::kOnMemberLoss, "default/train",
                                 "is \"panic\", expected ignore, replace or restart")));
}

}  // namespace
}  // namespace outrigger::plan
