// Gangs at the barrier come before pods for which kube-scheduler evicts others unasked.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gang/desk/nominations/memory_ahead_testing.h"
#include "gang/plan/call_resources.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger::desk {
namespace {

using ::testing::ElementsAre;

class WaitersFirstTest : public MemoryTest {
 protected:
  explicit WaitersFirstTest(bool asks_about_all = false) : MemoryTest({}, asks_about_all) {}

  // The order of a pod of priority 10 and gangs of priority 0, of which "late" waits at the
  // barrier.
  std::vector<std::string> Order(const std::function<void(Pod*)>& change) {
    MakeBoard board;
    board.AddGang("early", 1, 1);
    board.AddGang("late", 1, 1);
    Pod pod = testing::MakePod("urgent");
    pod.priority = 10;
    change(&pod);
    std::vector<plan::Unit> units = board.Units();
    plan::Unit single;
    single.key = {plan::Dialect::kNone, "default", "urgent", pod.uid};
    single.rank.priority = pod.priority;
    single.rank.first = true;
    single.members.emplace_back().pod = std::make_shared<Pod>(pod);
    units.insert(units.begin(), std::move(single));
    resting_.clear();
    memory_.Prepare({{LabelsGang("late"), {{"uid-late-0", "n1"}}}}, *snapshot_, kBegin, &units,
                    &resting_);
    EXPECT_TRUE(std::is_sorted(units.begin(), units.end(),
                               [](const auto& a, const auto& b) { return a.rank < b.rank; }));
    std::vector<std::string> names;
    for (const plan::Unit& unit : units) names.push_back(unit.key.name);
    return names;
  }
};

class AskedAboutAllTest : public WaitersFirstTest {
 protected:
  AskedAboutAllTest() : WaitersFirstTest(/*asks_about_all=*/true) {}
};

TEST_F(WaitersFirstTest, AGangThatWaitsComesBeforeAPodThatEvictsUnasked) {
  EXPECT_THAT(Order([](Pod* /*pod*/) {}), ElementsAre("late", "urgent", "early"));
}

TEST_F(WaitersFirstTest, APodThatNeverPreemptsKeepsItsPlaceInTheOrder) {
  EXPECT_THAT(Order([](Pod* pod) { pod->never_preempts = true; }),
              ElementsAre("urgent", "early", "late"));
}

TEST_F(WaitersFirstTest, APodThatAsksKeepsItsPlaceInTheOrder) {
  EXPECT_THAT(Order([](Pod* pod) {
                pod->containers[0].requests.Set(plan::kCallResource, Quantity::FromInt(0));
              }),
              ElementsAre("urgent", "early", "late"));
}

TEST_F(WaitersFirstTest, APodThatMayNotEvictTheWaitersKeepsItsPlaceInTheOrder) {
  EXPECT_THAT(Order([](Pod* pod) { pod->priority = 0; }), ElementsAre("urgent", "early", "late"));
}

TEST_F(AskedAboutAllTest, EveryPodKeepsItsPlaceInTheOrder) {
  EXPECT_THAT(Order([](Pod* /*pod*/) {}), ElementsAre("urgent", "early", "late"));
}

}  // namespace
}  // namespace outrigger::desk
