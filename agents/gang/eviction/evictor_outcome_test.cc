// What evictions for a unit came to, and pods that may not be evicted.
#include "eviction/evictor_testing.h"
#include "eviction/whole_eviction.h"

namespace outrigger::gang {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

class EvictorOutcomeTest : public EvictorAloneTest {
 protected:
  // All four victims are evicted and gone, and gang high has its places in the plan.
  void EvictAllForHigh() {
    TwoGangsForOne();
    evictor_.Start();
    PlanPromise();
    Await([&] { return cluster_.evictions().size() == 4 && changed_ > 1; });
    for (const char* pod : {"low-0", "low-1", "mid-0", "mid-1"}) cluster_.RemovePod(pod);
    Plan();
  }
  void After(int seconds) {
    ahead_ = ahead_.load() + std::chrono::seconds(seconds);
    Plan();
  }
  double Ended(const std::string& how) { return counted_.values["preemptions_total " + how]; }
  std::vector<std::string> Failures() const {
    std::vector<std::string> notes;
    for (const ClusterEvent& event : cluster_.events()) {
      if (event.reason == "GangPreemptionFailed") notes.push_back(event.note);
    }
    return notes;
  }
};

TEST_F(EvictorOutcomeTest, AGangIsServedOnceItIsBound) {
  EvictAllForHigh();
  EXPECT_TRUE(Prepared().first);
  EXPECT_EQ(Ended("served"), 0);
  for (int i = 0; i < 4; ++i) Put(Member("high", i, 4, "2"), 1000, i < 2 ? "n0" : "n1");
  Plan();
  EXPECT_FALSE(Prepared().first);
  EXPECT_EQ(Ended("served"), 1);
  EXPECT_THAT(Failures(), IsEmpty());
}

TEST_F(EvictorOutcomeTest, ASinglePodIsServedOnceItIsBound) {
  Nodes(1);
  for (int i = 0; i < 2; ++i) Put(Member("low", i, 2, "2"), 10, "n0");
  Put(testing::MakePod("urgent").Requests({{"cpu", "4"}}), 1000);
  evictor_.Start();
  PlanPromise();
  Await([&] { return cluster_.evictions().size() == 2 && changed_ > 1; });
  for (const char* pod : {"low-0", "low-1"}) cluster_.RemovePod(pod);
  for (int plans = 0; plans < 2; ++plans) Plan();
  EXPECT_EQ(Ended("served"), 0) << "it has its place";
  Put(testing::MakePod("urgent").Requests({{"cpu", "4"}}), 1000, "n0");
  Plan();
  EXPECT_EQ(Ended("served"), 1);
}

// What comes in the place of others' pods is not heard of, and takes their places.
TEST_F(EvictorOutcomeTest, VictimsAreThoseOfTheSchedulersThatItIsToldOf) {
  schedulers_ = {"batch"};
  Nodes(2);
  const auto of_batch = [](Pod pod) {
    pod.scheduler_name = "batch";
    return pod;
  };
  for (int i = 0; i < 2; ++i) {
    Put(Member("low", i, 2, "2"), 10, "n0");
    Put(of_batch(Member("mid", i, 2, "2")), 20, "n1");
    Put(of_batch(Member("high", i, 2, "2")), 1000);
  }
  evictor_.Start();
  PlanPromise();
  Await([&] { return cluster_.evictions().size() == 2; });
  EXPECT_THAT(cluster_.evictions(), UnorderedElementsAre("mid-0", "mid-1"));
}

TEST_F(EvictorOutcomeTest, PlacesThatOthersTakeAreLostAndNoPodGoesForAGrowingTime) {
  EvictAllForHigh();
  for (const int pause : {300, 600}) {
    Put(testing::MakePod("thief").Requests({{"cpu", "4"}}), 10, "n0");
    Plan();
    EXPECT_TRUE(Prepared().first) << "they may be back in a moment";
    After(11);
    EXPECT_FALSE(Prepared().first);
    EXPECT_THAT(Failures().back(), AllOf(StartsWith("gang default/high is not placed: "),
                                         EndsWith(fmt::format("evicted for it for {}s", pause))));
    cluster_.RemovePod("thief");
    Plan();  // it fits for a moment
    Put(testing::MakePod("thief").Requests({{"cpu", "4"}}), 10, "n0");
    After(pause - 5);
    EXPECT_FALSE(Prepared().first);
    const size_t evictions = cluster_.evictions().size();
    const int before = changed_;
    After(6);
    Await([&] { return changed_ > before; });
    Plan();
    Await([&] { return cluster_.evictions().size() > evictions && changed_ > before + 1; });
    cluster_.RemovePod("thief");
    Plan();
  }
  EXPECT_EQ(Ended("lost"), 2);
  EXPECT_EQ(Ended("served"), 0);
  EXPECT_THAT(Failures(), ElementsAre(HasSubstr(": 4 pods were evicted in vain: other pods took"),
                                      HasSubstr(": 1 pods were evicted in vain: other pods took")));
}

TEST_F(EvictorOutcomeTest, AGangThatFitsIsGivenTimeToBeBound) {
  EvictAllForHigh();
  After(290);
  EXPECT_TRUE(Prepared().first);
  After(11);
  EXPECT_FALSE(Prepared().first);
  EXPECT_THAT(Failures(), ElementsAre(HasSubstr("it has nodes but was not bound in time")));
}

// Else their replacements, about which no call is made, would take the places.
TEST_F(EvictorOutcomeTest, NoPodIsEvictedBeforeTheUnitIsNominatedWhereOthersAreNotAskedAbout) {
  TwoGangsForOne();
  asks_about_all_ = false;
  evictor_.Start();
  PlanPromise();
  EXPECT_THAT(Prepared().second, SizeIs(4));
  const auto promised = Prepared().first->nodes;
  for (int i = 0; i < 4; ++i) {
    EXPECT_THAT(cluster_.evictions(), IsEmpty());
    const std::string pod = fmt::format("high-{}", i);
    cluster_.Change(pod,
                    [&](Pod* member) { member->nominated_node_name = promised.at("uid-" + pod); });
    Plan();
  }
  Await([&] { return cluster_.evictions().size() == 4; });
}

TEST_F(EvictorOutcomeTest, NoPodIsEvictedWhereNominationsDoNotStay) {
  TwoGangsForOne();
  asks_about_all_ = false;
  evictor_.Start();
  PlanPromise();
  After(11);
  EXPECT_FALSE(Prepared().first);
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
  EXPECT_THAT(log().back(), HasSubstr("kube-scheduler does not keep its nominations"));
  const auto why = HasSubstr("does not keep its nominations");
  EXPECT_THAT(evictor_.WhyNobody(LabelsGang("high")), why);
  EXPECT_THAT(Failures(), ElementsAre(why));
  After(6);
  Await([&] { return Prepared().first.has_value(); });
  Plan();
  EXPECT_THAT(evictor_.WhyNobody(LabelsGang("high")), why) << "nothing has changed";
  After(11);
  EXPECT_FALSE(Prepared().first);
  EXPECT_THAT(Failures(), ElementsAre(why)) << "it is said once";
}

class Refusal : public EvictorOutcomeTest {
 protected:
  // Gang low on n0 and pod web on n1; one of them is enough for gang high.
  void LowOrWeb() {
    Nodes(2);
    for (int i = 0; i < 2; ++i) Put(Member("low", i, 2, "2"), 10, "n0");
    Put(testing::MakePod("web").Requests({{"cpu", "4"}}), 20, "n1");
    for (int i = 0; i < 2; ++i) Put(Member("high", i, 2, "2"), 1000);
  }
};

TEST_F(Refusal, TheNextSetIsTriedWhereThatOfACheaperOneIsRefused) {
  LowOrWeb();
  std::vector<std::string> asked;
  cluster_.OnEvict([&](const std::string& pod, bool dry_run) {
    if (dry_run) asked.push_back(pod);
    return pod.starts_with("low") ? absl::InternalError("admission webhook w denied the request")
                                  : absl::OkStatus();
  });
  evictor_.Start();
  PlanPromise();
  Await([&] { return cluster_.evictions().size() == 1; });
  EXPECT_THAT(cluster_.evictions(), ElementsAre("web"));
  EXPECT_THAT(asked, ElementsAre("low-0", "low-1", "web"));
  EXPECT_THAT(Failures(),
              Contains("gang default/high cannot get the node of pod default/low-0 and 1 more, "
                       "which is not evicted for 300s: admission webhook w denied the request; "
                       "change what rejects the eviction if the pod may go"));
}

TEST_F(Refusal, OfEachIsToldAndTheReasonNamesThem) {
  LowOrWeb();
  cluster_.OnEvict(
      [&](const std::string&, bool) { return absl::PermissionDeniedError("a policy denied it"); });
  evictor_.Start();
  Plan();
  Await([&] { return changed_ > 0; });
  EXPECT_EQ(evictor_.WhyNobody(LabelsGang("high")),
            "3 pods of lower priority may not be evicted (default/web, default/low-0, "
            "default/low-1): a policy denied it");
  EXPECT_THAT(Failures().back(), StartsWith("gang default/high is not placed: 3 pods of lower"));
}

// A dry run is not asked of each webhook.
TEST_F(Refusal, OfTheEvictionItselfEndsTheRound) {
  LowOrWeb();
  cluster_.RemovePod("low-0");
  cluster_.RemovePod("low-1");
  Put(testing::MakePod("a").Requests({{"cpu", "4"}}), 10, "n0");
  std::atomic<int> refused = 0;
  cluster_.OnEvict([&](const std::string& pod, bool dry_run) {
    if (dry_run || pod != "a") return absl::OkStatus();
    ++refused;
    return absl::PermissionDeniedError("a policy denied it");
  });
  evictor_.Start();
  PlanPromise();
  Await([&] { return !Prepared().first; });
  EXPECT_EQ(refused, 3);
  EXPECT_THAT(Failures(),
              ElementsAre(HasSubstr("the node of pod default/a, which is not evicted")));
  After(6);
  Await([&] { return Prepared().first.has_value(); });
  EXPECT_THAT(Prepared().second, ElementsAre("uid-web"));
}

// A webhook that does not answer may do so again in a moment.
TEST_F(Refusal, OfAWebhookThatFailsForAMomentIsForgottenSoon) {
  LowOrWeb();
  std::atomic<bool> fails = true;
  cluster_.OnEvict([&](const std::string&, bool) {
    return fails ? absl::InternalError("failed calling webhook \"w\"") : absl::OkStatus();
  });
  evictor_.Start();
  Plan();
  Await([&] { return changed_ > 0; });
  fails = false;
  After(11);
  Await([&] { return Prepared().first.has_value(); });
}

TEST_F(Refusal, OfAWebhookThatFailsEndsTheRoundOfAGangOfWhichNobodyWasEvicted) {
  LowOrWeb();
  cluster_.OnEvict([&](const std::string&, bool dry_run) {
    return dry_run ? absl::OkStatus() : absl::InternalError("failed calling webhook \"w\"");
  });
  evictor_.Start();
  PlanPromise();
  Await([&] { return !Prepared().first; });
  EXPECT_THAT(log().back(), AllOf(StartsWith("gang default/high: no pod is evicted for it: pod"),
                                  EndsWith("failed calling webhook \"w\"")));
}

TEST_F(Refusal, OfAWebhookThatFailsIsWaitedForOnceSomebodyWasEvicted) {
  TwoGangsForOne();
  std::atomic<int> failed = 0;
  cluster_.OnEvict([&](const std::string& pod, bool dry_run) {
    const bool fails = !dry_run && pod.starts_with("mid") && failed < 12;
    if (fails && Preempted().size() == 2) ++failed;
    if (fails && failed == 0) Await([&] { return Preempted().size() == 2; });
    return fails ? absl::InternalError("failed calling webhook \"w\"") : absl::OkStatus();
  });
  evictor_.Start();
  PlanPromise();
  Await([&] { return cluster_.evictions().size() == 4; });
}

struct AnswerRow {
  absl::Status status;
  Answer answer;
};

TEST(AnswerOf, TellsWhetherThePodStaysAndForHowLong) {
  const AnswerRow rows[] = {
      {absl::OkStatus(), Answer::kEvicted},
      {absl::NotFoundError("pods \"a\" not found"), Answer::kGone},
      {absl::AbortedError("another UID"), Answer::kGone},
      {absl::NotFoundError("admission webhook \"w\" denied the request: no"), Answer::kRefused},
      {absl::UnavailableError("admission webhook \"w\" denied the request: no"), Answer::kRefused},
      {absl::UnauthenticatedError("ValidatingAdmissionPolicy 'p' with binding 'b' denied request"),
       Answer::kRefused},
      {absl::InternalError("This pod has more than one PodDisruptionBudget, which the eviction "
                           "subresource does not support."),
       Answer::kRefused},
      {absl::PermissionDeniedError("no right"), Answer::kRefused},
      {absl::ResourceExhaustedError("a budget"), Answer::kBudget},
      {absl::InternalError("Internal error occurred: failed calling webhook \"w\": refused"),
       Answer::kFails},
      {absl::UnauthenticatedError("the token is old"), Answer::kFails},
      {absl::InternalError("etcdserver: request timed out"), Answer::kLost},
      {absl::UnavailableError("no connection"), Answer::kLost},
      {absl::DeadlineExceededError("no answer"), Answer::kLost},
  };
  for (const AnswerRow& row : rows) {
    EXPECT_EQ(AnswerOf(row.status), row.answer) << row.status.message();
  }
}

TEST(Refusals, LeavePodsOutForAGrowingTime) {
  Refusals refusals;
  Time now{};
  using std::chrono::seconds;
  for (const absl::Status& answer : {absl::ResourceExhaustedError("spent"),
                                     absl::InternalError("failed calling webhook \"w\"")}) {
    for (const int wait : {10, 20, 40, 80, 160, 300, 300}) {
      EXPECT_EQ(refusals.Add(std::string(answer.message()), answer, now), seconds(wait));
    }
  }
  for (const int wait : {300, 600, 1200, 2400, 3600, 3600}) {
    EXPECT_EQ(refusals.Add("hooked", absl::PermissionDeniedError("no"), now), seconds(wait));
    now += seconds(wait - 1);
    EXPECT_EQ(refusals.Of(now).at("hooked"), "no");
    now += seconds(1);
    EXPECT_THAT(refusals.Of(now), IsEmpty());
  }
}

}  // namespace
}  // namespace outrigger::gang
