#include "group_table.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::penalty {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class PenaltyGroups : public ::testing::Test {
 protected:
  PenaltyGroups() {
    gold_.name = "gold";
    gold_.value = 1000;
    gold_.labels = {{"fairness", "on"}};
    options_ = *OptionsFrom([] {
      Settings settings;
      settings.class_selector = "fairness=on";
      return settings;
    }());
    ClassAccount account;
    account.name = "gold";
    account.base = account.written = 1000;
    account.since = 1'000'000;
    EXPECT_TRUE(ledger_.Add(account).ok());
    group_.dialect = Dialect::kVolcano;
    group_.namespace_ = "default";
    group_.name = "job";
    group_.uid = "uid";
    group_.created = 2'000;
    group_.priority_class_name = "gold";
    group_.resource_version = "1";
  }

  GroupNews Look() {
    const std::vector<PriorityClass> classes = {gold_};
    const ClassTable table = MakeClassTable(classes, ledger_, options_);
    return groups_.Look({group_}, table, options_.policy, OfClass, 3'000'000, &ledger_);
  }
  static GroupPolicy OfClass(const PodGroup& /*group*/, const Policy& policy) { return {policy}; }

  PriorityClass gold_;
  Options options_;
  Ledger ledger_;
  PodGroup group_;
  GroupTable groups_;
};

TEST_F(PenaltyGroups, AskForAMarkOnceWhileTheViewIsLate) {
  group_.phase = "Running";
  EXPECT_THAT(Look().marks, SizeIs(1));
  groups_.OnMarked(group_);
  EXPECT_THAT(Look().marks, IsEmpty()) << "the view shows the group as it was before";
}

TEST_F(PenaltyGroups, WriteAMarkAgainThatAPersonHasChanged) {
  group_.phase = "Running";
  const GroupNews first = Look();
  ASSERT_THAT(first.marks, SizeIs(1));
  groups_.OnMarked(group_);
  group_.annotations.Set(kCountedAnnotation, first.marks[0].text);
  group_.resource_version = "2";
  EXPECT_THAT(Look().marks, IsEmpty());
  group_.annotations = {};
  group_.resource_version = "3";
  const GroupNews again = Look();
  EXPECT_THAT(again.edges, IsEmpty());
  EXPECT_THAT(again.marks, SizeIs(1));
}

TEST_F(PenaltyGroups, WriteNoMarkOfAGroupThatMerelyWaits) {
  group_.phase = "Pending";
  EXPECT_THAT(Look().marks, IsEmpty());
}

TEST_F(PenaltyGroups, DropAPendingMarkThatTheGroupCarries) {
  group_.phase = "Running";
  const GroupNews news = Look();
  ASSERT_THAT(ledger_.pending(), SizeIs(1));
  group_.annotations.Set(kCountedAnnotation, news.marks.at(0).text);
  GroupTable fresh;  // a new process
  groups_ = fresh;
  EXPECT_THAT(Look().edges, IsEmpty());
  EXPECT_THAT(ledger_.pending(), IsEmpty());
}

TEST_F(PenaltyGroups, CountNothingAgainForAPendingMarkThatWasNotWritten) {
  group_.phase = "Running";
  Look();
  groups_ = GroupTable();  // a new process
  const GroupNews news = Look();
  EXPECT_THAT(news.edges, IsEmpty());
  EXPECT_THAT(news.marks, SizeIs(1));
  EXPECT_EQ(ledger_.Find("gold")->account.starts, 1);
}

TEST_F(PenaltyGroups, KeepThePendingMarkWhileTheirClassIsAway) {
  group_.phase = "Running";
  Look();
  groups_ = GroupTable();  // a new process
  groups_.Look({group_}, {}, options_.policy, OfClass, 3'000'000, &ledger_);
  EXPECT_THAT(ledger_.pending(), SizeIs(1));
  EXPECT_THAT(Look().edges, IsEmpty()) << "counted already";
}

TEST_F(PenaltyGroups, ReportAMalformedMarkAndDoNotObeyIt) {
  group_.phase = "Running";
  group_.annotations.Set(kCountedAnnotation, "yes");
  const GroupNews news = Look();
  EXPECT_THAT(news.problems, SizeIs(1));
  EXPECT_THAT(news.edges, IsEmpty());
}

TEST_F(PenaltyGroups, OfOtherDialectsAreNotCounted) {
  group_.dialect = Dialect::kSchedulerPlugins;
  group_.phase = "Running";
  EXPECT_THAT(Look().edges, IsEmpty());
}

}  // namespace
}  // namespace outrigger::penalty
