#include "eviction/evictor_testing.h"

namespace outrigger::gang {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

// Whoever did not fit beside the places that were kept may fit without them.
TEST_F(EvictorAloneTest, EvictsNobodyOnTheWordOfAPlanWhosePromiseHasEnded) {
  Nodes(2);
  Put(Member("low", 0, 1, "4"), 10, "n0");
  Put(Member("promised", 0, 1, "4"), 20);
  Put(Member("high", 0, 1, "4"), 1000);
  cluster_.OnEvict(
      [](const std::string&, bool) { return absl::ResourceExhaustedError("a budget forbids it"); });
  evictor_.Start();
  plan::PlanOptions stale;
  stale.promise = plan::Promise{LabelsGang("promised"), {{"uid-promised-0", "n1"}}};
  Tell(stale);
  cluster_.RemovePod("promised-0");
  Put(Member("other", 0, 1, "4"), 500);
  Plan();
  Await([&] { return !log().empty(); });
  EXPECT_THAT(log().front(), StartsWith("gang default/other: no pod is evicted for it"));
}

TEST_F(EvictorAloneTest, NobodyIsEvictedIfOneOfThemMayNotBe) {
  TwoGangsForOne();
  std::atomic<int> asked{0};
  cluster_.OnEvict([&](const std::string& pod, bool dry_run) {
    EXPECT_TRUE(dry_run);
    ++asked;
    return pod == "low-1" ? absl::ResourceExhaustedError("a budget forbids it") : absl::OkStatus();
  });
  evictor_.Start();
  Plan();
  Await([&] { return changed_ > 0; });  // it is through
  EXPECT_GE(asked, 2);
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
}

TEST_F(EvictorAloneTest, ASinglePodIsLeftToTheSchedulerWhereThatCanHelpIt) {
  Nodes(2);
  Put(testing::MakePod("web").Requests({{"cpu", "4"}}), 10, "n0");
  for (int i = 0; i < 2; ++i) Put(Member("low", i, 2, "2"), 20, "n1");
  Put(testing::MakePod("urgent").Requests({{"cpu", "4"}}), 1000);
  evictor_.Start();
  Plan();
  Await([&] { return changed_ > 0; });  // it is through
  EXPECT_FALSE(Prepared().first);
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
}

TEST_F(EvictorAloneTest, GoesOnWithAGangOfWhichSomebodyWasEvictedOnceItIsInChargeAgain) {
  Nodes(1);
  for (int i = 0; i < 2; ++i) {
    Put(Member("low", i, 2, "2"), 10, "n0");
    Put(Member("high", i, 2, "2"), 1000);
  }
  cluster_.OnEvict([this](const std::string& pod, bool dry_run) {
    if (dry_run || pod == "low-0" || not_in_leadership_ > 0) return absl::OkStatus();
    in_leadership_ = false;
    return absl::ResourceExhaustedError("a budget forbids it");
  });
  evictor_.Start();
  PlanPromise();
  Await([&] { return not_in_leadership_ > 0; });
  EXPECT_THAT(cluster_.evictions(), ElementsAre("low-0"));
  in_leadership_ = true;
  Await([&] { return cluster_.evictions().size() > 1; });
  EXPECT_THAT(cluster_.evictions(), ElementsAre("low-0", "low-1"));
}

// The other one's agent has seen to the rest, which may be whole by now.
TEST_F(EvictorAloneTest, LeavesWhatItHasBegunToAnotherThatIsInCharge) {
  TwoGangsForOne();
  cluster_.OnEvict([this](const std::string& pod, bool dry_run) {
    if (dry_run || pod == "low-0") return absl::OkStatus();
    held_by_another_ = true;
    in_leadership_ = false;
    return absl::ResourceExhaustedError("a budget forbids it");
  });
  evictor_.Start();
  PlanPromise();
  Await([&] { return !Prepared().first; });
  EXPECT_THAT(cluster_.evictions(), ElementsAre("low-0"));
  EXPECT_THAT(Prepared().second, IsEmpty());
  EXPECT_EQ(log().back(),
            "gang default/high: no further pod is evicted for it: the Lease is another's");
}

TEST_F(EvictorAloneTest, SparesGangsOfWhichNobodyWasEvictedOnceTheyNeedNotGo) {
  TwoGangsForOne();
  CutLow();
  for (int i = 0; i < 4; ++i) cluster_.RemovePod(fmt::format("high-{}", i));
  Plan();
  Await([&] { return Prepared().second.size() == 2; });
  EXPECT_THAT(Prepared().second, ElementsAre("uid-low-0", "uid-low-1"));
  budget_ = false;
  Await([&] { return Preempted().size() > 1; });
  EXPECT_THAT(cluster_.evictions(), ElementsAre("low-0", "low-1"));
  EXPECT_THAT(log(), Contains("gang default/high: it no longer needs nodes of gang default/mid (2 "
                              "pods); none of these pods is evicted"));
  EXPECT_THAT(Preempted(), UnorderedElementsAre("low-0", "low-1"));
}

// It was one member short while its Job made it anew.
TEST_F(EvictorAloneTest, LooksForVictimsAnewWhereItSparedSomebodyTooSoon) {
  TwoGangsForOne();
  CutLow();
  cluster_.RemovePod("high-3");
  Plan();
  Await([&] { return Prepared().second.size() == 2; });
  Put(Member("high", 3, 4, "2"), 1000);
  Plan();
  budget_ = false;
  Await([&] {
    Plan();
    return !Prepared().first;
  });
  EXPECT_THAT(cluster_.evictions(), ElementsAre("low-0", "low-1"));
  EXPECT_EQ(log().back(),
            "gang default/high is not placed: 2 pods were evicted in vain: it seemed to fit for a "
            "moment without evictions; no pod is evicted for it for 300s");
  ahead_ = std::chrono::seconds(301);
  Plan();
  Await([&] { return Prepared().first.has_value(); });
  EXPECT_THAT(Prepared().second, ElementsAre("uid-mid-0", "uid-mid-1"));
}

TEST_F(EvictorAloneTest, AGangThatIsCutWhenItsTimeIsOverGoesWholeAndNobodyElse) {
  TwoGangsForOne();
  CutLow();
  const int before = changed_;
  ahead_ = std::chrono::seconds(301);
  Plan();
  Await([&] { return Prepared().second.size() == 2; });
  Await([&] { return changed_ > before; });  // that others stay is news for the next plan
  budget_ = false;
  Await([&] { return cluster_.evictions().size() > 1; });
  EXPECT_THAT(cluster_.evictions(), ElementsAre("low-0", "low-1"));
  EXPECT_THAT(log(), Contains("gang default/high: time ran out for gang default/mid (2 pods); none "
                              "of these pods is evicted"));
}

TEST_F(EvictorAloneTest, EndsInTimeThoughNobodyCouldBeEvicted) {
  TwoGangsForOne();
  cluster_.OnEvict([this](const std::string&, bool dry_run) {
    if (dry_run) return absl::OkStatus();
    ahead_ = std::chrono::seconds(301);
    return absl::ResourceExhaustedError("a budget forbids it");
  });
  evictor_.Start();
  PlanPromise();
  Await([&] { return !Prepared().first; });
  EXPECT_EQ(log().back(),
            "gang default/high is not placed: no pod could be evicted in time; no "
            "pod is evicted for it for 300s");
  EXPECT_EQ(counted_.values["preemptions_total expired"], 1);
}

TEST_F(EvictorAloneTest, AUnitThatIsGoneJustAsItsTimeIsOverIsNotPaused) {
  TwoGangsForOne();
  std::atomic<bool> began = false;
  std::atomic<bool> ended = false;
  cluster_.OnEvict([&](const std::string&, bool dry_run) {
    if (dry_run) return absl::OkStatus();
    began = true;
    Await([&] { return ended.load(); });
    return absl::ResourceExhaustedError("a budget forbids it");
  });
  evictor_.Start();
  PlanPromise();
  Await([&] { return began.load(); });
  for (int i = 0; i < 4; ++i) cluster_.RemovePod(fmt::format("high-{}", i));
  Plan();
  ahead_ = std::chrono::seconds(301);
  ended = true;
  Await([&] { return !Prepared().first; });
  EXPECT_EQ(counted_.values["preemptions_total ended"], 1);
  evictor_.Stop();
}

// There is no gang to be cut.
TEST_F(EvictorAloneTest, ASinglePodOfWhichNobodyKnowsWhetherItWasEvictedStays) {
  Nodes(2);
  Put(Member("low", 0, 1, "4"), 10, "n0");
  Pod single = testing::MakePod("single").Requests({{"cpu", "4"}});
  Put(single, 10, "n1");
  for (int i = 0; i < 2; ++i) Put(Member("high", i, 2, "4"), 1000);
  std::atomic<int> calls{0};
  cluster_.OnEvict([&](const std::string&, bool dry_run) {
    if (dry_run) return absl::OkStatus();
    ++calls;
    return absl::DeadlineExceededError("no answer");
  });
  evictor_.Start();
  PlanPromise();
  Await([&] { return calls >= 2; });
  for (int i = 0; i < 2; ++i) cluster_.RemovePod(fmt::format("high-{}", i));
  Plan();
  Await([&] { return Prepared().second.size() == 1; });
  EXPECT_THAT(Prepared().second, ElementsAre("uid-low-0"));
  evictor_.Stop();
}

// Its answer was lost, and then there is no such pod.
TEST_F(EvictorAloneTest, ASinglePodThatIsGoneAfterAllIsNoneThatStays) {
  Nodes(2);
  Put(Member("low", 0, 1, "4"), 10, "n0");
  Put(testing::MakePod("single").Requests({{"cpu", "4"}}), 10, "n1");
  for (int i = 0; i < 2; ++i) Put(Member("high", i, 2, "4"), 1000);
  std::atomic<int> of_single{0};
  cluster_.OnEvict([&](const std::string& pod, bool dry_run) {
    if (dry_run) return absl::OkStatus();
    if (pod != "single") return absl::ResourceExhaustedError("a budget forbids it");
    return of_single++ == 0 ? absl::DeadlineExceededError("no answer") : absl::NotFoundError("");
  });
  evictor_.Start();
  PlanPromise();
  Await([&] { return of_single >= 2; });
  ahead_ = std::chrono::seconds(301);
  Await([&] {
    Plan();
    return !Prepared().first;
  });
  EXPECT_THAT(log(), Contains("gang default/high: time ran out for gang default/low (1 pods); none "
                              "of these pods is evicted"));
  EXPECT_EQ(log().back(),
            "gang default/high is not placed: it did not fit in time; no pod is evicted for it for "
            "300s");
  evictor_.Stop();
}

TEST_F(EvictorAloneTest, AGangOfWhichSomebodyMayHaveBeenEvictedGoesWhole) {
  TwoGangsForOne();
  std::atomic<bool> lost{true};
  std::atomic<int> calls{0};
  cluster_.OnEvict([&](const std::string& pod, bool dry_run) {
    if (dry_run) return absl::OkStatus();
    ++calls;
    if (!pod.starts_with("low")) return absl::ResourceExhaustedError("a budget forbids it");
    return lost ? absl::DeadlineExceededError("no answer") : absl::OkStatus();
  });
  evictor_.Start();
  PlanPromise();
  Await([&] { return calls >= 4; });
  for (int i = 0; i < 4; ++i) cluster_.RemovePod(fmt::format("high-{}", i));
  Plan();
  Await([&] { return Prepared().second.size() == 2; });
  lost = false;
  Await([&] { return cluster_.evictions().size() > 1; });
  EXPECT_THAT(cluster_.evictions(), UnorderedElementsAre("low-0", "low-1"));
  evictor_.Stop();
}

TEST_F(EvictorAloneTest, TellsNobodyThatHeIsEvictedBeforeItMayBe) {
  TwoGangsForOne();
  evictor_.Start();
  Plan();
  Await([&] { return changed_ > 0; });
  in_leadership_ = false;
  Plan();
  Await([&] { return !Prepared().first; });
  EXPECT_THAT(cluster_.events(), IsEmpty());
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
}

// Nor in the middle of a round.
TEST_F(EvictorAloneTest, EvictsNobodyElseOnceItMayWriteNoMore) {
  TwoGangsForOne();
  may_write_ = false;
  evictor_.Start();
  PlanPromise();
  Await([&] { return !cluster_.events().empty(); });
  evictor_.Stop();
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
}

// The plan that ends it was made with it: it still keeps the places.
TEST_F(EvictorAloneTest, IsLookedAtOnceMoreAfterTheEndOfAPromise) {
  TwoGangsForOne();
  evictor_.Start();
  PlanPromise();
  Await([&] { return cluster_.evictions().size() == 4 && changed_ > 1; });
  for (int i = 0; i < 4; ++i) cluster_.RemovePod(fmt::format("high-{}", i));
  Plan();
  EXPECT_TRUE(Prepared().first) << "a member may come back";
  ahead_ = std::chrono::seconds(11);
  const Time before = std::chrono::steady_clock::now() + ahead_.load();
  Plan();
  EXPECT_FALSE(Prepared().first);
  ASSERT_TRUE(evictor_.next_look());
  EXPECT_GE(*evictor_.next_look(), before);
  EXPECT_LE(*evictor_.next_look(), std::chrono::steady_clock::now() + ahead_.load());
}

}  // namespace
}  // namespace outrigger::gang
