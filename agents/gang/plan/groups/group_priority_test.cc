#include <limits>

#include "gang/plan/order.h"
#include "groups_testing.h"

// What is malformed in the labels groupPriority and minAvailable has one answer, which is noted
// once.

namespace outrigger::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

struct ValueRow {
  const char* name;
  const char* text;
  int64_t value;
  bool noted;
};
const ValueRow kValueRows[] = {
    {"Number", "7", 7, false},
    {"Zero", "0", 0, false},
    {"Negative", "-7", -7, false},
    {"LeadingZeros", "007", 7, false},
    {"Largest", "9223372036854775807", kMost, false},
    {"Least", "-9223372036854775808", kLeast, false},
    {"Empty", "", 0, true},
    {"Word", "high", 0, true},
    {"TwoTo63", "9223372036854775808", 0, true},
    {"BelowTheLeast", "-9223372036854775809", 0, true},
    {"Plus", "+7", 0, true},
    {"Blank", " 7", 0, true},
    {"Fraction", "1.5", 0, true},
    {"Exponent", "1e3", 0, true},
    {"Hexadecimal", "0x10", 0, true},
    {"TextAfterIt", "7x", 0, true},
};

class GroupPriorityValue : public ::testing::TestWithParam<ValueRow> {
 protected:
  // Of the only unit that `pods` make, looked at three times: made, kept, and made again.
  static void ExpectOf(const Pods& pods, std::string_view about) {
    NotesOnce notes;
    UnitTable table;
    for (int round = 0; round < 2; ++round) {
      table.Update(pods, {}, AllServed(), &notes);
      EXPECT_EQ(table.made().units.at(0).rank.group_priority, GetParam().value) << round;
    }
    BuildUnits(pods, {}, AllServed(), &notes);
    const auto taken = notes.Take();
    if (!GetParam().noted) {
      EXPECT_THAT(taken, IsEmpty());
      return;
    }
    const std::string text = "label groupPriority is \"" + std::string(GetParam().text) +
                             "\", expected an integer of 64 bits; 0 counts";
    EXPECT_THAT(taken, ElementsAre(IsNote(NoteKind::kGroupPriority, about, text)));
  }
};

TEST_P(GroupPriorityValue, OfASinglePodHasOneAnswer) {
  ExpectOf({PodOf("a").Label("groupPriority", GetParam().text)}, "default/a");
}

TEST_P(GroupPriorityValue, OfAGangHasOneAnswer) {
  ExpectOf({PodOf("a").Train().Label("groupPriority", GetParam().text),
            PodOf("b").Train().Label("groupPriority", GetParam().text)},
           "default/train");
}
INSTANTIATE_TEST_SUITE_P(Rows, GroupPriorityValue, ::testing::ValuesIn(kValueRows),
                         [](const auto& row) { return row.param.name; });

TEST(GroupPriority, ThatIsNegativeComesAfterNone) {
  const Built built =
      Build({PodOf("low").Label("groupPriority", "-1").Qos("Guaranteed"), PodOf("none"),
             PodOf("zero").Label("groupPriority", "0"), PodOf("bad").Label("groupPriority", "high"),
             PodOf("least").Label("groupPriority", "-9223372036854775808"),
             PodOf("high").Label("groupPriority", "1")});
  EXPECT_THAT(Brief(built.units), ElementsAre("high(high)", "bad(bad)", "none(none)", "zero(zero)",
                                              "low(low)", "least(least)"));
}

struct MembersRow {
  const char* name;
  std::optional<std::string> oldest;  // nothing: it has no such label
  std::optional<std::string> other;
  int64_t value;
  std::vector<NoteKind> noted;
};
const MembersRow kMembersRows[] = {
    {"BothMissing", {}, {}, 0, {}},
    {"Equal", "5", "5", 5, {}},
    {"EqualNumbers", "5", "05", 5, {}},
    {"MissingIsZero", "0", {}, 0, {}},
    {"OldestIsLess", "4", "5", 4, {NoteKind::kGroupPrioritiesDiffer}},
    {"OldestIsMore", "5", "-5", 5, {NoteKind::kGroupPrioritiesDiffer}},
    {"OldestHasNone", {}, "5", 0, {NoteKind::kGroupPrioritiesDiffer}},
    {"OtherHasNone", "5", {}, 5, {NoteKind::kGroupPrioritiesDiffer}},
    {"OtherIsMalformed", "5", "high", 5, {NoteKind::kGroupPrioritiesDiffer}},
    {"OtherIsMalformedBesidesZero", "0", "high", 0, {NoteKind::kGroupPrioritiesDiffer}},
    {"OldestIsMalformed",
     "high",
     "5",
     0,
     {NoteKind::kGroupPriority, NoteKind::kGroupPrioritiesDiffer}},
    {"BothMalformed", "high", "low", 0, {NoteKind::kGroupPriority}},
};

class GroupPriorityOfMembers : public ::testing::TestWithParam<MembersRow> {
 protected:
  static PodOf Labelled(PodOf pod, const std::optional<std::string>& value) {
    if (value) pod.Label("groupPriority", *value);
    return pod;
  }
};

TEST_P(GroupPriorityOfMembers, IsTheOldestOnes) {
  // The name is the later one: it is the age that decides.
  const Built built = Build({Labelled(PodOf("z").Train().Created(1), GetParam().oldest),
                             Labelled(PodOf("a").Train().Created(2), GetParam().other)});
  ASSERT_THAT(built.units, SizeIs(1));
  EXPECT_EQ(built.units[0].rank.group_priority, GetParam().value);
  std::vector<NoteKind> noted;
  for (const Note& note : built.notes) {
    EXPECT_EQ(note.about, "default/train");
    noted.push_back(note.kind);
  }
  EXPECT_EQ(noted, GetParam().noted);
}
INSTANTIATE_TEST_SUITE_P(Rows, GroupPriorityOfMembers, ::testing::ValuesIn(kMembersRows),
                         [](const auto& row) { return row.param.name; });

TEST(GroupPriority, OfMembersThatDifferIsNotedWithWhatCounts) {
  const Built built = Build({PodOf("z").Train().Created(1).Label("groupPriority", "4"),
                             PodOf("a").Train().Created(2).Label("groupPriority", "5")});
  EXPECT_THAT(
      built.notes,
      ElementsAre(IsNote(
          NoteKind::kGroupPrioritiesDiffer, "default/train",
          "members have different values of label groupPriority; 4 counts, from the oldest, z")));
}

TEST(GroupPriority, OfMembersThatAreGoneDoesNotCount) {
  const Built built =
      Build({PodOf("a").Train().Created(1).Label("groupPriority", "4").Terminating(),
             PodOf("b").Train().Created(1).Label("groupPriority", "high").Phase("Failed"),
             PodOf("c").Train().Created(2).Label("groupPriority", "5"),
             PodOf("d").Train().Created(3).Label("groupPriority", "5")});
  ASSERT_THAT(built.units, SizeIs(1));
  EXPECT_EQ(built.units[0].rank.group_priority, 5);
  EXPECT_THAT(built.notes, IsEmpty());
}

struct MinimumRow {
  const char* name;
  const char* text;
  bool noted;
};
const MinimumRow kMinimumRows[] = {
    {"Word", "two", true},
    {"Zero", "0", true},
    {"Negative", "-2", true},
    {"Fraction", "2.0", true},
    {"Plus", "+2", true},
    {"TooLarge", "100001", true},
    {"TwoTo63", "9223372036854775808", true},
    {"Empty", "", false},
};

class MalformedMinimum : public ::testing::TestWithParam<MinimumRow> {};

TEST_P(MalformedMinimum, MakesSinglePodsAndIsNotedOnce) {
  const Built built = Build({PodOf("a").Train(GetParam().text), PodOf("b").Train(GetParam().text)});
  EXPECT_THAT(Brief(built.units), ElementsAre("a(a)", "b(b)"));
  if (!GetParam().noted) {
    EXPECT_THAT(built.notes, ElementsAre(IsNote(NoteKind::kUnreadMarker, "default/train",
                                                "names its minimum (label minAvailable)")));
    return;
  }
  EXPECT_THAT(built.notes, ElementsAre(IsNote(NoteKind::kPodMinimum, "default/train",
                                              "expected an integer from 1 to 100000")));
}
INSTANTIATE_TEST_SUITE_P(Rows, MalformedMinimum, ::testing::ValuesIn(kMinimumRows),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::plan
