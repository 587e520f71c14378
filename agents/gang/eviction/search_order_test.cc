#include "eviction/search_order.h"

#include <string>
#include <vector>

#include "builders.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;

plan::Unit UnitOf(plan::Dialect dialect, const std::string& name) {
  plan::Unit unit;
  unit.key = {dialect, "default", name, ""};
  unit.members.emplace_back().pod = std::make_shared<const Pod>(testing::MakePod(name));
  return unit;
}
plan::Unit Single(const std::string& name, const std::string& controller = "",
                  const std::string& kind = "ReplicaSet") {
  plan::Unit unit = UnitOf(plan::Dialect::kNone, name);
  if (controller.empty()) return unit;
  Pod pod = *unit.members[0].pod;
  pod.controller = OwnerReference{kind, controller, "uid-" + controller, "apps/v1"};
  unit.members[0].pod = std::make_shared<const Pod>(std::move(pod));
  return unit;
}
plan::Unit Gang(const std::string& name) {
  return UnitOf(plan::Dialect::kLabels, name);
}

class SearchOrderTest : public ::testing::Test {
 protected:
  // The unit that is searched for now; "": none.
  std::string Next() {
    const auto chosen = order_.Choose(
        units_, [](size_t) { return true; }, now_);
    return chosen ? units_[*chosen].key.name : "";
  }
  // Searches in vain, which takes a while, until it is for the given unit; how often.
  int SearchesUntil(const std::string& name, int most) {
    for (int searches = 1; searches <= most; ++searches) {
      const std::string next = Next();
      if (next == name) return searches;
      for (const plan::Unit& unit : units_) {
        if (unit.key.name == next) order_.Fail(unit.key, now_);
      }
      now_ += seconds(11);
    }
    return 0;
  }
  void Fail(const plan::Unit& unit) { order_.Fail(unit.key, now_); }

  std::vector<plan::Unit> units_;
  SearchOrder order_;
  Time now_ = Time() + seconds(1000);
};

TEST_F(SearchOrderTest, HundredsOfPodsDoNotTakeAllSearchesFromAGang) {
  for (int i = 0; i < 300; ++i) units_.push_back(Single(fmt::format("pod-{}", i)));
  units_.push_back(Gang("gang"));
  EXPECT_EQ(SearchesUntil("gang", 1000), 2);
}

TEST_F(SearchOrderTest, EachOfManyGangsHasItsTurn) {
  for (int i = 0; i < 100; ++i) units_.push_back(Gang(fmt::format("gang-{}", i)));
  units_.push_back(Gang("last"));
  const int searches = SearchesUntil("last", 1000);
  EXPECT_GT(searches, 0);
  EXPECT_LE(searches, 202);
}

TEST_F(SearchOrderTest, TheFirstInOrderHasEveryOtherSearch) {
  units_ = {Single("first"), Gang("a"), Gang("b")};
  EXPECT_EQ(Next(), "first");
  Fail(units_[0]);
  EXPECT_EQ(Next(), "a");
  Fail(units_[1]);
  now_ += seconds(5);
  EXPECT_EQ(Next(), "first");
  Fail(units_[0]);
  EXPECT_EQ(Next(), "b") << "it was searched for less often";
}

TEST_F(SearchOrderTest, PodsOfOneControllerAreSearchedForOnce) {
  units_ = {Single("a-0", "a"), Single("a-1", "a"), Single("b-0", "b", "StatefulSet"),
            Single("b-1", "b", "StatefulSet")};
  Fail(units_[0]);
  EXPECT_EQ(Next(), "b-0");
  Fail(units_[2]);
  EXPECT_EQ(Next(), "b-1") << "it may have another volume";
  Fail(units_[3]);
  EXPECT_EQ(Next(), "");
  EXPECT_EQ(order_.next_due(), now_ + seconds(5));
}

TEST_F(SearchOrderTest, WaitsTwiceAsLongEachTimeUpToFiveMinutes) {
  units_ = {Gang("gang")};
  for (const int wait : {5, 10, 20, 40, 80, 160, 300, 300}) {
    EXPECT_EQ(Next(), "gang");
    Fail(units_[0]);
    EXPECT_EQ(Next(), "");
    EXPECT_EQ(order_.next_due(), now_ + seconds(wait));
    now_ += seconds(wait);
  }
  order_.Expire(units_[0].key, now_);
  EXPECT_EQ(Next(), "");
  EXPECT_EQ(order_.next_due(), now_ + seconds(300));
}

TEST_F(SearchOrderTest, PausesTwiceAsLongAfterEachEvictionsInVainUpToAnHour) {
  units_ = {Gang("gang")};
  for (const int pause : {300, 600, 1200, 2400, 3600, 3600}) {
    EXPECT_EQ(order_.Expire(units_[0].key, now_), seconds(pause));
    order_.Choose(
        units_, [](size_t) { return false; }, now_);
    EXPECT_EQ(Next(), "") << "it fit for a moment";
    now_ += seconds(pause);
    EXPECT_EQ(Next(), "gang");
  }
  order_.Forget(units_[0].key);
  EXPECT_EQ(order_.Expire(units_[0].key, now_), seconds(300));
}

TEST_F(SearchOrderTest, AUnitThatFitForAMomentIsNew) {
  units_ = {Gang("gang")};
  Fail(units_[0]);
  order_.Choose(
      units_, [](size_t) { return false; }, now_);
  EXPECT_EQ(Next(), "gang");
}

}  // namespace
}  // namespace outrigger::gang
