#include "penalty/commands/journal_pages.h"

#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"
#include "penalty/commands/penalty_testing.h"

namespace outrigger::cli {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

PodGroup Group(const std::string& name, const std::string& phase, const std::string& mark) {
  PodGroup group;
  group.dialect = Dialect::kVolcano;
  group.namespace_ = "team";
  group.name = name;
  group.phase = phase;
  group.queue = "night";
  group.priority_class_name = "gold";
  if (!mark.empty()) group.annotations.Set("outrigger.dev/penalty-counted", mark);
  return group;
}

class JournalPagesTest : public ::testing::Test {
 protected:
  json Read(size_t limit = 100) {
    notes_.clear();
    pages_ = PagesOfJournal(cluster_.Cluster(), {"kube-system", limit, kJournalBegan}, &notes_);
    EXPECT_TRUE(pages_.ok()) << pages_.status();
    return pages_.ok() ? json::parse(PagesJson(*pages_)) : json();
  }

  FakePenalty cluster_;
  absl::StatusOr<std::vector<NamedPage>> pages_;
  std::vector<std::string> notes_;
};

TEST_F(JournalPagesTest, AreEmptyWithoutAJournal) {
  cluster_.PutClass("bronze", 100);
  EXPECT_EQ(Read(), json::parse(R"({"classes":[],"changes":[],"sums":[],"groups":[],"pods":[]})"));
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(JournalPagesTest, HaveWhatTheJournalHas) {
  cluster_.PutClass("gold", 700, "1000");
  cluster_.AddAccount("gold", 1000, 700);
  cluster_.WriteJournal();
  cluster_.groups = {Group("b", "Running", "1 started"), Group("c", "Pending", ""),
                     Group("a", "Completed", "2 completed")};
  const json all = Read();
  EXPECT_EQ(all["classes"], json::parse(R"([{"class":"gold","base":1000,"value":700,
      "penalty":300.0,"floor":-10,"floorOf":"Cluster Autoscaler","starts":3,"completions":1,"state":"penalised","nextValue":null,
      "nextAt":null,"changedAt":"2025-11-24T16:00:01.000Z",
      "replacedAt":"2025-11-24T16:00:02.000Z","gapMicroseconds":4000}])"));
  EXPECT_EQ(all["changes"], json::parse(R"([{"class":"gold","at":"2025-11-24T16:00:02.000Z",
      "before":1000,"after":700,"cause":"start default/job-1","gapMicroseconds":4000}])"));
  EXPECT_EQ(all["groups"], json::parse(R"([
      {"namespace":"team","name":"a","phase":"Completed","class":"gold","queue":"night",
       "counted":"2 completed"},
      {"namespace":"team","name":"b","phase":"Running","class":"gold","queue":"night",
       "counted":"1 started"},
      {"namespace":"team","name":"c","phase":"Pending","class":"gold","queue":"night",
       "counted":"waiting"}])"));
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(JournalPagesTest, SayWhereTheClusterDiffers) {
  cluster_.PutClass("gold", 650, "1000");
  cluster_.PutClass("silver", 600);
  cluster_.PutClass("tin", 40, "50");
  cluster_.AddAccount("gold", 1000, 700);
  cluster_.AddAccount("iron", 300, 200);
  cluster_.AddAccount("silver", 600, 600);
  cluster_.WriteJournal();
  const json all = Read();
  std::vector<std::pair<std::string, std::string>> states;
  for (const json& row : all["classes"]) states.emplace_back(row["class"], row["state"]);
  EXPECT_THAT(states,
              ElementsAre(std::pair("gold", "value 650 in the cluster"),
                          std::pair("iron", "not in the cluster"), std::pair("silver", "at base"),
                          std::pair("tin", "not in the journal")));
}

TEST_F(JournalPagesTest, SayWhatIsDamaged) {
  cluster_.PutClass("gold", 700, "1000");
  cluster_.AddAccount("gold", 1000, 700);
  cluster_.WriteJournal();
  for (ConfigMap map : cluster_.server.Maps()) {
    if (map.data.contains("gold")) map.data["gold"] += "x";
    cluster_.server.PutMap(map);
  }
  cluster_.groups = {Group("a", "Running", "1 started"), Group("b", "Running", "soon")};
  const json all = Read();
  ASSERT_EQ(all["classes"].size(), 1U);
  EXPECT_EQ(all["classes"][0]["state"], "not in the journal");
  EXPECT_EQ(all["classes"][0]["base"], 1000);
  EXPECT_EQ(all["classes"][0]["starts"], 1) << "by the marks of its groups";
  EXPECT_EQ(all["groups"][1]["counted"], "malformed");
  EXPECT_THAT(notes_, ::testing::Contains(HasSubstr("journal: ConfigMap outrigger-penalty-")));
  EXPECT_THAT(notes_, ::testing::Contains(HasSubstr(
                          "PodGroup team/b, annotation outrigger.dev/penalty-counted: ")));
}

TEST_F(JournalPagesTest, CountPodsOfAStandInForItsClass) {
  cluster_.PutClass("gold", 1000);
  cluster_.PutClass("silver", 600);
  cluster_.PutStandIn("gold", 700);
  cluster_.PutStandIn("gold", 900);
  cluster_.AddAccount("gold", 1000, 900);
  cluster_.WriteJournal();
  cluster_.PutMapping({{"gold", "gold-at-900"}});
  cluster_.AddPod("gone", "gold-at-600", 600);
  cluster_.AddPod("new", "gold-at-900", 900);
  cluster_.AddPod("old", "gold-at-700", 700);
  cluster_.AddPod("over", "gold-at-700", 700, "Succeeded");
  cluster_.AddPod("other", "silver", 600);
  EXPECT_EQ(Read()["pods"], json::parse(R"([{"class":"gold","value":900,"pods":2,"lowest":600,
      "examples":"team/gone 600, team/old 700"}])"));
  cluster_.PutMapping({});
  EXPECT_EQ(Read()["pods"][0]["pods"], 3) << "new pods have 1000";
  cluster_.pods_error = absl::PermissionDeniedError("you may not list pods");
  EXPECT_THAT(Read()["pods"], IsEmpty());
  EXPECT_THAT(notes_, ElementsAre("pods: you may not list pods"));
}

TEST_F(JournalPagesTest, KeepToTheLimit) {
  cluster_.AddAccount("gold", 1000, 700);
  cluster_.AddAccount("silver", 600, 500);
  cluster_.WriteJournal();
  EXPECT_EQ(Read(1)["classes"].size(), 1U);
  EXPECT_EQ(pages_->front().table.total(), 2U);
}

}  // namespace
}  // namespace outrigger::cli
