// Each thing that the doctor can find: a configuration that scheduler-config wrote, changed in one
// thing.

#include "cli/doctor/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "doctor_testing.h"
#include "rows_testing.h"

namespace outrigger::cli {
namespace {

using testing::Change;
using testing::Configuration;
using testing::DiagnoseYaml;
using ::testing::ElementsAre;
using testing::FindingRow;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kSafeAndGang;
using testing::NamesOf;
using ::testing::UnorderedElementsAreArray;

class DoctorFinds : public ::testing::TestWithParam<FindingRow> {};

TEST_P(DoctorFinds, ThatAndNothingElse) {
  const FindingRow& row = GetParam();
  const auto diagnosis = DiagnoseYaml(Configuration(row.agents, row.changes), row.told);
  ASSERT_THAT(NamesOf(diagnosis), ElementsAre(row.finding));
  EXPECT_EQ(diagnosis->findings[0].place.path, row.place);
  EXPECT_THAT(diagnosis->findings[0].found, HasSubstr(row.found));
  EXPECT_THAT(diagnosis->findings[0].fix, HasSubstr(row.fix));
}

INSTANTIATE_TEST_SUITE_P(RefusedByTheScheduler, DoctorFinds,
                         ::testing::ValuesIn(testing::RefusedRows()),
                         [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(Urls, DoctorFinds, ::testing::ValuesIn(testing::UrlRows()),
                         [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(Entries, DoctorFinds, ::testing::ValuesIn(testing::EntryRows()),
                         [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(Calls, DoctorFinds, ::testing::ValuesIn(testing::CallRows()),
                         [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(TheWholeScheduler, DoctorFinds,
                         ::testing::ValuesIn(testing::SchedulerRows()),
                         [](const auto& row) { return row.param.name; });

TEST(DoctorFindings, EachHasARow) {
  // In output_test.cc, as text, and in unread_markers_test.cc, group_resources_test.cc,
  // queue_gates_test.cc and published_twice_test.cc, with objects of a cluster.
  std::set<std::string_view> rows = {"field-twice",     "marker-unread",   "group-resource-missing",
                                     "gate-stays",      "gate-missing",    "gang-too-large",
                                     "penalty-no-room", "published-twice", "not-measured"};
  for (const auto& table : {testing::RefusedRows(), testing::UrlRows(), testing::EntryRows(),
                            testing::CallRows(), testing::SchedulerRows()}) {
    for (const FindingRow& row : table) {
      for (const FindingKind& kind : FindingKinds()) {
        if (kind.name == row.finding) rows.insert(kind.name);
      }
    }
  }
  for (const FindingKind& kind : FindingKinds()) EXPECT_EQ(rows.count(kind.name), 1U) << kind.name;
}

struct SchemeRow {
  std::string name;
  std::vector<Change> changes;
  std::vector<std::string> findings;
};

class DoctorWithoutScheme : public ::testing::TestWithParam<SchemeRow> {};

TEST_P(DoctorWithoutScheme, KnowsWhoseTheEntryIs) {
  const auto diagnosis = DiagnoseYaml(Configuration(kSafeAndGang, GetParam().changes));
  EXPECT_THAT(NamesOf(diagnosis), UnorderedElementsAreArray(GetParam().findings));
  EXPECT_EQ(diagnosis->agents.size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, DoctorWithoutScheme,
    ::testing::Values(
        SchemeRow{"Alone", {{"extenders[1].urlPrefix", "127.0.0.1:9875/gang"}}, {"url-malformed"}},
        SchemeRow{"OfAName", {{"extenders[0].urlPrefix", "localhost:9871"}}, {"url-malformed"}},
        SchemeRow{
            "OfWhoPlansAndIsIgnorable",
            {{"extenders[1].urlPrefix", "127.0.0.1:9875/gang"}, {"extenders[1].ignorable", "true"}},
            {"url-malformed", "planner-ignorable"}},
        SchemeRow{
            "WithALongTimeoutAndAPort",
            {{"extenders[0].urlPrefix", "10.0.0.7:9872/safe"}, {"extenders[0].httpTimeout", "30s"}},
            {"url-malformed", "timeout-long", "port-unexpected"}},
        SchemeRow{"WithAVerbThatIsNotServed",
                  {{"extenders[0].urlPrefix", "127.0.0.1:9871/safe"},
                   {"extenders[0].filterVerb", "filtr"}},
                  {"url-malformed", "verb-not-served"}}),
    [](const auto& row) { return row.param.name; });

struct QuietRow {
  std::string name;
  std::vector<Change> changes;
  std::map<std::string, std::string> told;
  std::string agents = kSafeAndGang;
};

class DoctorIsQuiet : public ::testing::TestWithParam<QuietRow> {};

TEST_P(DoctorIsQuiet, About) {
  const QuietRow& row = GetParam();
  EXPECT_THAT(NamesOf(DiagnoseYaml(Configuration(row.agents, row.changes), row.told)), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Rows, DoctorIsQuiet,
    ::testing::Values(
        QuietRow{"WhatSchedulerConfigWrites", {}, {}},
        QuietRow{"AnAgentThatPrepares", {}, {}, "devices"},
        QuietRow{"AnAgentThatPreparesAndOneThatBinds", {}, {}, "gang,devices"},
        QuietRow{"ABindTimeoutThatIsLongEnoughToPrepare",
                 {{"extenders[1].httpTimeout", "15s"}},
                 {},
                 "devices"},
        QuietRow{"AScorerThatIsIgnorable", {{"extenders[0].ignorable", "true"}}, {}, "congestion"},
        QuietRow{"AScorerThatIsNot", {}, {}, "congestion"},
        QuietRow{"AFilterThatIsNotAskedForScores",
                 {{"extenders[0].prioritizeVerb", ""}, {"extenders[0].weight", ""}},
                 {}},
        QuietRow{"ABindEntryBeforeTheOthers",
                 {{"extenders", "[]"},
                  {"extenders[0]",
                   "{urlPrefix: 'http://127.0.0.1:9875/gang', bindVerb: bind, httpTimeout: 5m}"},
                  {"extenders[1]",
                   "{urlPrefix: 'http://127.0.0.1:9875/gang', filterVerb: filter, preemptVerb: "
                   "preempt, prioritizeVerb: prioritize, weight: 1, httpTimeout: 1s, "
                   "nodeCacheCapable: true}"}},
                 {}},
        QuietRow{
            "AnothersScorerWithFullNodes",
            {{"extenders[3]",
              "{urlPrefix: http://127.0.0.1:8082/x, prioritizeVerb: p, weight: 1, httpTimeout: 5s, "
              "ignorable: true}"}},
            {}},
        QuietRow{"AnothersManagedResources",
                 {{"extenders[3]",
                   "{urlPrefix: http://127.0.0.1:8082/x, prioritizeVerb: p, weight: 1, "
                   "managedResources: "
                   "[{name: a.b/c, ignoredByScheduler: true}]}"}},
                 {}},
        QuietRow{"OnlyGroupsOfBoth",
                 {{"extenders[1].managedResources",
                   "[{name: outrigger.dev/gang, ignoredByScheduler: true}]"},
                  {"extenders[2].managedResources",
                   "[{name: outrigger.dev/gang-bind, ignoredByScheduler: true}]"}},
                 {}},
        QuietRow{"ManagedResourcesThatAreCompared",
                 {{"extenders[3]",
                   "{urlPrefix: http://127.0.0.1:8082/x, prioritizeVerb: p, weight: 1, "
                   "managedResources: "
                   "[{name: a.b/c}]}"}},
                 {}},
        QuietRow{"PathsOfTheOriginal",
                 {{"extenders[0].urlPrefix", "http://127.0.0.1:9871/scheduler"},
                  {"extenders[0].filterVerb", "predicates/safe-overload"},
                  {"extenders[0].prioritizeVerb", ""}},
                 {},
                 "safe"},
        QuietRow{"MergedPathsOfOneAgent",
                 {{"extenders[0].urlPrefix", "http://127.0.0.1:9871"}},
                 {},
                 "safe"},
        QuietRow{"MergedPathsOfSeveralAgents",
                 {{"extenders[0].urlPrefix", "http://127.0.0.1:9870/"}},
                 {},
                 "safe"},
        QuietRow{"PlannersOfOneProcess",
                 {{"extenders[0].urlPrefix", "http://127.0.0.1:9870/gang"},
                  {"extenders[1].urlPrefix", "http://127.0.0.1:9870/gang"},
                  {"extenders[2]",
                   "{urlPrefix: 'http://localhost:9870/qos', filterVerb: filter, preemptVerb: "
                   "preempt, httpTimeout: 1s, nodeCacheCapable: true}"}},
                 {},
                 "gang"},
        QuietRow{"LeaseTimesWithoutLeaderElection",
                 {{"leaderElection", "{leaderElect: false, renewDeadline: 20s}"}},
                 {{"--gang.scheduler-lease", "none"}}},
        QuietRow{"TruthAsYaml11HasIt", {{"extenders[0].nodeCacheCapable", "yes"}}, {}},
        QuietRow{"NoLimitOfRequests",
                 {{"clientConnection.qps", "-1"}, {"clientConnection.burst", ""}},
                 {}},
        QuietRow{"EmptyAndNullFields",
                 {{"profiles", "null"},
                  {"leaderElection", "null"},
                  {"extenders[0].bindVerb", "''"},
                  {"extenders[0].managedResources", "[]"}},
                 {}},
        QuietRow{"TlsThatIsChecked",
                 {{"extenders[0].urlPrefix", "https://10.0.0.7:9871/safe"},
                  {"extenders[0].enableHTTPS", "true"},
                  {"extenders[0].tlsConfig", "{caFile: /ca, certFile: /crt, keyFile: /key}"}},
                 {}},
        QuietRow{"APortThatTheAgentIsTold",
                 {{"extenders[0].urlPrefix", "http://127.0.0.1:7000/safe"}},
                 {{"--port", "7000"}},
                 "safe"},
        QuietRow{"ASecondSchedulerThatTheAgentIsTold",
                 {{"profiles", "[{schedulerName: mine}]"},
                  {"leaderElection", "{resourceName: mine, resourceNamespace: jobs}"}},
                 {{"--gang.scheduler-names", "mine"}, {"--gang.scheduler-lease", "jobs/mine"}}},
        QuietRow{"ASecondSchedulerWhoseFileTheAgentReads",
                 {{"profiles", "[{schedulerName: mine}]"},
                  {"leaderElection", "{resourceName: mine, resourceNamespace: jobs}"}},
                 {}},
        QuietRow{"ABindTimeoutThatTheAgentReads", {{"extenders[2].httpTimeout", "2m"}}, {}}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::cli
