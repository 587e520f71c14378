#include <atomic>
#include <future>
#include <string>
#include <thread>

#include "calls/commit.h"
#include "desk_testing.h"
#include "gmock/gmock.h"

namespace outrigger::gang {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class CommitTest : public ::testing::Test {
 protected:
  CommitTest() {
    cluster_.Put(testing::MakeNode("n1"));
    cluster_.Put(testing::MakePod("train-0"));
  }
  // Every bind call fails so, but the last of `count`.
  void FailUntil(int count, absl::Status error) {
    cluster_.OnBind([this, count, error](const std::string&) {
      return ++asked_ < count ? error : absl::OkStatus();
    });
  }
  bool Assumed() {
    const auto view = cluster_.Take();
    const auto pod = view->snapshot->FindPod("default", "train-0");
    return pod.has_value() && pod->IsAssumed();
  }

  testing::FakeCluster cluster_;
  std::atomic<int> asked_{0};
  const BindRequest request_{
      .pod_namespace = "default", .pod_name = "train-0", .pod_uid = "uid-train-0", .node = "n1"};
};

TEST_F(CommitTest, OfAMemberIsTriedUntilItIsBound) {
  for (const absl::Status& error :
       {absl::UnavailableError("x"), absl::ResourceExhaustedError("x"), absl::InternalError("x")}) {
    asked_ = 0;
    FailUntil(30, error);  // more often than a client tries by itself
    Committer committer(&cluster_, seconds(60));
    EXPECT_EQ(committer.CommitMember(request_, 4, milliseconds(0)), absl::OkStatus());
    EXPECT_EQ(asked_, 30);
  }
}

TEST_F(CommitTest, OfAMemberEndsWhereTryingDoesNotHelp) {
  for (const absl::Status& error : {absl::NotFoundError("gone"), absl::AbortedError("elsewhere"),
                                    absl::PermissionDeniedError("no")}) {
    asked_ = 0;
    FailUntil(2, error);
    Committer committer(&cluster_, seconds(60));
    EXPECT_EQ(committer.CommitMember(request_, 4, milliseconds(0)), error);
    EXPECT_EQ(asked_, 1);
    EXPECT_FALSE(Assumed()) << "its place is free again";
  }
}

TEST_F(CommitTest, OfAMemberEndsWithItsTime) {
  FailUntil(1'000'000'000, absl::UnavailableError("down"));
  Committer committer(&cluster_, milliseconds(20));
  EXPECT_EQ(committer.CommitMember(request_, 4, milliseconds(1)), absl::UnavailableError("down"));
  EXPECT_TRUE(Assumed()) << "it may be bound all the same";
}

// Another replica plans what is left of the gang.
TEST_F(CommitTest, EndsWhenThisReplicaIsNotInChargeAnyMore) {
  FailUntil(1'000'000'000, absl::UnavailableError("down"));
  const auto may_write = [this](const CallLimits& limits) -> absl::StatusOr<desk::WritePermit> {
    EXPECT_LE(limits.timeout, seconds(10)) << "it is asked again by then";
    if (asked_ >= 3) return absl::UnavailableError("not in charge");
    return desk::WritePermit{.limits = limits};
  };
  Committer committer(&cluster_, std::chrono::hours(1), may_write);
  EXPECT_EQ(committer.CommitMember(request_, 4, milliseconds(0)),
            absl::UnavailableError("not in charge"));
  EXPECT_EQ(asked_, 3);
  EXPECT_TRUE(Assumed()) << "it may be bound all the same";
}

TEST_F(CommitTest, IsNotBegunByWhoIsNotInCharge) {
  Committer committer(&cluster_, seconds(60), [](const CallLimits& /*limits*/) {
    return absl::UnavailableError("not in charge");
  });
  EXPECT_EQ(committer.Commit(request_), absl::UnavailableError("not in charge"));
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
  EXPECT_FALSE(Assumed());
}

TEST_F(CommitTest, OfASingleEndsWhenItsCallerHasGone) {
  const auto client = std::make_unique<std::stop_source>();
  BindRequest request = request_;
  request.abandoned = client->get_token();
  cluster_.OnBind([&](const std::string&) {
    if (++asked_ == 3) client->request_stop();
    return absl::UnavailableError("down");
  });
  Committer committer(&cluster_, std::chrono::hours(1));
  EXPECT_EQ(committer.Commit(request, milliseconds(0)), absl::UnavailableError("down"));
  EXPECT_EQ(asked_, 3);
}

TEST_F(CommitTest, OfASingleKeepsItsPlaceIfNobodyKnowsWhetherItIsBound) {
  Committer committer(&cluster_, milliseconds(0));
  FailUntil(2, absl::DeadlineExceededError("no answer"));
  EXPECT_EQ(committer.Commit(request_), absl::DeadlineExceededError("no answer"));
  EXPECT_TRUE(Assumed());
  FailUntil(3, absl::AbortedError("elsewhere"));
  EXPECT_EQ(committer.Commit(request_), absl::AbortedError("elsewhere"));
  EXPECT_FALSE(Assumed());
}

TEST_F(CommitTest, OfAMemberEndsWhenTheAgentStops) {
  FailUntil(1'000'000'000, absl::UnavailableError("down"));
  Committer committer(&cluster_, std::chrono::hours(1));
  absl::Status status;
  std::jthread call(
      [&] { status = committer.CommitMember(request_, 4, std::chrono::minutes(30)); });
  while (asked_ == 0) std::this_thread::yield();
  committer.Stop();
  call.join();
  EXPECT_EQ(status, absl::UnavailableError("down"));
}

TEST_F(CommitTest, WhatIsTriedEndsWithATermAndWhatComesInTheNextIsTried) {
  FailUntil(2, absl::UnavailableError("down"));
  Committer committer(&cluster_, std::chrono::hours(1));
  absl::Status status;
  std::jthread call(
      [&] { status = committer.CommitMember(request_, 4, std::chrono::minutes(30)); });
  while (asked_ == 0) std::this_thread::yield();
  committer.EndTerm();
  call.join();
  EXPECT_EQ(status, absl::UnavailableError("down"));
  EXPECT_EQ(committer.CommitMember(request_, 4), absl::OkStatus());
}

// More at once would each want a connection, and the API server could only queue them.
TEST_F(CommitTest, OfManyAtOnceAFewAreWritten) {
  constexpr int kMembers = 100;
  std::atomic<int> begun{0};
  std::atomic<int> under_way{0};
  std::atomic<int> most{0};
  for (int i = 1; i < kMembers; ++i) cluster_.Put(testing::MakePod(fmt::format("train-{}", i)));
  cluster_.OnBind([&](const std::string&) {
    const int now = ++under_way;
    for (int known = most; known < now && !most.compare_exchange_weak(known, now);) {
    }
    while (begun < kMembers) std::this_thread::yield();  // until all want to be bound
    --under_way;
    return absl::OkStatus();
  });
  Committer committer(&cluster_, seconds(60));
  {
    std::vector<std::jthread> calls;
    for (int i = 0; i < kMembers; ++i) {
      calls.emplace_back([&, i] {
        const std::string name = fmt::format("train-{}", i);
        const std::string uid = "uid-" + name;
        BindRequest request = request_;
        request.pod_name = name;
        request.pod_uid = uid;
        ++begun;
        EXPECT_EQ(committer.CommitMember(request, kMembers), absl::OkStatus());
      });
    }
  }
  EXPECT_THAT(cluster_.bindings(), ::testing::SizeIs(kMembers));
  EXPECT_LE(most, 32);
}

TEST_F(CommitTest, AMemberThatIsNotInChargeAnyMoreBeforeItsTurnGivesItsPlaceBack) {
  int asked = 0;
  Committer committer(&cluster_, seconds(60), [&](const CallLimits& limits) {
    ++asked;
    return asked == 1 ? absl::StatusOr<desk::WritePermit>(desk::WritePermit{.limits = limits})
                      : absl::UnavailableError("not in charge");
  });
  EXPECT_EQ(committer.CommitMember(request_, 4), absl::UnavailableError("not in charge"));
  EXPECT_FALSE(Assumed());
}

TEST_F(CommitTest, OfAMemberDoesNotCareWhetherItsCallerHasGone) {
  const auto client = std::make_unique<std::stop_source>();
  client->request_stop();
  BindRequest gone = request_;
  gone.abandoned = client->get_token();
  Committer committer(&cluster_, seconds(60));
  EXPECT_EQ(committer.CommitMember(gone, 4), absl::OkStatus());
  EXPECT_THAT(cluster_.bindings(), ElementsAre(Pair("train-0", "n1")));
}

TEST_F(CommitTest, ABindingCountsBeforeTheWatchShowsIt) {
  cluster_.OnBind([this](const std::string&) {
    EXPECT_TRUE(Assumed());
    return absl::AbortedError("elsewhere");
  });
  Committer committer(&cluster_, seconds(60));
  EXPECT_FALSE(committer.Commit(request_).ok());
  EXPECT_FALSE(Assumed()) << "it has failed";
}

// A pod that no plan has seen is read before it is bound.
TEST_F(CommitTest, OfAnUnseenPodIsForPodsWithoutAGroup) {
  MakeBoard board;
  Committer committer(&cluster_, seconds(60));
  EXPECT_EQ(committer.ReadSingle(*board.Make(), request_)->name, "train-0");
  cluster_.Put(testing::MakePod("train-0").Label("podGroup", "train").Label("minAvailable", "2"));
  EXPECT_THAT(std::string(committer.ReadSingle(*board.Make(), request_).status().message()),
              HasSubstr("gang default/train waits: members"));
  Pod another = testing::MakePod("train-0");
  another.uid = "uid-another";
  cluster_.Put(another);
  EXPECT_THAT(std::string(committer.ReadSingle(*board.Make(), request_).status().message()),
              HasSubstr("was replaced by a new pod"));
  cluster_.RemovePod("train-0");
  EXPECT_TRUE(absl::IsNotFound(committer.ReadSingle(*board.Make(), request_).status()));
}

// A gang of two on n1, of 3 of its 4 cpu, and a single pod that asks for some.
class SingleBesideAGang : public ::testing::Test {
 protected:
  SingleBesideAGang() : barriers_({}) {
    board_.AddGang("train", 2, 2, "1500m");
    board_.AddSingle(testing::MakePod("small").Requests({{"cpu", "1"}}));
    board_.AddSingle(testing::MakePod("large").Requests({{"cpu", "2"}}));
    made_ = board_.Make();
    barriers_.OnPlan(made_);
  }
  absl::Status Check(const std::string& pod) {
    return CheckCommitting(*made_, barriers_, *made_->Find("uid-" + pod)->pod, "n1");
  }
  // Both members are let through and not bound yet.
  void LetThrough() {
    const auto arrive = [this](const char* uid) {
      return std::jthread([this, uid] {
        (void)barriers_.Wait({.gang = LabelsGang("train"),
                              .uid = uid,
                              .name = uid,
                              .node = "n1",
                              .role = "",
                              .abandoned = {}});
      });
    };
    const std::jthread one = arrive("uid-train-0");
    const std::jthread other = arrive("uid-train-1");
  }

  MakeBoard board_;
  std::shared_ptr<const Board> made_;
  Barriers barriers_;
};

TEST_F(SingleBesideAGang, IsBoundWhileNobodyIsBeingBound) {
  EXPECT_EQ(Check("large"), absl::OkStatus()) << "the scheduler has the last word";
}

TEST_F(SingleBesideAGang, IsNotBoundToAPlaceOfAGangThatIsBeingBound) {
  LetThrough();
  EXPECT_THAT(std::string(Check("large").message()),
              HasSubstr("gang default/train is being bound to n1"));
  EXPECT_EQ(Check("small"), absl::OkStatus()) << "there is room beside it";
  const Pod unseen = testing::MakePod("unseen").Requests({{"cpu", "2"}});
  EXPECT_FALSE(CheckCommitting(*made_, barriers_, unseen, "n1").ok()) << "no plan has seen it";
  for (const char* uid : {"uid-train-0", "uid-train-1"}) {
    barriers_.Bound(LabelsGang("train"), uid, true);
  }
  EXPECT_EQ(Check("large"), absl::OkStatus());
}

class BindSlotsTest : public ::testing::Test {
 protected:
  // Takes a slot on a thread of its own, and waits until that waits.
  std::jthread Wait(const std::string& name, std::stop_token stop = {}) {
    const size_t before = slots_.waiting();
    std::jthread waiter([this, name, stop] {
      const auto slot = slots_.Take(stop);
      const std::lock_guard<std::mutex> lock(mutex_);
      order_.push_back(slot == nullptr ? name + " gave up" : name);
    });
    while (slots_.waiting() == before) std::this_thread::yield();
    return waiter;
  }

  BindSlots slots_{2};
  std::mutex mutex_;
  std::vector<std::string> order_;
};

TEST_F(BindSlotsTest, WhoComesFirstIsServedFirst) {
  auto first = slots_.Take({});
  auto second = slots_.Take({});
  auto a = Wait("a");
  auto b = Wait("b");
  auto c = Wait("c");
  first.reset();
  for (std::jthread* waiter : {&a, &b, &c}) waiter->join();
  EXPECT_THAT(order_, ElementsAre("a", "b", "c"));
}

TEST_F(BindSlotsTest, WhoIsStoppedGivesUpItsTurn) {
  auto first = slots_.Take({});
  auto second = slots_.Take({});
  std::stop_source stop;
  auto a = Wait("a", stop.get_token());
  auto b = Wait("b");
  stop.request_stop();
  a.join();
  second.reset();
  b.join();
  EXPECT_THAT(order_, ElementsAre("a gave up", "b"));
  EXPECT_EQ(slots_.Take(stop.get_token()), nullptr);
}

TEST_F(BindSlotsTest, WhatWasGivenBackIsFree) {
  for (int i = 0; i < 5; ++i) {
    const auto first = slots_.Take({});
    const auto second = slots_.Take({});
    EXPECT_NE(second, nullptr);
  }
}

}  // namespace

}  // namespace outrigger::gang
