#include "pods/pod_changes.h"

#include <random>
#include <set>
#include <string>

#include "builders.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::reward {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RewardPodChanges : public ::testing::Test {
 protected:
  void Put(const std::string& name, const std::string& phase = "Running") {
    Pod pod = testing::MakePod(name);
    pod.uid = "uid-" + name;
    pod.node_name = "a";
    pod.phase = phase;
    cluster_.Put(pod);
  }
  void Next() {
    changed_.clear();
    gone_.clear();
    changes_.Next(
        cluster_.Take()->snapshot, [&](const PodView& pod) { changed_.emplace(pod.Name()); },
        [&](std::string_view uid) { gone_.emplace(uid); });
  }

  testing::FakeCluster cluster_;
  PodChanges changes_;
  std::set<std::string> changed_;
  std::set<std::string> gone_;
};

TEST_F(RewardPodChanges, AreWhatCameChangedAndWent) {
  for (const char* name : {"p", "q", "r"}) Put(name);
  Next();
  EXPECT_THAT(changed_, ElementsAre("p", "q", "r"));
  Next();
  EXPECT_THAT(changed_, IsEmpty());
  Put("q", "Failed");
  Put("s");
  cluster_.RemovePod("p");
  Next();
  EXPECT_THAT(changed_, ElementsAre("q", "s"));
  EXPECT_THAT(gone_, ElementsAre("uid-p"));
}

TEST_F(RewardPodChanges, AfterAResetAreAllPods) {
  Put("p");
  Next();
  changes_.Reset();
  Next();
  EXPECT_THAT(changed_, ElementsAre("p"));
}

TEST_F(RewardPodChanges, OfRandomStepsAreThoseThatWereMade) {
  std::mt19937 random(3);
  std::set<std::string> there;
  for (int step = 0; step < 150; ++step) {
    std::set<std::string> touched;
    std::set<std::string> removed;
    for (int i = 0; i < 20; ++i) {
      const std::string name = fmt::format("p{}", random() % 400);
      if (touched.contains(name) || removed.contains("uid-" + name)) continue;
      if (there.contains(name) && random() % 3 == 0) {
        cluster_.RemovePod(name);
        there.erase(name);
        removed.insert("uid-" + name);
      } else {
        Put(name, fmt::format("phase-{}", step));
        there.insert(name);
        touched.insert(name);
      }
    }
    Next();
    ASSERT_EQ(changed_, touched) << "step " << step;
    ASSERT_EQ(gone_, removed) << "step " << step;
  }
}

}  // namespace
}  // namespace outrigger::reward
