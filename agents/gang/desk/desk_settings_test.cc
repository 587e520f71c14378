// Settings that all agents at one desk have in common.
#include "gang/desk/desk_settings.h"

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
  EXPECT_EQ(options.reserve_after, std::chrono::seconds(120));
  EXPECT_EQ(settings.mode(), Mode::kExtender);
}

SchedulerFacts Known() {
  SchedulerFacts facts;
  facts.names = "batch,jobs";
  facts.lease = "jobs/batch";
  facts.unchecked = "batch:NodePorts";
  return facts;
}

TEST(DeskSettings, ThatNoAgentHasSetAreThoseOfTheSchedulersFile) {
  DeskSettings settings(Known());
  ASSERT_TRUE(settings.Add(Of("gang")).ok());
  PlanningOptions options;
  settings.Apply(&options);
  EXPECT_THAT(options.groups.scheduler_names, ElementsAre("batch", "jobs"));
  EXPECT_EQ(settings.Lease().lease.namespace_, "jobs");
  EXPECT_EQ(settings.Lease().lease.name, "batch");
  EXPECT_EQ(options.checks.profiles.count("batch"), 1U);
}

PlanningOptions AppliedTo(SchedulerFacts facts, const DeskTerms& terms) {
  DeskSettings settings(std::move(facts));
  EXPECT_TRUE(settings.Add(terms).ok());
  PlanningOptions options;
  settings.Apply(&options);
  return options;
}

TEST(DeskSettings, OfEarlierVersionsCountWhereTheSchedulersFileDoesNotSayIt) {
  DeskTerms former = Of("gang");
  former.unchecked = "jobs:NodePorts";
  former.members_only = true;
  PlanningOptions options = AppliedTo({}, former);
  EXPECT_EQ(options.checks.profiles.count("jobs"), 1U);
  EXPECT_EQ(options.asks_about_all, std::optional(false));

  SchedulerFacts facts;
  facts.file = "scheduler.yaml";  // all is compared
  options = AppliedTo(facts, former);
  EXPECT_EQ(options.checks.profiles.count("jobs"), 0U);
  EXPECT_EQ(options.asks_about_all, std::optional(false)) << "no entry of the file is the agent's";
  facts.members_only = false;
  EXPECT_EQ(AppliedTo(facts, former).asks_about_all, std::optional(true));

  former.mode = Mode::kAlone;
  EXPECT_EQ(AppliedTo({}, former).asks_about_all, std::nullopt);
}

TEST(DeskSettings, OfEarlierVersionsThatAreWrongAreNamed) {
  DeskTerms former = Of("gang");
  former.unchecked = "!";
  EXPECT_THAT(std::string(DeskSettings().Add(former).message()), HasSubstr("unchecked: \"!\" "));
}

TEST(DeskSettings, BindCallsThatMayWaitBoundGangsWhereAnyWait) {
  SchedulerFacts facts;
  facts.waiting_binds = 7;
  for (const Mode mode : {Mode::kExtender, Mode::kAlone}) {
    DeskSettings settings(facts);
    DeskTerms terms = Of("gang");
    terms.mode = mode;
    EXPECT_EQ(settings.Add(terms), absl::OkStatus());
    PlanningOptions options;
    settings.Apply(&options);
    EXPECT_EQ(options.groups.most_waiting, mode == Mode::kAlone ? 0 : 7);
  }
}

TEST(DeskSettings, ThatAnAgentHasSetComeBeforeTheSchedulersFile) {
  DeskSettings settings(Known());
  DeskTerms gang = Of("gang");
  gang.scheduler_names = "mine";
  gang.scheduler_lease = "none";
  gang.reserve_after = 0;
  ASSERT_TRUE(settings.Add(gang).ok());
  PlanningOptions options;
  settings.Apply(&options);
  EXPECT_THAT(options.groups.scheduler_names, ElementsAre("mine"));
  EXPECT_EQ(settings.Lease().lease.name, "");
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
      {"reserve-after", [](DeskTerms* t, bool other) { t->reserve_after = other ? 0 : 5; }},
      {"lease", [](DeskTerms* t, bool other) { t->lease = other ? "x/b" : "x/a"; }},
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

TEST(DeskSettings, OfAgentsThatNoneCallsNameTheirOwnLease) {
  DeskSettings settings;
  DeskTerms gang = Of("gang");
  DeskTerms qos = Of("qos");
  gang.mode = qos.mode = Mode::kAlone;
  qos.lease = "jobs/queue";
  ASSERT_TRUE(settings.Add(gang).ok());
  EXPECT_EQ(settings.mode(), Mode::kAlone);
  EXPECT_EQ(settings.OwnLease().namespace_, "kube-system");
  EXPECT_EQ(settings.OwnLease().name, "outrigger-gang");
  EXPECT_EQ(settings.OwnLease().lease_duration, std::chrono::seconds(15));
  ASSERT_TRUE(settings.Add(qos).ok());
  EXPECT_EQ(settings.OwnLease().namespace_, "jobs");
  EXPECT_EQ(settings.OwnLease().name, "queue");
}

// Whichever comes first.
TEST(DeskSettings, HaveOneModeForAllAgents) {
  for (const Mode first : {Mode::kAlone, Mode::kExtender}) {
    DeskSettings settings;
    DeskTerms gang = Of("gang");
    DeskTerms qos = Of("qos");
    const bool alone = first == Mode::kAlone;
    gang.mode = first;
    qos.mode = alone ? Mode::kExtender : Mode::kAlone;
    ASSERT_TRUE(settings.Add(gang).ok());
    const absl::Status status = settings.Add(qos);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(fmt::format("mode: \"{}\" is not accepted: --gang.mode is \"{}\", and "
                                      "agents of one process plan together; set --qos.mode=",
                                      alone ? "extender" : "alone", alone ? "alone" : "extender")));
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
      {"lease: \"mine\" is not accepted; expected NAMESPACE/NAME",
       [](DeskTerms* t) { t->lease = "mine"; }},
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

// What is not an agent's own to say follows from the mode, whatever agents have adjusted.
TEST(Desk, ActsByTheModeOfItsAgents) {
  for (const Mode mode : {Mode::kAlone, Mode::kExtender}) {
    PlanningOptions seen;
    SchedulerFacts facts;
    facts.members_only = true;
    const bool alone = mode == Mode::kAlone;
    if (alone) facts.samples_nodes = false;
    testing::FakeCluster cluster;
    Desk desk(&cluster, {}, {}, facts);
    DeskTerms gang = Of("gang");
    gang.mode = mode;
    DeskTerms last = Of("watcher");
    last.mode = mode;
    last.adjust = [&seen](PlanningOptions* options) { seen = *options; };
    ASSERT_TRUE(desk.Join(gang).ok());
    ASSERT_TRUE(desk.Join(last).ok());
    EXPECT_EQ(seen.mode, mode);
    EXPECT_EQ(seen.asks_about_all, std::optional(false));
    EXPECT_EQ(seen.nominations.samples_nodes, !alone) << "as by default, unless the file says";
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
