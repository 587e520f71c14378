// The tables of scheduler-plugins' coscheduling, pkg/coscheduling and its core, 0.34: TestPermit,
// TestPostFilter and TestPostFilterRejectThreshold. Permit is our barrier in bind; a pod that fails
// after PostFilter is a member whose place the scheduler refuses.
#include "gang_testing.h"

namespace outrigger::gang {
namespace {

using ::testing::Bool;
using ::testing::Combine;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakePod;
using ::testing::SizeIs;
using ::testing::ValuesIn;

class CoschedulingTest : public RefusedPlace {
 protected:
  void PutGroup(const std::string& name, int64_t minimum) {
    PodGroup group;
    group.dialect = Dialect::kSchedulerPlugins;
    group.namespace_ = "default";
    group.name = name;
    group.uid = "uid-" + name;
    group.min_member = minimum;
    cluster_.Put(group);
  }
  /// 3 of a node's 4 cpu; no group: single. `node`: where it is bound already.
  void PutPod(const std::string& name, const std::string& group, const std::string& node = "") {
    // What a node refuses to one pod it refuses to all of its spec: "p" is unlike the others.
    Pod pod = MakePod(name).Requests({{"cpu", name == "p" ? "2900m" : "3"}});
    if (!group.empty()) pod.labels.Set("scheduling.x-k8s.io/pod-group", group);
    pod.node_name = node;
    cluster_.Put(pod);
  }
  static std::string WaitsFor(const std::string& group, const std::string& why) {
    return fmt::format("gang default/{} waits: {} (see outrigger explain gang)", group, why);
  }
  /// Until a plan has been made that knows of what was done before.
  void AwaitPlan() {
    cluster_.Put(Member("later", 0, 1, "0"));
    Await([&] { return Passing("later-0").size() == 1; });
  }
};

// What becomes of the bind call of a pod, p, of `group`: of group "one" one member is wanted, of
// "two" two, "none" does not exist. It has a sibling that is bound or pending, or none.
struct PermitRow {
  const char* name;
  std::string group;
  std::string sibling;  // "bound", "pending"
  std::string outcome;  // "bound", "waits", or why filter rejects it already
};

class Permit : public CoschedulingTest, public ::testing::WithParamInterface<PermitRow> {
 protected:
  void Prepare() {
    const PermitRow& row = GetParam();
    Nodes(3);
    PutGroup("one", 1);
    PutGroup("two", 2);
    PutPod("p", row.group);
    if (!row.sibling.empty()) PutPod("other", row.group, row.sibling == "bound" ? "n0" : "");
    StartWithPlan();
  }
  void ExpectRejected() {
    Await([&] { return Reason("p") == WaitsFor(GetParam().group, GetParam().outcome); });
    Bind("p", "n1");  // against all rules
    EXPECT_FALSE(Result(0).ok());
    EXPECT_THAT(cluster_.bindings(), IsEmpty());
  }
  void ExpectWaits() {
    Schedule("p");
    AwaitAtBarrier("p");
    EXPECT_TRUE(Waits(0));
    EXPECT_THAT(cluster_.bindings(), IsEmpty());
  }
  void ExpectBound() {
    Schedule("p");
    EXPECT_TRUE(Result(0).ok());
    EXPECT_THAT(cluster_.bindings(), SizeIs(1));
  }
};

TEST_P(Permit, HasThisOutcome) {
  Prepare();
  if (GetParam().outcome == "bound") return ExpectBound();
  if (GetParam().outcome == "waits") return ExpectWaits();
  ExpectRejected();
}

const PermitRow kPermitRows[] = {
    {"PodsDoNotBelongToAnyPodGroup", "", "", "bound"},
    {"PodSpecifiesANonExistentPodGroup", "none", "", "no PodGroup"},
    // Differs: there it waits with a place in hand for members that do not exist.
    {"PodsBelongToAPodGroupButQuorumNotSatisfied", "two", "", "members"},
    {"PodsBelongToAPodGroupButQuorumNotSatisfiedYet", "two", "pending", "waits"},
    {"PodsBelongToAPodGroupAndQuorumSatisfied", "one", "", "bound"},
    {"PodBelongsToAPodGroupThatHasQuorumSatisfiedByOneThatIsBound", "two", "bound", "bound"},
};
INSTANTIATE_TEST_SUITE_P(Coscheduling, Permit, ValuesIn(kPermitRows),
                         [](const auto& row) { return row.param.name; });

class PostFilter : public CoschedulingTest {};

TEST_F(PostFilter, PodDoesNotBelongToAnyPodGroupSoNobodyIsRejected) {
  Nodes(2);
  PutGroup("two", 2);
  for (const char* pod : {"a", "b"}) PutPod(pod, "two");
  StartWithPlan();
  Schedule("a");
  AwaitAtBarrier("a");
  cluster_.Put(MakePod("p").Requests({{"cpu", "100"}}));
  AwaitPlan();
  EXPECT_TRUE(Waits(0));
  Schedule("b");
  for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(Result(i).ok());
}

TEST_F(PostFilter, EnoughPodsAssignedDoNotRejectAll) {
  Nodes(2);
  PutGroup("one", 1);
  PutPod("bound", "one", "n0");
  PutPod("p", "one");
  StartWithPlan();
  RefusePlaceOf("p");
  Await([&] { return Reason("p") == WaitsFor("one", "room for more members than its minimum"); });
  EXPECT_EQ(cluster_.Get("bound").node_name, "n0");
  cluster_.Put(testing::MakeNode("more"));
  nodes_.push_back(testing::MakeNode("more"));
  PutPod("q", "one");
  Schedule("q");
  EXPECT_TRUE(Result(0).ok()) << "the refusal of one is nothing to the others";
}

// There as well others may come to fit where one does not.
TEST_F(PostFilter, APodFailedButAnotherThatIsStillMissingFitsThere) {
  Nodes(3);
  PutGroup("three", 3);
  for (const char* pod : {"a", "b", "p"}) PutPod(pod, "three");
  StartWithPlan();
  Schedule("a");
  AwaitAtBarrier("a");
  const std::string of_p = Passing("p").at(0);
  const std::string of_b = Passing("b").at(0);
  RefusePlaceOf("p");
  Await([&] { return Passing("p") == std::vector{of_b} && Passing("b") == std::vector{of_p}; });
  EXPECT_TRUE(Waits(0));
  for (const char* pod : {"b", "p"}) Schedule(pod);
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(Result(i).ok());
}

TEST_F(PostFilter, PodFailedAtFilterPhaseRejectAllPods) {
  Nodes(2);
  PutGroup("two", 2);
  for (const char* pod : {"a", "p"}) PutPod(pod, "two");
  StartWithPlan();
  Schedule("a");
  AwaitAtBarrier("a");
  RefusePlaceOf("p");
  EXPECT_THAT(std::string(Result(0).message()), HasSubstr("gang default/two waits: "));
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
}

// So many of a gang's members wait when the node of the last one is cordoned.
struct GapRow {
  const char* name;
  int waiting;
  int minimum;
};

class Gap : public CoschedulingTest,
            public ::testing::WithParamInterface<std::tuple<GapRow, bool>> {
 protected:
  void Prepare(int nodes) {
    const GapRow& row = std::get<0>(GetParam());
    Nodes(nodes);
    PutGroup("gang", row.minimum);
    for (int i = 0; i < row.minimum; ++i) PutPod(fmt::format("p{}", i), "gang");
    StartWithPlan();
    for (int i = 0; i < row.waiting; ++i) Schedule(fmt::format("p{}", i));
    for (int i = 0; i < row.waiting; ++i) AwaitAtBarrier(fmt::format("p{}", i));
  }
  void ExpectAllRejected() {
    for (size_t i = 0; i < calls_.size(); ++i) {
      EXPECT_THAT(std::string(Result(i).message()), HasSubstr("gang default/gang waits: "));
    }
    EXPECT_THAT(cluster_.bindings(), IsEmpty());
  }
  void ExpectAllBoundWithTheRest() {
    const GapRow& row = std::get<0>(GetParam());
    for (size_t i = 0; i < calls_.size(); ++i) EXPECT_TRUE(Waits(i));
    for (int i = row.waiting; i < row.minimum; ++i) Schedule(fmt::format("p{}", i));
    for (size_t i = 0; i < calls_.size(); ++i) EXPECT_TRUE(Result(i).ok());
  }
};

// Differs: there a threshold, how much of the minimum is missing (10 % unless set), decides whether
// those who wait are rejected, in the hope that another member fits. Here the rest is planned
// again: if it fits elsewhere nobody is rejected, else everybody is, at once, however few are
// missing.
TEST_P(Gap, RejectsWhoWaitsIfTheRestFitsNowhereElse) {
  const auto& [row, elsewhere] = GetParam();
  Prepare(row.minimum + (elsewhere ? 1 : 0));
  const std::string last = fmt::format("p{}", row.minimum - 1);
  const std::string place = Passing(last).at(0);
  cluster_.Put(testing::MakeNode(place).Unschedulable());
  if (elsewhere) {
    Await([&] { return Passing(last).size() == 1 && Passing(last).at(0) != place; });
    return ExpectAllBoundWithTheRest();
  }
  Await([&] { return Reason(last).starts_with("gang default/gang waits: "); });
  ExpectAllRejected();
}

const GapRow kGapRows[] = {
    {"NineOfTenWait", 9, 10}, {"EightOfTenWait", 8, 10},   {"SixOfTenWait", 6, 10},
    {"FourOfTenWait", 4, 10}, {"NobodyOfTenWaits", 0, 10},
};
INSTANTIATE_TEST_SUITE_P(Coscheduling, Gap, Combine(ValuesIn(kGapRows), Bool()),
                         [](const auto& row) {
                           return fmt::format("{}{}", std::get<0>(row.param).name,
                                              std::get<1>(row.param) ? "AndItFitsElsewhere" : "");
                         });

}  // namespace
}  // namespace outrigger::gang
