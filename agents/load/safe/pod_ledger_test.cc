#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "gmock/gmock.h"
#include "pod_ledger_testing.h"

namespace outrigger::safe {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST_F(SafeLedger, AddsPodsUntilTheMeasurementHoldsThem) {
  Begin();
  EXPECT_EQ(Of("a"), 0);
  day_.Set(10);
  day_.Bind("p", "a", 10);
  EXPECT_EQ(Of("a"), 500);
  EXPECT_EQ(Of("b"), 0);
  EXPECT_THAT(ledger_->Find("a")->correction, ElementsAre(500, 1000));
  day_.Set(60);
  Measure("a", 60);
  EXPECT_THAT(Of("a"), DoubleNear(250, 1e-9));
  day_.Set(110);
  Measure("a", 110);
  EXPECT_EQ(Of("a"), 0);
}

TEST_F(SafeLedger, TakesPodsThatWereThereBeforeTheFirstLook) {
  day_.Bind("old", "a", -500);
  day_.Bind("young", "a", -25);
  Begin();
  EXPECT_THAT(Of("a"), DoubleNear(375, 1e-9));
}

// All pods of a together ask for four times what is used there.
TEST_F(SafeLedger, TakesOffWhatHasGoneAtItsPartOfWhatWasMeasured) {
  day_.Bind("goes", "a", -500, "1");
  day_.Bind("stays", "a", -500, "3");
  Begin();
  day_.cluster().RemovePod("goes");
  EXPECT_THAT(Of("a"), DoubleNear(-250, 1e-9)) << "1000 of 4000 millicores are used";
  day_.cluster().Put(Measured("a")
                         .Annotation("mean-free-cpu", "2000")
                         .Annotation(std::string(kMeasuredAnnotation), MeasuredText(0, 100)));
  EXPECT_THAT(Of("a"), DoubleNear(-1000, 1e-9)) << "8000 are, and no more than it asked for";
}

TEST_F(SafeLedger, TakesAssumedPodsAsOnTheirWay) {
  Begin();
  day_.cluster().Put(testing::MakePod("p").Requests({{"cpu", "2"}}));
  const std::string uid = day_.cluster().Get("p").uid;
  ASSERT_TRUE(day_.cluster().Assume({"default", "p", uid}, "a").ok());
  EXPECT_EQ(Of("a"), 2000);
  day_.cluster().Forget({"default", "p", uid});
  EXPECT_EQ(Of("a"), 0) << "it was never there";
}

TEST_F(SafeLedger, RemembersPodsThatWereDeletedByWhenThatWasHeardOf) {
  day_.Bind("p", "a", -500);
  day_.Bind("other", "b", -500);
  Begin();
  day_.Set(20);
  day_.cluster().RemovePod("p");
  day_.Set(30);
  Measure("a", 30);
  EXPECT_THAT(Of("a"), DoubleNear(-500 * 0.9, 1e-9));

  // Without a call, and without another change for long: the time is still that of the change.
  day_.Set(40);
  Measure("a", 40);
  Of("a");
  day_.cluster().RemovePod("other");
  day_.Set(90);
  Measure("b", 90);
  EXPECT_THAT(Of("b"), DoubleNear(-500 * 0.5, 1e-9));
}

TEST_F(SafeLedger, RemembersPodsThatFinishedByWhenTheyEnded) {
  day_.Bind("p", "a", -500);
  Begin();
  day_.Set(30);
  day_.Finish("p", 20);
  Measure("a", 30);
  EXPECT_THAT(Of("a"), DoubleNear(-500 * 0.9, 1e-9));
  day_.cluster().RemovePod("p");  // as its controller does in the end
  EXPECT_THAT(Of("a"), DoubleNear(-500 * 0.9, 1e-9));
  day_.Set(120);
  Measure("a", 120);
  EXPECT_EQ(Of("a"), 0);
}

TEST_F(SafeLedger, TakesPodsThatHadFinishedBeforeTheFirstLook) {
  day_.Bind("p", "a", -500);
  day_.Bind("long ago", "a", -500);
  day_.Finish("p", -50);
  day_.Finish("long ago", -200);
  Begin();
  EXPECT_THAT(Of("a"), DoubleNear(-250, 1e-9));
}

TEST_F(SafeLedger, SeesAPodThatTookTheNameOfAnother) {
  day_.Bind("p-0", "a", -500);
  Begin();
  day_.Set(1);
  day_.cluster().RemovePod("p-0");
  day_.Bind("p-0", "a", 1, "2");
  EXPECT_THAT(Of("a"), DoubleNear(2000 - 500, 1e-9));
}

TEST_F(SafeLedger, FollowsAPodThatStartsLaterThanItIsBound) {
  Begin();
  day_.Set(10);
  day_.Bind("p", "a", 10);
  day_.Set(100);
  day_.cluster().Change("p", [](Pod* pod) { pod->start_time = kStart + 60; });
  Measure("a", 100);
  EXPECT_THAT(Of("a"), DoubleNear(500 * 0.6, 1e-9));
}

TEST_F(SafeLedger, WithoutTheAnnotationGoesByTheChangeOfTheStatistics) {
  day_.cluster().Put(Measured("c"));
  Begin();
  EXPECT_EQ(WindowOf("c"), (Window{0, 60}));
  day_.Set(30);
  day_.cluster().Put(Measured("c").Label("zone", "x"));
  EXPECT_EQ(WindowOf("c"), (Window{0, 60})) << "the same statistics";
  day_.cluster().Put(Measured("c").Label("zone", "x").Annotation("mean-free-cpu", "8000"));
  EXPECT_EQ(WindowOf("c"), (Window{30, 60}));
  day_.Bind("p", "c", 0);
  EXPECT_THAT(Of("c"), DoubleNear(250, 1e-9));
}

TEST_F(SafeLedger, WithAnAnnotationThatCannotBeReadGoesWithoutIt) {
  Begin();
  day_.Set(30);
  day_.cluster().Put(Measured("a").Annotation(std::string(kMeasuredAnnotation), "soon"));
  EXPECT_EQ(WindowOf("a"), (Window{30, 60}));
}

TEST_F(SafeLedger, BelievesNoEndThatLiesInTheFuture) {
  Begin();
  day_.Set(10);
  Measure("a", 5000);
  EXPECT_EQ(WindowOf("a"), (Window{10, 100}));
  day_.Set(50);
  day_.Bind("p", "a", 50);
  EXPECT_EQ(Of("a"), 500);
}

TEST_F(SafeLedger, BelievesNoBeginThatLiesInTheFuture) {
  Begin();
  day_.Set(10);
  day_.Bind("p", "a", 10);
  day_.cluster().Change("p", [](Pod* pod) { pod->start_time = kStart + 1'000'000; });
  EXPECT_EQ(Of("a"), 500);
  day_.Set(60);
  Measure("a", 60);
  EXPECT_THAT(Of("a"), DoubleNear(250, 1e-9)) << "since it was bound";
  // Nor an end: it would count for ever.
  day_.Finish("p", 1'000'000);
  EXPECT_THAT(Of("a"), DoubleNear(-250, 1e-9));
  day_.Set(200);
  Measure("a", 200);
  EXPECT_EQ(Of("a"), 0);
}

TEST_F(SafeLedger, ExpectsTheDefaultOfPodsThatAskNothing) {
  Begin();
  day_.Set(1);
  Pod pod = testing::MakePod("p");
  pod.node_name = "a";
  pod.scheduled_time = kStart + 1;
  day_.cluster().Put(pod);
  EXPECT_EQ(Of("a"), 100);
  EXPECT_THAT(ledger_->Find("a")->correction, ElementsAre(100, 50));
}

TEST_F(SafeLedger, ExpectsRequestsOrLimitsTimesTheFactor) {
  Pod pod = testing::MakePod("p").Requests({{"cpu", "1"}, {"memory", "300"}});
  pod.containers[0].limits.Set("cpu", testing::Q("3"));
  pod.node_name = "a";
  pod.scheduled_time = kStart + 1;
  day_.Set(1);
  day_.cluster().Put(pod);
  Begin({.basis = Estimate::Basis::kRequests, .factors = {0.5, 0.5}, .defaults = {}});
  Of("a");
  EXPECT_THAT(ledger_->Find("a")->correction, ElementsAre(500, 150));
  Begin({.basis = Estimate::Basis::kLimits, .factors = {2, 2}, .defaults = {}});
  Of("a");
  EXPECT_THAT(ledger_->Find("a")->correction, ElementsAre(6000, 600));
}

TEST_F(SafeLedger, StaysFiniteWhateverPodsAskFor) {
  Begin();
  day_.Set(1);
  for (const char* cpu : {"1e15", "1E", "9e200", "-1e15"}) {
    day_.Bind(fmt::format("p{}", cpu), "a", 1, cpu);
  }
  EXPECT_GT(Of("a"), 1e18);
  EXPECT_TRUE(std::isfinite(Of("a")));
  for (const char* cpu : {"1e15", "1E", "9e200", "-1e15"}) {
    day_.cluster().RemovePod(fmt::format("p{}", cpu));
  }
  EXPECT_EQ(Of("a"), 0);
}

TEST_F(SafeLedger, HoldsManyShortPodsInLittle) {
  Begin();
  Measure("a", 0, 10'000);
  // One pod after the other, each for four seconds of ten: 40 percent of 500 millicores.
  for (int64_t i = 0; i < 1000; ++i) {
    day_.Set(10 * i);
    day_.Bind("job", "a", day_.now());
    day_.Set(10 * i + 4);
    day_.cluster().RemovePod("job");
  }
  day_.Set(10'000);
  Measure("a", 10'000, 10'000);
  EXPECT_THAT(Of("a"), DoubleNear(-0.4 * 500, 1));
  day_.Set(15'000);
  Measure("a", 15'000, 10'000);
  EXPECT_THAT(Of("a"), DoubleNear(-0.2 * 500, 10)) << "half of the window";
}

TEST_F(SafeLedger, KnowsNothingWhileTheViewIsTooOldAndSaysSoOnce) {
  day_.Bind("p", "a", -25);
  Begin();
  day_.cluster().SetUsable(absl::UnavailableError("pods: no word for 90 s"));
  for (int i = 0; i < 3; ++i) {
    ledger_->CatchUp();
    EXPECT_EQ(ledger_->Find("a"), std::nullopt);
  }
  EXPECT_THAT(warnings_, ElementsAre(::testing::HasSubstr("pods: no word for 90 s")));
  EXPECT_TRUE(ledger_->TakeChanges().all);
  day_.cluster().SetUsable(absl::OkStatus());
  EXPECT_THAT(Of("a"), DoubleNear(375, 1e-9));
  EXPECT_TRUE(ledger_->TakeChanges().all);
  day_.cluster().SetUsable(absl::UnavailableError("pods: no word for 90 s"));
  ledger_->CatchUp();
  EXPECT_EQ(warnings_.size(), 2U);
}

TEST_F(SafeLedger, TellsWhichNodesAreAnotherMatterNow) {
  day_.Bind("old", "a", -500);
  Begin();
  const auto changes = [this] {
    ledger_->CatchUp();
    ChangedNodes changed = ledger_->TakeChanges();
    EXPECT_FALSE(changed.all);
    return changed.revisions;
  };
  EXPECT_THAT(changes(), IsEmpty());
  day_.Bind("p", "b", 1);
  EXPECT_THAT(changes(), ElementsAre(day_.Seen("b").revision));
  EXPECT_THAT(changes(), IsEmpty());
  day_.cluster().Change("old", [](Pod* pod) { pod->labels = {{"a", "b"}}; });
  EXPECT_THAT(changes(), IsEmpty()) << "nothing that counts";
  day_.Set(1);
  Measure("a", 1);
  day_.cluster().RemovePod("p");
  EXPECT_THAT(changes(), UnorderedElementsAre(day_.Seen("a").revision, day_.Seen("b").revision));
}

TEST_F(SafeLedger, ForgetsWhatChangedWhereNobodyAsks) {
  Begin();
  for (int i = 0; i < 20; ++i) {
    day_.Set(i);
    day_.Bind(fmt::format("p{}", i), "a", i);
    ledger_->CatchUp();
  }
  const ChangedNodes changed = ledger_->TakeChanges();
  EXPECT_TRUE(changed.all);
  EXPECT_THAT(changed.revisions, IsEmpty());
}

TEST_F(SafeLedger, FollowsNodesThatComeAndGo) {
  Begin();
  day_.Set(1);
  day_.Bind("p", "b", 1);
  EXPECT_EQ(Of("b"), 500);
  day_.cluster().RemoveNode("a");
  EXPECT_EQ(Of("a"), -1e9);
  EXPECT_EQ(Of("b"), 500);
  day_.cluster().RemoveNode("b");
  day_.cluster().Put(Measured("c"));
  Measure("a", 1);
  EXPECT_EQ(Of("b"), -1e9);
  EXPECT_EQ(Of("c"), 0);
  EXPECT_EQ(Of("a"), 0);
  Measure("b", 1);
  EXPECT_EQ(Of("b"), 500) << "its pod is still bound there";
}
TEST_F(SafeLedger, IsThreadSafe) {
  Begin();
  std::thread changes([this] {
    for (int i = 0; i < 200; ++i) {
      day_.cluster().Put(Measured("a").Annotation("mean-free-cpu", std::to_string(i)));
      Pod pod = testing::MakePod("p").Requests({{"cpu", "1"}});
      pod.node_name = "b";
      day_.cluster().Put(pod);
      day_.cluster().RemovePod("p");
    }
  });
  for (int i = 0; i < 200; ++i) {
    Of(i % 2 == 0 ? "a" : "b");
    ledger_->TakeChanges();
  }
  changes.join();
}

}  // namespace
}  // namespace outrigger::safe
