#include <map>

#include "cluster/cluster.h"
#include "gang/plan/groups/groups_testing.h"
#include "gang/plan/pods.h"

namespace outrigger::plan {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class PlannedPodsOf : public ::testing::Test {
 protected:
  static cluster::ClusterOptions Options() {
    cluster::ClusterOptions options;
    // After another one: it is found by its type.
    options.indexes = {cluster::LabelIndex("app"), PlannedPodsIndex()};
    return options;
  }
  std::map<std::string, PodPtr> Take() {
    std::map<std::string, PodPtr> pods;
    for (const PodPtr& pod : planned_.Of(*cluster_.Take())) pods[pod->name] = pod;
    return pods;
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const auto& [name, pod] : Take()) names.push_back(name);
    return names;
  }

  cluster::Cluster cluster_{Options()};
  PlannedPods planned_;
};

TEST_F(PlannedPodsOf, AClusterAreThoseThatWait) {
  cluster_.UpsertPod(PodOf("waits"));
  cluster_.UpsertPod(PodOf("gated").Gate("x"));
  cluster_.UpsertPod(PodOf("bound").On("n"));
  cluster_.UpsertPod(PodOf("finished").Phase("Failed"));
  EXPECT_THAT(Names(), UnorderedElementsAre("waits", "gated"));
}

TEST_F(PlannedPodsOf, AClusterAreAllThatNameAGroupInAnyDialect) {
  for (const Dialect dialect : {Dialect::kLabels, Dialect::kSchedulerPlugins, Dialect::kKoordinator,
                                Dialect::kVolcano, Dialect::kUpstream}) {
    const std::string name = "p" + std::to_string(static_cast<int>(dialect));
    cluster_.UpsertPod(PodOf(name + "-bound").Member(dialect, "g").On("n"));
    cluster_.UpsertPod(PodOf(name + "-done").Member(dialect, "g").On("n").Phase("Succeeded"));
    cluster_.UpsertPod(PodOf(name + "-goes").Member(dialect, "g").On("n").Terminating());
  }
  EXPECT_EQ(Names().size(), 15U);
}

TEST_F(PlannedPodsOf, AClusterAreWhole) {
  cluster_.UpsertPod(PodOf("a").Train().Priority(7).Gate("x"));
  const PodPtr pod = Take().at("a");
  EXPECT_EQ(pod->labels.Get("podGroup"), "train");
  EXPECT_EQ(pod->priority, 7);
  EXPECT_EQ(pod->uid, "uid-a");
}

TEST_F(PlannedPodsOf, ALaterSnapshotAreTheSameObjectsWhereNothingChanged) {
  cluster_.UpsertNode(testing::MakeNode("n"));
  cluster_.UpsertPod(PodOf("a").Train());
  cluster_.UpsertPod(PodOf("b").Train());
  const auto before = Take();
  cluster_.UpsertPod(PodOf("b").Train().Priority(7));
  cluster_.UpsertPod(PodOf("c"));
  const auto after = Take();
  EXPECT_EQ(after.at("a"), before.at("a"));
  EXPECT_NE(after.at("b"), before.at("b"));
  EXPECT_EQ(after.at("b")->priority, 7);
  ASSERT_TRUE(cluster_.AssumePod("default", "a", "uid-a", "n").ok());
  EXPECT_EQ(Take().at("a")->node_name, "n") << "a member that is assumed";
}

TEST_F(PlannedPodsOf, ALaterSnapshotLackThoseThatAreGone) {
  cluster_.UpsertPod(PodOf("a").Train());
  cluster_.UpsertPod(PodOf("b"));
  const std::weak_ptr<const Pod> a = Take().at("a");
  cluster_.RemovePod("default", "a");
  cluster_.UpsertPod(PodOf("b").On("n"));
  EXPECT_THAT(Names(), IsEmpty());
  EXPECT_TRUE(a.expired()) << "nothing is kept of it";
}

}  // namespace
}  // namespace outrigger::plan
