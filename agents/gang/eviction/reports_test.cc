#include "eviction/reports.h"

#include "desk_testing.h"
#include "gmock/gmock.h"
#include "reports/counted_testing.h"

namespace outrigger::gang {
namespace {

using ::testing::ElementsAre;

class EvictionReportsTest : public ::testing::Test {
 protected:
  static plan::Unit UnitOf(plan::UnitKey key, const std::vector<std::string>& pods) {
    plan::Unit unit;
    unit.key = std::move(key);
    for (const std::string& pod : pods) {
      unit.members.emplace_back().pod = std::make_shared<Pod>(testing::MakePod(pod));
    }
    return unit;
  }
  // What is told of the unit that preempts: "version kind name uid reason".
  std::vector<std::string> Told(const plan::Unit& unit) {
    reports_.OnPreempting(unit, {});
    std::vector<std::string> told;
    for (const ClusterEvent& event : cluster_.events()) {
      told.push_back(fmt::format("{} {} {} {} {}", event.api_version, event.kind, event.name,
                                 event.uid, event.reason));
    }
    return told;
  }

  testing::FakeCluster cluster_;
  Counted counted_;
  EvictionReports reports_{&cluster_, &counted_, [](std::string_view) {}};
};

TEST_F(EvictionReportsTest, AGangThatPreemptsIsToldOfAtItsObject) {
  const plan::UnitKey key{plan::Dialect::kVolcano, "default", "train", "u"};
  EXPECT_THAT(Told(UnitOf(key, {"train-0"})),
              ElementsAre("scheduling.volcano.sh/v1beta1 PodGroup train u GangPreempts"));
}

TEST_F(EvictionReportsTest, AGangWithoutAnObjectIsToldOfAtTheFirstOfItsPodsByName) {
  const plan::Unit unit = UnitOf(LabelsGang("train"), {"train-2", "train-0", "train-1"});
  EXPECT_THAT(Told(unit),
              ElementsAre(fmt::format("v1 Pod train-0 {} GangPreempts", unit.members[1].pod->uid)));
}

TEST_F(EvictionReportsTest, ASinglePodIsToldOfAtThePod) {
  const plan::UnitKey key{plan::Dialect::kNone, "default", "web", "u"};
  const plan::Unit unit = UnitOf(key, {"web"});
  EXPECT_THAT(Told(unit),
              ElementsAre(fmt::format("v1 Pod web {} GangPreempts", unit.members[0].pod->uid)));
}

}  // namespace
}  // namespace outrigger::gang
