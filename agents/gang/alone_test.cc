// The agent with mode=alone: which of its replicas acts, and which settings go
// together.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "gang/plan/groups.h"
#include "gang_testing.h"

namespace outrigger::gang {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class Alone : public GangTest {
 protected:
  void Put(const std::string& gang, int members) {
    for (int i = 0; i < members; ++i) {
      Pod pod = Member(gang, i, members);
      pod.scheduling_gates = {std::string(plan::kQueueGate)};
      cluster_.Put(pod);
    }
  }
  void StartStanding() { Start({{"mode", "alone"}, {"lease", "jobs/mine"}}); }
  // As kube-scheduler: a pod without a gate goes to the node that it is nominated for.
  void BindReleased() {
    for (const std::string& name : cluster_.released()) {
      const Pod pod = cluster_.Get(name);
      if (pod.node_name.empty()) {
        cluster_.Change(name, [](Pod* bound) { bound->node_name = bound->nominated_node_name; });
      }
    }
  }
  bool Says(const std::string& part) {
    for (const std::string& line : agent_->log()) {
      if (line.find(part) != std::string::npos) return true;
    }
    return false;
  }
};

TEST_F(Alone, TheReplicaThatHoldsTheLeaseNominatesAndReleases) {
  Nodes(2);
  Put("train", 2);
  cluster_.elections().Give();
  StartStanding();
  Await([&] { return cluster_.released().size() == 2; });
  EXPECT_THAT(cluster_.released(), UnorderedElementsAre("train-0", "train-1"));
  EXPECT_EQ(cluster_.elections().claim().namespace_, "jobs");
  EXPECT_EQ(cluster_.elections().claim().name, "mine");
  EXPECT_NE(cluster_.Get("train-0").nominated_node_name, "");
}

// A claim that is not in the view holds its gang here, so that the view must have them all.
TEST_F(Alone, ClaimsHaveToBeAsFreshAsPods) {
  Start({});
  EXPECT_FALSE(agent_->agent().Reads().Has(Needs::kClusterFreshClaims));
  StartStanding();
  EXPECT_TRUE(agent_->agent().Reads().Has(Needs::kClusterFreshClaims));
}

TEST_F(Alone, AReplicaThatWaitsWritesNothingAndIsReadyAndSaysWhoActs) {
  Nodes(2);
  Put("train", 2);
  StartStanding();
  cluster_.elections().Take("other_1");
  Await([&] { return Says("not in charge: other_1 holds the Lease jobs/mine"); });
  EXPECT_TRUE(dynamic_cast<Controller&>(agent_->agent()).Ready().ok());
  EXPECT_THAT(cluster_.nominations(), IsEmpty());
  EXPECT_THAT(cluster_.released(), IsEmpty());
  EXPECT_THAT(cluster_.events(), IsEmpty());
  cluster_.elections().Give();
  Await([&] { return cluster_.released().size() == 2; });
}

TEST_F(Alone, AReplicaThatLosesTheLeaseStops) {
  Nodes(1);
  Put("first", 1);
  cluster_.elections().Give();
  StartStanding();
  Await([&] { return cluster_.released().size() == 1; });
  BindReleased();
  cluster_.elections().Take("other_1");
  Await([&] { return Says("not in charge: other_1"); });
  for (const char* node : {"n1", "n2"}) cluster_.Put(testing::MakeNode(node));
  Put("second", 2);
  EXPECT_FALSE(FilterStatus(testing::MakePod("a")).ok());
  EXPECT_THAT(cluster_.released(), ElementsAre("first-0"));
  cluster_.elections().Give();
  Await([&] { return cluster_.released().size() == 3; });
}

// An API server that does not answer: the next leader may begin as soon as this one's term is over.
TEST_F(Alone, WritesHaveWhatIsLeftOfTheTermAndEndWithIt) {
  std::atomic<int> begun = 0;
  std::atomic<int> ended = 0;
  std::atomic<std::chrono::milliseconds> longest{};
  const auto hang = [&](const std::string& /*pod*/, const CallLimits& limits) {
    longest = std::max(longest.load(), limits.timeout);
    ++begun;
    while (!limits.stop.stop_requested()) std::this_thread::yield();
    ++ended;
    return absl::CancelledError("stopped");
  };
  const auto is_cut = [&](int writes) {
    Await([&] { return begun == writes; });
    cluster_.elections().Take("other_1");
    EXPECT_EQ(ended, writes) << "a write went on when the term was over";
    EXPECT_EQ(longest.load(), std::chrono::seconds(7));
  };
  Nodes(1);
  Put("train", 1);
  cluster_.elections().SetTimeLeft(std::chrono::seconds(7));
  cluster_.elections().Give();
  cluster_.OnNominate(hang);
  StartStanding();
  is_cut(1);
  cluster_.OnNominate(nullptr);
  cluster_.OnRemoveGate(hang);
  cluster_.elections().Give();
  is_cut(2);
  EXPECT_THAT(cluster_.released(), IsEmpty());
}

// Nothing that writes, as the evictor, goes on after that.
TEST_F(Alone, TheLeaseIsGivenBackAfterAllThatWrites) {
  Nodes(1);
  Pod low = Member("low", 0, 1);
  low.node_name = "n0";
  low.priority = 1;
  cluster_.Put(low);
  Pod high = Member("high", 0, 1);
  high.priority = 1000;
  high.scheduling_gates = {std::string(plan::kQueueGate)};
  cluster_.Put(high);
  std::atomic<bool> evicts = false;
  std::atomic<bool> stops = false;
  std::atomic<bool> is_given_back = false;
  cluster_.OnEvict([&](const std::string& /*pod*/, bool dry_run) {
    if (dry_run) return absl::OkStatus();
    evicts = true;
    while (!stops) std::this_thread::yield();
    // Long enough for a desk that does not wait.
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (!is_given_back && std::chrono::steady_clock::now() < until) {
      is_given_back = !cluster_.elections().IsStoodFor();
      std::this_thread::yield();
    }
    return absl::OkStatus();
  });
  cluster_.elections().Give();
  Start({{"mode", "alone"}, {"preempt", "true"}});
  Await([&] { return evicts.load(); });
  stops = true;
  Stop();
  EXPECT_FALSE(is_given_back);
  EXPECT_FALSE(cluster_.elections().IsStoodFor());
}

TEST_F(Alone, BesideASchedulerNoLeaseIsStoodFor) {
  StartWithPlan();
  EXPECT_FALSE(cluster_.elections().IsStoodFor());
}

absl::Status Refused(std::initializer_list<std::pair<std::string_view, std::string_view>> more) {
  const AgentFactory factory = MakeFactory();
  SettingsValues values = factory.settings.Defaults();
  const auto set = [&](std::string_view name, std::string_view text) {
    EXPECT_TRUE(factory.settings.Find(name)->parse(values.get(), text).ok()) << name;
    values.MarkGiven(name);
  };
  set("mode", "alone");
  for (const auto& [name, text] : more) set(name, text);
  testing::FakeCluster cluster;
  AgentDeps deps;
  deps.cluster = &cluster;
  return factory.make(deps, values).status();
}

TEST(AloneSettings, ThatMeanNothingAreRefusedByName) {
  struct Row {
    const char* name;
    const char* value;
    const char* why;
  };
  for (const Row& row : {Row{"scheduler-lease", "none", "leave --gang.scheduler-lease out"},
                         Row{"host-name", "mine", "leave --gang.host-name out"},
                         Row{"lease", "mine", "NAMESPACE/NAME"}}) {
    const absl::Status status = Refused({{row.name, row.value}});
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.name;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(fmt::format("{}: \"{}\" is not accepted", row.name, row.value)));
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.why));
  }
  EXPECT_EQ(Refused({}), absl::OkStatus());
}

TEST(AloneSettings, SayWhatTheAgentDoesAtTheApiServer) {
  const AgentFactory factory = MakeFactory();
  SettingsValues values = factory.settings.Defaults();
  EXPECT_TRUE(factory.TakesCalls(values));
  const AccessRule binds{"", "pods/binding", {"create"}};
  EXPECT_THAT(factory.Access(values), Contains(binds));
  EXPECT_THAT(factory.Access(values), Contains(AccessRule{"", "pods", {"patch"}}));
  ASSERT_TRUE(factory.settings.Find("mode")->parse(values.get(), "alone").ok());
  EXPECT_THAT(factory.Access(values), Contains(AccessRule{"", "pods", {"get", "patch"}}));
  EXPECT_FALSE(factory.TakesCalls(values));
  EXPECT_THAT(factory.Access(values), Not(Contains(binds)));
  EXPECT_THAT(factory.Access(values), Contains(AccessRule{"coordination.k8s.io",
                                                          "leases",
                                                          {"get", "update"},
                                                          {"outrigger-gang"},
                                                          /*in_own_namespace=*/true}));
}

}  // namespace
}  // namespace outrigger::gang
