#include "cluster_testing.h"

namespace outrigger::cluster {
namespace {

using testing::MakeNode;

class Changed : public ::testing::Test {
 protected:
  Changed() : cluster_(Options()) {}

  ClusterOptions Options() {
    ClusterOptions options = clock_.Options();
    options.changed = [this] { ++told_; };
    return options;
  }
  /// How often was told of it since the last call.
  int Told() { return std::exchange(told_, 0); }

  Clock clock_;
  int told_ = 0;
  Cluster cluster_;
};

TEST_F(Changed, IsCalledOncePerChange) {
  cluster_.UpsertNode(MakeNode("a"));
  EXPECT_EQ(Told(), 1);
  cluster_.UpsertPod(PodOn("p", ""));
  EXPECT_EQ(Told(), 1);
  ASSERT_TRUE(cluster_.AssumePod("default", "p", "uid-p", "a").ok());
  EXPECT_EQ(Told(), 1);
  cluster_.ForgetPod("default", "p", "uid-p");
  EXPECT_EQ(Told(), 1);
  cluster_.RemovePod("default", "p");
  EXPECT_EQ(Told(), 1);
  cluster_.RemoveNode("a");
  EXPECT_EQ(Told(), 1);
}

TEST_F(Changed, IsNotCalledWhereNothingChanges) {
  cluster_.UpsertNode(MakeNode("a"));
  cluster_.UpsertPod(PodOn("p", ""));
  Told();
  cluster_.UpsertNode(MakeNode("a"));
  cluster_.UpsertPod(PodOn("p", ""));
  cluster_.RemoveNode("b");
  cluster_.RemovePod("default", "q");
  cluster_.ForgetPod("default", "p", "uid-p");
  cluster_.Take();
  EXPECT_EQ(Told(), 0);
}

TEST_F(Changed, IsCalledByWhoTakesASnapshotWithoutAnExpiredAssumption) {
  cluster_.UpsertNode(MakeNode("a"));
  cluster_.UpsertPod(PodOn("p", ""));
  ASSERT_TRUE(cluster_.AssumePod("default", "p", "uid-p", "a").ok());
  Told();
  clock_.now += std::chrono::milliseconds(30'000);
  cluster_.Take();
  EXPECT_EQ(Told(), 1);
}

TEST(ChangedCallback, MayTakeASnapshotWithTheChange) {
  Cluster* self = nullptr;
  size_t seen = 0;
  ClusterOptions options;
  options.changed = [&] { seen = self->Take()->node_count(); };
  Cluster cluster(std::move(options));
  self = &cluster;
  cluster.UpsertNode(MakeNode("a"));
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace outrigger::cluster
