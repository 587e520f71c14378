// The pages "queue", "gangs" and "members".
#include "pages_testing.h"

namespace outrigger::desk {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

void LackMembers(plan::GroupState* group) {
  group->cause = plan::GroupCause::kTooFewMembers;
  group->text = "1 of 3 members exist";
}

struct GangRow {
  std::string name;
  void (*set)(MakeBoard* board);
  std::string expected;  // state, lacks, why
};

class GangState : public ::testing::TestWithParam<GangRow> {};

TEST_P(GangState, ComesOfGroupAndPlan) {
  MakeBoard board;
  GetParam().set(&board);
  EXPECT_THAT(Rows(Filled(*board.Make(), "gangs"), {"state", "lacks", "why"}),
              ElementsAre(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, GangState,
    ::testing::Values(
        GangRow{"AllHaveReservations", [](MakeBoard* board) { board->AddGang("g", 2, 2); },
                "has a place | - | -"},
        GangRow{"SomeOverTheMinimumHaveNone",
                [](MakeBoard* board) {
                  board->AddGang("g", 2, 3);
                  board->Surplus("g", 2);
                },
                "has a place | - | -"},
        GangRow{"DoesNotFit",
                [](MakeBoard* board) {
                  board->AddGang("g", 3, 3);
                  board->Refuse("g", "cpu");
                },
                "waits | cpu | too little cpu is left for 3 members at once"},
        GangRow{"RestsAfterARefusal",
                [](MakeBoard* board) {
                  board->AddGang("g", 3, 3);
                  board->Rest("g", "refused by kube-scheduler: node(s) had a taint");
                },
                "waits | refused by kube-scheduler: node(s) had a taint | refused by "
                "kube-scheduler: node(s) had a taint"},
        GangRow{"LacksMembers",
                [](MakeBoard* board) {
                  board->AddGang("g", 3, 1);
                  board->Change("g", LackMembers);
                },
                "not ready | members | 1 of 3 members exist"},
        GangRow{"HasLostMembers",
                [](MakeBoard* board) {
                  board->AddGang("g", 3, 1);
                  board->Change("g", [](plan::GroupState* group) {
                    LackMembers(group);
                    group->broken = true;
                  });
                },
                "in part | members | 1 of 3 members exist"},
        GangRow{"IsInPartAndDoesNotFit",
                [](MakeBoard* board) {
                  board->AddGang("g", 3, 3);
                  board->Bind("g", 1);
                  board->Refuse("g", "cpu");
                  board->Change("g", [](plan::GroupState* group) { group->broken = true; });
                },
                "in part | cpu | too little cpu is left for 2 members at once"},
        GangRow{"IsInPartAndTheRestHasPlaces",
                [](MakeBoard* board) {
                  board->AddGang("g", 3, 3);
                  board->Bind("g", 1);
                  board->Surplus("g", 2);
                  board->Change("g", [](plan::GroupState* group) { group->broken = true; });
                },
                "has a place | - | -"},
        GangRow{"StartsInPart",
                [](MakeBoard* board) {
                  board->AddGang("g", 3, 3);
                  board->Surplus("g", 1);
                },
                "in part | - | -"},
        GangRow{"RunsAndSomeOverTheMinimumWait",
                [](MakeBoard* board) {
                  board->AddGang("g", 2, 3);
                  board->Bind("g", 2);
                  board->Refuse("g", "cpu");
                },
                "waits | cpu | too little cpu is left for a member"},
        GangRow{"IsBound",
                [](MakeBoard* board) {
                  board->AddGang("g", 2, 2);
                  board->Bind("g", 2);
                },
                "placed | - | -"},
        GangRow{"IsLeftToKubeScheduler",
                [](MakeBoard* board) {
                  board->AddGang("g", 2, 2);
                  board->Change("g", [](plan::GroupState* group) {
                    group->cause = plan::GroupCause::kLeftToScheduler;
                  });
                },
                "left to kube-scheduler | - | kube-scheduler handles it itself (leave-upstream)"},
        GangRow{"MembersAreSingleAndOneWaits",
                [](MakeBoard* board) {
                  board->AddGang("g", 0, 0);
                  board->Change("g", [](plan::GroupState* group) {
                    group->independent = true;
                    group->existing = 2;
                  });
                  board->AddSingle(testing::MakePod("a").Label("podGroup", "g"), "n1");
                  board->AddSingle(testing::MakePod("b").Label("podGroup", "g"));
                },
                "waits | nothing | nothing"}),
    [](const auto& row) { return row.param.name; });

TEST(GangsPage, ShowsThoseThatWaitFirstAndCountsTheirMembers) {
  MakeBoard board;
  board.AddGang("a-runs", 1, 1);
  board.Bind("a-runs", 1);
  board.AddGang("b-lacks", 3, 1);
  board.Change("b-lacks", [](plan::GroupState* group) {
    LackMembers(group);
    group->existing = 1;
    group->queued = 1;
    group->gated = 4;
    group->terminating = 5;
  });
  board.AddGang("c-waits", 2, 2);
  board.Refuse("c-waits", "cpu");
  EXPECT_THAT(Rows(Filled(*board.Make(), "gangs"),
                   {"unit", "minimum", "existing", "bound", "queued", "gated", "terminating"}),
              ElementsAre("default/c-waits | 2 | 0 | 0 | 0 | 0 | 0",
                          "default/b-lacks | 3 | 1 | 0 | 1 | 4 | 5",
                          "default/a-runs | 1 | 0 | 1 | 0 | 0 | 0"));
}

std::string WithFigures(const plan::UnitKey& gang, std::string_view word) {
  return gang.name == "known" && word == "cpu" ? "2 members need cpu 3 each, 1 fits" : "";
}

TEST(DeskPages, SayOfAGangWhatWasWorkedOutForTheSameCause) {
  MakeBoard board;
  for (const char* gang : {"known", "unknown"}) {
    board.AddGang(gang, 2, 2);
    board.Refuse(gang, "cpu");
  }
  for (const char* page : {"queue", "gangs"}) {
    EXPECT_THAT(Rows(Filled(*board.Make(), page, WithFigures), {"unit", "why"}),
                ElementsAre("default/known | 2 members need cpu 3 each, 1 fits",
                            "default/unknown | too little cpu is left for 2 members at once"));
  }
  board.Refuse("known", "memory");
  EXPECT_THAT(Rows(Filled(*board.Make(), "gangs", WithFigures), {"why"})[0],
              "too little memory is left for 2 members at once");
}

TEST(DeskPages, BoundWhatASentenceMaySay) {
  MakeBoard board;
  board.AddGang("g", 2, 2);
  board.Refuse("g", "cpu");
  const auto talks = [](const plan::UnitKey&, std::string_view) {
    return std::string(100'000, 'x');
  };
  EXPECT_THAT(Rows(Filled(*board.Make(), "queue", talks), {"why"}), ElementsAre(SizeIs(1024)));
}

TEST(DeskPages, CountRowsOverTheirBound) {
  MakeBoard board;
  board.PutNode(testing::MakeNode("n2"));
  board.AddGang("a", 1, 3);
  board.AddGang("b", 2, 2);
  board.Bind("b", 1);
  board.AddSingle(testing::MakePod("single"));
  const auto made = board.Make();
  const std::pair<const char*, uint64_t> totals[] = {
      {"queue", 3}, {"gangs", 2}, {"members", 6}, {"nodes", 2}};
  for (const auto& [page, total] : totals) {
    const PageTable table = Filled(*made, page, nullptr, 1);
    EXPECT_THAT(table.rows(), SizeIs(1)) << page;
    EXPECT_EQ(table.total(), total) << page;
  }
}

TEST(DeskPages, AreTakenByTheProgramWithAHelpForEachColumn) {
  for (const PageSpec& page : DeskPages()) {
    EXPECT_EQ(FaultOf(page), "");
    for (const PageColumn& column : page.columns) {
      EXPECT_NE(column.help, "") << page.name << " " << column.name;
    }
  }
  PageTable table({}, 1);
  EXPECT_TRUE(absl::IsNotFound(FillDeskPage("other", *MakeBoard().Make(), nullptr, &table)));
}

TEST(QueuePageOfADesk, CountsMembersThatWantAPlaceAndThoseThatAreBound) {
  MakeBoard board;
  board.AddGang("train", 3, 4);
  board.Bind("train", 1);
  board.AddSingle(testing::MakePod("web"), "n1");
  EXPECT_THAT(
      Rows(Filled(*board.Make(), "queue"), {"position", "unit", "members", "bound", "minimum"}),
      ElementsAre("1 | default/train | 3 | 1 | 3", "2 | default/web | 1 | 0 | 1"));
}

TEST(QueuePageOfADesk, PutsAUnitThatRestsWhereItsRankIs) {
  MakeBoard board;
  for (const char* gang : {"a", "b", "c"}) board.AddGang(gang, 1, 1);
  board.Rest("b", "refused by kube-scheduler");
  const auto made = board.Make();
  EXPECT_EQ(made->units()[2].key.name, "b");
  EXPECT_THAT(Rows(Filled(*made, "queue"), {"unit", "after", "why"}),
              ElementsAre("default/a | - | -",
                          "default/b | default/a | kube-scheduler refused the nodes that have room "
                          "for it",
                          "default/c | default/b | -"));
  EXPECT_THAT(Rows(Filled(*made, "members"), {"unit"}),
              ElementsAre("default/a", "default/b", "default/c"));
}

TEST(MembersPage, ShowsWhereEachPodIsOrIsToGo) {
  MakeBoard board;
  board.AddGang("a", 2, 3);
  board.Bind("a", 1);
  board.AddGang("b", 2, 1);
  board.Refuse("b", "cpu");
  board.KeepRoom("b", "n1");
  board.AddGang("c", 1, 1);
  board.Refuse("c", "cpu");
  board.AddGang("d", 3, 2);
  board.Bind("d", 1);
  board.Change("d", LackMembers);
  board.AddSingle(testing::MakePod("web"));
  EXPECT_THAT(
      Rows(Filled(*board.Make(), "members"), {"unit", "pod", "state", "node"}),
      ElementsAre("default/a | default/a-1 | reserved | n1",
                  "default/a | default/a-2 | reserved | n1", "default/a | default/a-0 | bound | n1",
                  "default/b | default/b-0 | room kept | n1", "default/c | default/c-0 | waits | -",
                  "default/web | default/web | waits | -", "default/d | default/d-1 | waits | -",
                  "default/d | default/d-0 | bound | n1"));
}

TEST(MembersPage, IsEmptyWhereNothingWaits) {
  EXPECT_THAT(Filled(*MakeBoard().Make(), "members").rows(), IsEmpty());
}

}  // namespace
}  // namespace outrigger::desk
