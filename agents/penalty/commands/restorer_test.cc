#include "penalty/commands/restorer.h"

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "penalty/classes/replace/passage.h"
#include "penalty/classes/replacement.h"
#include "penalty/commands/penalty_testing.h"

namespace outrigger::cli {
namespace {

using testing::CallFate;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ObjectCall;

class RestorerTest : public ::testing::Test {
 protected:
  RestorerTest() {
    cluster_.PutClass("bronze", 100);
    cluster_.PutClass("gold", 700, "1000");
    cluster_.PutClass("silver", 500, "600");
    clock_.wall = [this] {
      return std::chrono::system_clock::time_point(std::chrono::milliseconds(now_));
    };
    clock_.sleep = [this](Clock::Duration time, const std::stop_token& term) {
      const bool is_pause = time >= std::chrono::seconds(1);  // not one between attempts
      if (is_pause && meanwhile_) meanwhile_();
      now_ += std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
      return !term.stop_requested();
    };
  }
  // Class gold is at its base, and its new pods get gold-at-700; others have been mapped before.
  void Map() {
    cluster_.PutClass("gold", 1000);
    cluster_.AddAccount("gold", 1000, 700);
    cluster_.WriteJournal();
    for (const int32_t value : {700, 800, 900}) cluster_.PutStandIn("gold", value);
    cluster_.PutMapping({{"gold", "gold-at-700"}});
  }
  // Those of the classes that are there.
  std::vector<std::string> StandIns() const {
    std::vector<std::string> names;
    for (const PriorityClass& one : cluster_.server.Classes()) {
      if (!penalty::StandsFor(one).empty()) names.push_back(one.name);
    }
    return names;
  }
  void WriteJournal() {
    cluster_.AddAccount("gold", 1000, 700);
    cluster_.AddAccount("silver", 600, 500);
    cluster_.WriteJournal();
  }
  Restorer Make(const std::string& class_name) {
    lines_.clear();
    notes_.clear();
    return {cluster_.Cluster(),
            {class_name, "kube-system"},
            {[this](const std::string& line) { lines_.push_back(line); },
             [this](const std::string& note) { notes_.push_back(note); }},
            clock_};
  }
  // As the holder of the Lease.
  absl::Status Restore(const std::string& class_name = "") {
    return Make(class_name).Run(term_.get_token());
  }
  absl::StatusOr<penalty::JournalRead> Journal() {
    return penalty::JournalStore(&cluster_.server, "kube-system").Load(kJournalBegan, {});
  }

  FakePenalty cluster_;
  Clock clock_;
  penalty::Millis now_ = kJournalBegan + 10'000;
  std::function<void()> meanwhile_;  // in a long pause
  std::stop_source term_;
  std::stop_source lost_term_;
  std::vector<std::string> lines_;
  std::vector<std::string> notes_;
};

TEST_F(RestorerTest, PutsAllBackAndRemovesTheJournal) {
  WriteJournal();
  const PriorityClass before = *cluster_.server.Find("gold");
  EXPECT_EQ(Restore(), absl::OkStatus());
  EXPECT_THAT(lines_, ElementsAre("gold: 700 -> 1000", "silver: 500 -> 600"));
  EXPECT_EQ(cluster_.ClassText("gold"), "gold=1000");
  EXPECT_EQ(cluster_.ClassText("silver"), "silver=600");
  EXPECT_EQ(cluster_.server.Find("gold")->labels, before.labels);
  EXPECT_EQ(cluster_.server.Find("gold")->description, before.description);
  EXPECT_THAT(cluster_.server.Maps(), IsEmpty());
  EXPECT_THAT(
      cluster_.events,
      ElementsAre("PenaltyRestored gold: value 700 -> 1000, by outrigger penalty restore",
                  "PenaltyRestored silver: value 500 -> 600, by outrigger penalty restore"));
}

TEST_F(RestorerTest, CanBeRunAgain) {
  WriteJournal();
  EXPECT_EQ(Restore(), absl::OkStatus());
  const std::string uid = cluster_.server.Find("gold")->uid;
  EXPECT_EQ(Restore(), absl::OkStatus());
  EXPECT_THAT(lines_, ElementsAre("nothing to restore"));
  EXPECT_EQ(cluster_.server.Find("gold")->uid, uid);
}

TEST_F(RestorerTest, TakesOneClassOutOfTheJournal) {
  WriteJournal();
  EXPECT_EQ(Restore("gold"), absl::OkStatus());
  EXPECT_THAT(lines_, ElementsAre("gold: 700 -> 1000"));
  EXPECT_EQ(cluster_.ClassText("silver"), "silver=500 of 600");
  const auto journal = Journal();
  ASSERT_TRUE(journal.ok());
  EXPECT_THAT(journal->findings, IsEmpty());
  EXPECT_EQ(journal->ledger.Find("gold"), nullptr);
  ASSERT_NE(journal->ledger.Find("silver"), nullptr);
  EXPECT_EQ(journal->ledger.Find("silver")->changes.size(), 1U);
}

TEST_F(RestorerTest, GoesByAnnotationsWithoutAJournal) {
  EXPECT_EQ(Restore(), absl::OkStatus());
  EXPECT_THAT(lines_, ElementsAre("gold: 700 -> 1000", "silver: 500 -> 600"));
}

TEST_F(RestorerTest, GoesByAnnotationsWhereTheJournalIsDamaged) {
  WriteJournal();
  for (ConfigMap map : cluster_.server.Maps()) {
    for (auto& [key, text] : map.data) text += "x";
    cluster_.server.PutMap(map);
  }
  EXPECT_EQ(Restore(), absl::OkStatus());
  EXPECT_THAT(lines_, ElementsAre("gold: 700 -> 1000", "silver: 500 -> 600"));
  EXPECT_THAT(notes_, Contains(HasSubstr("journal: ConfigMap outrigger-penalty-classes-0")));
  EXPECT_THAT(cluster_.server.Maps(), IsEmpty());
}

TEST_F(RestorerTest, GoesByTheJournalWhereTheAnnotationIsGone) {
  WriteJournal();
  cluster_.PutClass("gold", 700);
  cluster_.PutClass("silver", 500, "many");
  EXPECT_EQ(Restore(), absl::OkStatus());
  EXPECT_THAT(lines_, ElementsAre("gold: 700 -> 1000", "silver: 500 -> 600"));
}

TEST_F(RestorerTest, LeavesTheClassOfAnotherWriter) {
  WriteJournal();
  cluster_.PutClass("gold", 900);
  const std::string uid = cluster_.server.Find("gold")->uid;
  EXPECT_EQ(Restore("gold"), absl::OkStatus());
  EXPECT_THAT(lines_, ElementsAre("gold: 900, its base"));
  EXPECT_EQ(cluster_.server.Find("gold")->uid, uid);
  EXPECT_EQ(Journal()->ledger.Find("gold"), nullptr);
}

TEST_F(RestorerTest, ForgetsAClassThatAPersonHasDeleted) {
  WriteJournal();
  ASSERT_TRUE(cluster_.server.Remove("gold").ok());
  EXPECT_EQ(Make("gold").Check(), absl::OkStatus());
  EXPECT_EQ(Restore("gold"), absl::OkStatus());
  EXPECT_THAT(lines_, ElementsAre("gold: not in the cluster"));
  EXPECT_EQ(cluster_.ClassText("gold"), "gold is away");
  EXPECT_EQ(Journal()->ledger.Find("gold"), nullptr);
}

TEST_F(RestorerTest, SaysThatAClassHasNoPenalty) {
  WriteJournal();
  EXPECT_EQ(Restore("bronze"), absl::OkStatus());
  EXPECT_THAT(lines_, ElementsAre("bronze: nothing to restore: 100, its base"));
}

TEST_F(RestorerTest, KnowsNoSuchClass) {
  const absl::Status status = Make("glod").Check();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_EQ(status.message(), "there is no PriorityClass glod; did you mean gold?");
  EXPECT_EQ(Restore("glod"), status);
  EXPECT_EQ(Make("").Check(), absl::OkStatus());
}

TEST_F(RestorerTest, LeavesAClassWhoseBaseIsNotKnown) {
  cluster_.PutClass("gold", 700, "many");
  const absl::Status status = Restore();
  EXPECT_TRUE(absl::IsAborted(status));
  EXPECT_EQ(status.message(), "not restored, and kept in the journal: gold");
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("gold: left at 700, since its base is unknown: "),
                                  "silver: 500 -> 600"));
  EXPECT_EQ(cluster_.ClassText("gold"), "gold=700 of many");
}

TEST_F(RestorerTest, KeepsTheJournalOfWhatItCannotPutBack) {
  WriteJournal();
  ASSERT_TRUE(
      cluster_.server.Edit("gold", [](PriorityClass* gold) { gold->finalizers = {"a.example/b"}; })
          .ok());
  EXPECT_TRUE(absl::IsAborted(Restore()));
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("gold: left at 700: "), "silver: 500 -> 600"));
  const auto journal = Journal();
  EXPECT_NE(journal->ledger.Find("gold"), nullptr);
  EXPECT_EQ(journal->ledger.Find("silver"), nullptr);
}

// The agent dies when its DELETE is performed: nothing but the intent knows the class.
TEST_F(RestorerTest, BringsBackAClassThatIsAway) {
  cluster_.PutClass("gold", 1000);
  const auto agent = cluster_.server.Process("agent");
  cluster_.server.OnCall([](const ObjectCall& call) {
    const bool dies = call.client == "agent" && call.Is(ObjectCall::Verb::kDelete, "PriorityClass");
    return dies ? CallFate::DieAfter() : CallFate::Done();
  });
  penalty::Replacer::Options options;
  options.attempts = 1;
  options.run_swap = [](const penalty::SwapCalls& calls) { calls.remove(); };
  penalty::Replacer replacer(
      agent.get(), agent.get(), [](const auto&) { return absl::OkStatus(); }, options);
  penalty::ReplaceRequest wanted;
  wanted.class_name = "gold";
  wanted.base = 1000;
  wanted.target = 400;
  wanted.now = kJournalBegan;
  EXPECT_FALSE(replacer.Replace(wanted, {}).ok());
  ASSERT_EQ(cluster_.ClassText("gold"), "gold is away");

  EXPECT_EQ(Make("gold").Check(), absl::OkStatus());
  EXPECT_EQ(Restore("gold"), absl::OkStatus());
  EXPECT_THAT(notes_, ElementsAre("gold: an unfinished change to 400 is completed"));
  EXPECT_THAT(lines_, ElementsAre("gold: 400 -> 1000"));
  EXPECT_EQ(cluster_.ClassText("gold"), "gold=1000");
  EXPECT_THAT(cluster_.server.Maps(), IsEmpty());
}

TEST_F(RestorerTest, NamesAnIntentThatCannotBeRead) {
  WriteJournal();
  ConfigMap intent;
  intent.namespace_ = "kube-system";
  intent.name = "outrigger-penalty-intent-3";
  intent.data["intent"] = "nonsense";
  cluster_.server.PutMap(intent);
  EXPECT_EQ(Restore("gold"), absl::OkStatus());
  EXPECT_THAT(notes_, Contains(HasSubstr("ConfigMap kube-system/outrigger-penalty-intent-3: ")));
  EXPECT_EQ(Restore().message(),
            "not restored, and kept in the journal: kube-system/outrigger-penalty-intent-3");
  EXPECT_EQ(cluster_.ClassText("silver"), "silver=600");
}

TEST_F(RestorerTest, FailsForAClassThatMayBeAwayByAnIntentThatCannotBeEnded) {
  WriteJournal();
  ConfigMap intent;
  intent.namespace_ = "kube-system";
  intent.name = "outrigger-penalty-intent-3";
  intent.data["intent"] = "nonsense";
  cluster_.server.PutMap(intent);
  ASSERT_TRUE(cluster_.server.Remove("gold").ok());
  EXPECT_FALSE(Restore("gold").ok());
  EXPECT_THAT(
      lines_,
      Contains(HasSubstr("gold: not in the cluster, perhaps because of an unfinished change")));
  EXPECT_NE(Journal()->ledger.Find("gold"), nullptr) << "its account stays";
}

TEST_F(RestorerTest, KeepsStandInsThatAreNamed) {
  Map();
  cluster_.AddPod("runs", "gold-at-700", 700);
  cluster_.AddPod("over", "gold-at-900", 900, "Failed");
  PodGroup group;
  group.priority_class_name = "gold-at-800";
  cluster_.groups = {group};
  EXPECT_EQ(Restore("gold"), absl::OkStatus());
  EXPECT_THAT(lines_, ElementsAre("gold: gold-at-700 -> 1000"));
  EXPECT_THAT(StandIns(), ElementsAre("gold-at-700", "gold-at-800"));
  EXPECT_THAT(notes_, Contains(HasSubstr("gold-at-700 stays")));
  EXPECT_THAT(notes_, Contains(HasSubstr("gold-at-800 stays")));
  cluster_.pods.clear();
  cluster_.groups.clear();
  EXPECT_EQ(Restore(), absl::OkStatus());
  EXPECT_THAT(StandIns(), IsEmpty());
}

TEST_F(RestorerTest, DeletesNoStandInThatAnAPIServerMayStillGive) {
  Map();
  meanwhile_ = [this] {
    EXPECT_THAT(lines_, Contains("gold: gold-at-700 -> 1000")) << "that does not wait";
    cluster_.AddPod("late", "gold-at-700", 700);
  };
  const penalty::Millis began = now_;
  EXPECT_EQ(Restore(), absl::OkStatus());
  EXPECT_GE(now_, began + penalty::Mapper::kKept);
  EXPECT_THAT(StandIns(), ElementsAre("gold-at-700"));
  EXPECT_THAT(cluster_.server.Maps(), IsEmpty());

  // An earlier run may have emptied the map a moment ago.
  cluster_.pods.clear();
  meanwhile_ = [this] { cluster_.AddPod("late", "gold-at-700", 700); };
  EXPECT_EQ(Restore(), absl::OkStatus());
  EXPECT_THAT(StandIns(), ElementsAre("gold-at-700"));
}

TEST_F(RestorerTest, DeletesNoStandInWithoutTheLease) {
  Map();
  meanwhile_ = [this] { lost_term_.request_stop(); };
  EXPECT_EQ(Make("").Run(lost_term_.get_token()).message(),
            "the Lease was lost before everything was done: run this command again");
  EXPECT_THAT(StandIns(), ElementsAre("gold-at-700", "gold-at-800", "gold-at-900"));
}

TEST_F(RestorerTest, LeavesStandInsOfAnotherAgent) {
  Map();
  cluster_.PutStandIn("gold", 600, "team");
  EXPECT_EQ(Restore(), absl::OkStatus());
  EXPECT_THAT(StandIns(), ElementsAre("gold-at-600"));
}

TEST_F(RestorerTest, WritesNothingWithoutTheLease) {
  WriteJournal();
  const std::vector<ConfigMap> maps = cluster_.server.Maps();
  cluster_.server.OnCall([this](const ObjectCall& call) {
    if (call.Is(ObjectCall::Verb::kTry, "PriorityClass")) lost_term_.request_stop();
    return CallFate::Done();
  });
  const absl::Status status = Make("").Run(lost_term_.get_token());
  EXPECT_EQ(status.message(),
            "the Lease was lost before everything was done: run this command again");
  EXPECT_EQ(cluster_.ClassText("gold"), "gold=700 of 1000");
  EXPECT_EQ(cluster_.ClassText("silver"), "silver=500 of 600");
  cluster_.server.OnCall(nullptr);
  EXPECT_EQ(Restore(), absl::OkStatus());
  EXPECT_EQ(cluster_.ClassText("gold"), "gold=1000");
}

}  // namespace
}  // namespace outrigger::cli
