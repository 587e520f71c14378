// Boards that share what has not changed say what boards that are made from nothing say.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "builders.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "gang/desk/board.h"
#include "gang/plan/order.h"
#include "gmock/gmock.h"

namespace outrigger::desk {
namespace {

plan::UnitPlan PlaceOn(const std::string& node) {
  plan::UnitPlan plan;
  plan.fits = true;
  plan.nodes = {node};
  return plan;
}

plan::UnitPlan NoPlaceFor(const std::string& resource) {
  plan::UnitPlan plan;
  plan.cause = {plan::Cause::Class::kResource, resource};
  return plan;
}

/// Single pods and gangs of one pod, planned as the test says.
class Queue {
 public:
  void Put(const std::string& name, int64_t group_priority, bool is_gang = false) {
    auto pod = std::make_shared<const Pod>(testing::MakePod(name));
    plan::Unit unit;
    unit.key = {is_gang ? plan::Dialect::kLabels : plan::Dialect::kNone, "default", name,
                is_gang ? "" : pod->uid};
    unit.rank.group_priority = group_priority;
    unit.rank.name = name;
    unit.members.emplace_back().pod = std::move(pod);
    Remove(name);
    entries_.push_back({std::move(unit), NoPlaceFor("cpu"), false});
  }
  void Remove(const std::string& name) {
    std::erase_if(entries_, [&](const Entry& entry) { return entry.unit.rank.name == name; });
  }
  plan::UnitPlan& PlanOf(const std::string& name) { return Find(name).plan; }
  plan::Unit& UnitOf(const std::string& name) { return Find(name).unit; }
  void Rest(const std::string& name, bool rests) { Find(name).rests = rests; }
  bool Has(const std::string& name) const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const Entry& entry) { return entry.unit.rank.name == name; });
  }

  std::shared_ptr<const Board> Make(const Board* before) {
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.unit.rank < b.unit.rank; });
    std::vector<plan::Unit> units;
    std::vector<Resting> resting;
    plan::Plan plan;
    for (const Entry& entry : entries_) {
      if (entry.rests) {
        resting.push_back({entry.unit, "refused"});
        continue;
      }
      units.push_back(entry.unit);
      plan.units.push_back(entry.plan);
    }
    const auto view = cluster_.Take();
    return std::make_shared<const Board>(Board::Input{.units = units,
                                                      .resting = resting,
                                                      .plan = plan,
                                                      .groups = {},
                                                      .pods = {},
                                                      .snapshot = view->snapshot,
                                                      .hold = true,
                                                      .before = before});
  }

 private:
  struct Entry {
    plan::Unit unit;
    plan::UnitPlan plan;
    bool rests = false;
  };
  Entry& Find(const std::string& name) {
    return *std::find_if(entries_.begin(), entries_.end(),
                         [&](const Entry& entry) { return entry.unit.rank.name == name; });
  }

  testing::FakeCluster cluster_;
  std::vector<Entry> entries_;
};

std::string TextOf(const BoardUnit& unit) {
  return fmt::format("{} {} turn {} fits {} for {} ({}) minimum {} open {}", plan::TextOf(unit.key),
                     unit.rank.group_priority, unit.rank.turn, unit.fits, unit.word, unit.label,
                     unit.minimum, unit.has_open_claims);
}

std::string TextOf(const Board& board) {
  std::string text;
  for (const BoardUnit& unit : board.units()) {
    const BoardUnit* const front = board.InFrontOf(unit.rank);
    text += TextOf(unit) + " after " + (front == nullptr ? "none" : front->key.name) + "\n";
  }
  board.ForEachPod([&](const BoardPod& pod) {
    EXPECT_EQ(board.Find(pod.pod->uid), &pod) << pod.pod->name;
    text += fmt::format("{} of {} on '{}'\n", pod.pod->name, TextOf(*pod.unit), pod.node);
  });
  return text;
}

TEST(SharedBoardTest, ASinglePodOfWhichThePlanSaysTheSameIsShared) {
  Queue queue;
  for (const char* name : {"a", "b", "c"}) queue.Put(name, 1);
  queue.Put("gang", 1, /*is_gang=*/true);
  const auto before = queue.Make(nullptr);
  queue.Put("b", 1);  // another pod of that name
  queue.Remove("c");
  const auto board = queue.Make(before.get());
  EXPECT_EQ(&board->units()[0], &before->units()[0]);
  EXPECT_NE(&board->units()[1], &before->units()[1]);
  EXPECT_EQ(board->Find("uid-c"), nullptr);
  EXPECT_NE(before->Find("uid-c"), nullptr);
}

TEST(SharedBoardTest, EachThingThatAPlanSaysIsSeenOnTheNextBoard) {
  Queue queue;
  queue.Put("pod", 1);
  auto board = queue.Make(nullptr);
  const auto next = [&] { return TextOf(*(board = queue.Make(board.get()))); };
  const std::string at_first = next();
  queue.PlanOf("pod").cause.detail = "memory";
  EXPECT_NE(next(), at_first);
  queue.PlanOf("pod") = PlaceOn("n1");
  EXPECT_THAT(next(), ::testing::HasSubstr("on 'n1'"));
  queue.PlanOf("pod").nodes = {"n2"};
  EXPECT_THAT(next(), ::testing::HasSubstr("on 'n2'"));
  queue.UnitOf("pod").has_open_claims = true;
  EXPECT_THAT(next(), ::testing::HasSubstr("open true"));
  queue.UnitOf("pod").rank.turn = 3;
  EXPECT_THAT(next(), ::testing::HasSubstr("turn 3"));
  queue.UnitOf("pod").rank.group_priority = 7;
  EXPECT_THAT(next(), ::testing::HasSubstr("default/pod 7"));
  queue.Rest("pod", true);
  EXPECT_THAT(next(), ::testing::HasSubstr("for refused"));
}

class Changes {
 public:
  explicit Changes(unsigned seed) : random_(seed) {}

  void ChangeSome(Queue* queue) {
    for (size_t i = Any(4); i > 0; --i) Change(queue);
  }

 private:
  size_t Any(size_t below) { return random_() % below; }
  void Change(Queue* queue) {
    const size_t number = Any(12);
    const std::string name = fmt::format("pod-{}", number);
    const bool is_gang = number % 4 == 0;
    if (!queue->Has(name)) return queue->Put(name, static_cast<int64_t>(Any(3)), is_gang);
    switch (Any(6)) {
      case 0:
        return queue->Remove(name);
      case 1:
        return queue->Put(name, static_cast<int64_t>(Any(3)), is_gang);
      case 2:
        queue->PlanOf(name) = PlaceOn(fmt::format("n{}", Any(3)));
        return;
      case 3:
        queue->PlanOf(name) = NoPlaceFor(Any(2) == 0 ? "a" : "b");
        return;
      case 4:
        return queue->Rest(name, Any(2) == 0);
      default:
        queue->UnitOf(name).rank.turn = static_cast<int64_t>(Any(3));
    }
  }

  std::mt19937 random_;
};

TEST(SharedBoardTest, WhateverChangesABoardSaysWhatOneFromNothingSays) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    Queue queue;
    Changes changes(seed);
    std::vector<std::pair<std::shared_ptr<const Board>, std::string>> boards;
    for (int step = 0; step < 30; ++step) {
      changes.ChangeSome(&queue);
      auto board = queue.Make(boards.empty() ? nullptr : boards.back().first.get());
      const std::string text = TextOf(*queue.Make(nullptr));
      ASSERT_EQ(TextOf(*board), text) << "seed " << seed << ", step " << step;
      boards.emplace_back(std::move(board), text);
      if (boards.size() > 3) boards.erase(boards.begin());
    }
    // Those that came after did not change it.
    for (const auto& [board, text] : boards) EXPECT_EQ(TextOf(*board), text) << "seed " << seed;
  }
}

}  // namespace
}  // namespace outrigger::desk
