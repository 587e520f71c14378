// Settings that all agents at one desk have in common.
#include "desk/desk_settings.h"

#include <string>

#include "fake_cluster.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "outrigger/agent/shared.h"

namespace outrigger::desk {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

DeskTerms Of(const std::string& agent) {
  DeskTerms terms;
  terms.agent = agent;
  return terms;
}

TEST(DeskSettings, HaveDefaultsWhereNoAgentHasSetThem) {
  DeskSettings settings;
  ASSERT_TRUE(settings.Add(Of("gang")).ok());
  PlanningOptions options;
  settings.Apply(&options);
  EXPECT_THAT(options.groups.scheduler_names, ElementsAre("default-scheduler"));
  EXPECT_EQ(settings.Lease().lease.namespace_, "kube-system");
  EXPECT_EQ(settings.Lease().lease.name, "kube-scheduler");
  EXPECT_NE(settings.Lease().host_name, "");
  EXPECT_EQ(options.reserve_after, std::nullopt);
}

TEST(DeskSettings, ThatOneAgentHasSetCountForAll) {
  DeskSettings settings;
  DeskTerms gang = Of("gang");
  gang.scheduler_names = "batch, jobs";
  DeskTerms qos = Of("qos");
  qos.scheduler_lease = "jobs/batch";
  qos.host_name = "mine";
  qos.reserve_after = 30;
  ASSERT_TRUE(settings.Add(gang).ok());
  ASSERT_TRUE(settings.Add(qos).ok());
  PlanningOptions options;
  settings.Apply(&options);
  EXPECT_THAT(options.groups.scheduler_names, ElementsAre("batch", "jobs"));
  EXPECT_EQ(settings.Lease().lease.name, "batch");
  EXPECT_EQ(settings.Lease().host_name, "mine");
  EXPECT_EQ(options.reserve_after, std::chrono::seconds(30));
}

TEST(DeskSettings, LeaveAloneWhatOneAgentAloneHasASayIn) {
  DeskSettings settings;
  PlanningOptions options;
  for (const bool queued : {true, false}) {
    options.groups.plan_queued = queued;
    settings.Apply(&options);
    EXPECT_EQ(options.groups.plan_queued, queued) << "another agent releases such pods";
  }
}

TEST(DeskSettings, ThatAreTheSameForTwoAgentsAreAccepted) {
  DeskSettings settings;
  for (const char* agent : {"gang", "qos"}) {
    DeskTerms terms = Of(agent);
    terms.scheduler_lease = "none";
    EXPECT_TRUE(settings.Add(terms).ok());
  }
}

TEST(DeskSettings, ThatDifferAreRefusedByNameAndValue) {
  struct Row {
    const char* name;
    void (*set)(DeskTerms* terms, bool other);
  };
  const Row rows[] = {
      {"scheduler-names", [](DeskTerms* t, bool other) { t->scheduler_names = other ? "b" : "a"; }},
      {"scheduler-lease",
       [](DeskTerms* t, bool other) { t->scheduler_lease = other ? "x/b" : "x/a"; }},
      {"host-name", [](DeskTerms* t, bool other) { t->host_name = other ? "b" : "a"; }},
      {"unchecked",
       [](DeskTerms* t, bool other) { t->unchecked = other ? "example.com/b" : "example.com/a"; }},
      {"reserve-after", [](DeskTerms* t, bool other) { t->reserve_after = other ? 0 : 5; }},
      {"window", [](DeskTerms* t, bool other) { t->window = other ? 1 : 5; }},
      {"lease", [](DeskTerms* t, bool other) { t->lease = other ? "x/b" : "x/a"; }},
      {"lease-seconds", [](DeskTerms* t, bool other) { t->lease_seconds = other ? 3 : 5; }},
  };
  for (const Row& row : rows) {
    DeskSettings settings;
    DeskTerms gang = Of("gang");
    DeskTerms qos = Of("qos");
    row.set(&gang, false);
    row.set(&qos, true);
    ASSERT_TRUE(settings.Add(gang).ok()) << row.name;
    const absl::Status status = settings.Add(qos);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.name;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.name));
    EXPECT_THAT(std::string(status.message()), HasSubstr(std::string("--gang.") + row.name));
  }
}

TEST(DeskSettings, WithoutAnExtenderNameTheAgentsOwnLease) {
  DeskSettings settings;
  DeskTerms gang = Of("gang");
  DeskTerms qos = Of("qos");
  gang.without_extender = qos.without_extender = true;
  qos.lease = "jobs/queue";
  qos.lease_seconds = 3;
  qos.window = 7;
  ASSERT_TRUE(settings.Add(gang).ok());
  EXPECT_TRUE(settings.without_extender());
  EXPECT_EQ(settings.OwnLease().namespace_, "outrigger");
  EXPECT_EQ(settings.OwnLease().name, "outrigger");
  EXPECT_EQ(settings.OwnLease().lease_duration, std::chrono::seconds(15));
  ASSERT_TRUE(settings.Add(qos).ok());
  EXPECT_EQ(settings.OwnLease().namespace_, "jobs");
  EXPECT_EQ(settings.OwnLease().name, "queue");
  EXPECT_EQ(settings.OwnLease().lease_duration, std::chrono::seconds(3));
  PlanningOptions options;
  settings.Apply(&options);
  EXPECT_EQ(options.release.window, 7U) << "whichever agent has set it";
}

// Whichever comes first.
TEST(DeskSettings, WithoutAnExtenderAreForAllAgentsOrForNone) {
  for (const bool first : {true, false}) {
    DeskSettings settings;
    DeskTerms gang = Of("gang");
    DeskTerms qos = Of("qos");
    gang.without_extender = first;
    qos.without_extender = !first;
    ASSERT_TRUE(settings.Add(gang).ok());
    const absl::Status status = settings.Add(qos);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(fmt::format("without-extender: \"{}\" is not accepted: "
                                      "--gang.without-extender is \"{}\"",
                                      !first, first)));
  }
}

TEST(DeskSettings, ThatMeanNothingAreRefused) {
  struct Row {
    const char* text;  // part of the error
    void (*set)(DeskTerms* terms);
  };
  const Row rows[] = {
      {"scheduler-names: \"\"", [](DeskTerms* t) { t->scheduler_names = " , "; }},
      {"NAMESPACE/NAME", [](DeskTerms* t) { t->scheduler_lease = "kube-scheduler"; }},
      {"unchecked", [](DeskTerms* t) { t->unchecked = "a:b:c:"; }},
      {"lease: \"mine\" is not accepted: NAMESPACE/NAME", [](DeskTerms* t) { t->lease = "mine"; }},
  };
  for (const Row& row : rows) {
    DeskSettings settings;
    DeskTerms terms = Of("qos");
    row.set(&terms);
    EXPECT_THAT(std::string(settings.Add(terms).message()), HasSubstr(row.text));
  }
}

TEST(Desk, IsTheSameForAllAgentsOfAProcessAndGoesWithTheLast) {
  testing::FakeCluster cluster;
  SharedParts parts;
  AgentDeps deps;
  deps.cluster = &cluster;
  deps.shared = &parts;
  auto of_gang = Desk::Of(deps);
  auto of_qos = Desk::Of(deps);
  EXPECT_EQ(of_gang, of_qos);
  ASSERT_TRUE(of_gang->Join(Of("gang")).ok());
  EXPECT_TRUE(of_qos->HasJoined("gang"));
  of_gang.reset();
  of_qos.reset();
  EXPECT_FALSE(Desk::Of(deps)->HasJoined("gang"));
}

// What each brings stays, whichever joins first.
TEST(Desk, PlansGatedPodsOfOneAgentNextToAnother) {
  for (const bool gates_first : {true, false}) {
    PlanningOptions seen;
    DeskTerms gang = Of("gang");
    gang.adjust = [](PlanningOptions* options) { options->groups.plan_queued = true; };
    DeskTerms qos = Of("qos");
    qos.adjust = [](PlanningOptions* options) { options->hold = true; };
    DeskTerms last = Of("watcher");
    last.adjust = [&seen](PlanningOptions* options) { seen = *options; };
    testing::FakeCluster cluster;
    Desk desk(&cluster);
    ASSERT_TRUE(desk.Join(gates_first ? gang : qos).ok());
    ASSERT_TRUE(desk.Join(gates_first ? qos : gang).ok());
    ASSERT_TRUE(desk.Join(last).ok());
    EXPECT_TRUE(seen.groups.plan_queued) << gates_first;
    EXPECT_TRUE(seen.hold) << gates_first;
  }
}

// Whichever comes first: --agents has an order, too.
TEST(Desk, IsOfOneAgentAloneThatIsCalledAboutMembersOfGroupsAlone) {
  DeskTerms alone = Of("gang");
  alone.only_groups = true;
  for (const bool alone_first : {true, false}) {
    testing::FakeCluster cluster;
    Desk desk(&cluster);
    const DeskTerms qos = Of("qos");
    ASSERT_TRUE(desk.Join(alone_first ? alone : qos).ok());
    const absl::Status joined = desk.Join(alone_first ? qos : alone);
    EXPECT_EQ(joined.code(), absl::StatusCode::kInvalidArgument) << alone_first;
    EXPECT_THAT(std::string(joined.message()),
                HasSubstr("only-groups: \"true\" is not accepted: kube-scheduler calls gang about "
                          "members of groups alone then, and agent qos"));
    EXPECT_THAT(std::string(joined.message()), HasSubstr("leave --gang.only-groups or"));
  }
}

TEST(Desk, IsEachAgentsOwnWhereTheyHaveNothingInCommon) {
  testing::FakeCluster cluster;
  AgentDeps deps;
  deps.cluster = &cluster;
  EXPECT_NE(Desk::Of(deps), Desk::Of(deps));
}

}  // namespace
}  // namespace outrigger::desk
