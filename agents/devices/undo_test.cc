// Bindings that fail, or that seem to: what is given back, and what stays.
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "devices_testing.h"
#include "gmock/gmock.h"
#include "settings.h"

namespace outrigger::devices::agent {
namespace {

class DevicesUndo : public DevicesTest {
 protected:
  DevicesUndo() {
    PutNodes(1, 4);
    PutClaim("c", 3);
    Start();
    pod_ = PutPodOf("p", "c");
  }

  BindRequest Request() const { return {pod_.namespace_, pod_.name, pod_.uid, "n1"}; }
  absl::Status PreBind() { return prebinder().PreBind(Request()); }
  void PostBind() { prebinder().PostBind(Request()); }
  void Undo(const absl::Status& why, bool may_be_bound) {
    prebinder().UndoPreBind(Request(), {why, may_be_bound});
  }
  /// A bind call whose binding fails so, after `meanwhile`.
  void BindInVain(
      const absl::Status& why, const std::function<void()>& meanwhile = [] {}) {
    ASSERT_TRUE(PreBind().ok());
    meanwhile();
    Undo(why, MayBeBound(why));
  }
  void Arrive() {
    cluster_.Change("p", [](Pod* pod) { pod->node_name = "n1"; });
  }
  /// "Allocated, Confirmed" of claim and entry.
  std::string State() {
    std::string state = StatusOf(kClaimKind, "c").value("state", "nothing");
    for (const Json& entry : StatusOf(kPoolKind, "n1-0").value("allocations", Json::array())) {
      state += ", " + entry.value("state", "");
    }
    return state;
  }

  Pod pod_;

 private:
  PreBinder& prebinder() { return dynamic_cast<PreBinder&>(agent_->agent()); }
};

// The binding arrived, its answer was lost, and what it was answered the next time says nothing.
TEST_F(DevicesUndo, ARefusalDoesNotFreeWhatABoundPodHas) {
  for (const absl::Status& refusal :
       {absl::ResourceExhaustedError("429"), absl::PermissionDeniedError("403"),
        absl::CancelledError("the caller disconnected"), absl::AbortedError("conflict")}) {
    BindInVain(refusal, [&] { Arrive(); });
    EXPECT_EQ(State(), "Allocated, Confirmed") << refusal;
  }
}

TEST_F(DevicesUndo, ARefusalFreesWhatAPodThatIsNotBoundGot) {
  BindInVain(absl::PermissionDeniedError("403"));
  EXPECT_EQ(State(), "Pending");
}

TEST_F(DevicesUndo, AnAbandonedCallDoesNotFreeWhatAnEarlierOneBound) {
  BindInVain(absl::UnavailableError("no answer"));
  EXPECT_EQ(State(), "Allocated, Intent");
  Arrive();
  ASSERT_TRUE(PreBind().ok());
  Undo(absl::CancelledError("the caller disconnected"), false);
  EXPECT_EQ(State(), "Allocated, Confirmed");
}

TEST_F(DevicesUndo, AnAbandonedCallDoesNotFreeWhatAnEarlierOneMayBindYet) {
  BindInVain(absl::UnavailableError("no answer"));
  ASSERT_TRUE(PreBind().ok());
  Undo(absl::CancelledError("the caller disconnected"), false);
  EXPECT_EQ(State(), "Allocated, Intent");
  Arrive();
  ASSERT_TRUE(PreBind().ok());
  PostBind();
  EXPECT_EQ(State(), "Allocated, Confirmed");
}

TEST_F(DevicesUndo, ABoundPodThatIsBoundAgainKeepsItsDevices) {
  ASSERT_TRUE(PreBind().ok());
  Arrive();
  PostBind();
  for (const absl::Status& refusal :
       {absl::PermissionDeniedError("403"), absl::UnavailableError("no answer")}) {
    BindInVain(refusal);
    EXPECT_EQ(State(), "Allocated, Confirmed") << refusal;
  }
  cluster_.custom().Before(
      [](const testing::CustomWrite&) { return absl::ResourceExhaustedError("429"); });
  EXPECT_FALSE(PreBind().ok());
  EXPECT_EQ(State(), "Allocated, Confirmed");
}

// Whatever ends a call: the next one is not refused as if the first were still under way.
TEST_F(DevicesUndo, WhatIsThrownDoesNotKeepThePodFromBeingBoundAgain) {
  const auto throwing = [](const testing::CustomWrite&) -> absl::Status {
    throw std::runtime_error("out of memory");
  };
  cluster_.custom().Before(throwing);
  EXPECT_THROW((void)PreBind(), std::runtime_error);
  Undo(absl::InternalError("thrown"), false);
  cluster_.custom().Before(nullptr);
  ASSERT_TRUE(PreBind().ok());
  cluster_.custom().Before(throwing);
  EXPECT_THROW(Undo(absl::AbortedError("no"), false), std::runtime_error);
  cluster_.custom().Before(nullptr);
  ASSERT_TRUE(PreBind().ok());
  Arrive();
  cluster_.custom().Before(throwing);
  EXPECT_THROW(PostBind(), std::runtime_error);
  cluster_.custom().Before(nullptr);
  EXPECT_TRUE(PreBind().ok());
  PostBind();
  EXPECT_EQ(State(), "Allocated, Confirmed");
}

TEST_F(DevicesUndo, OneCallAtATimeBindsAPod) {
  ASSERT_TRUE(PreBind().ok());
  EXPECT_EQ(PreBind(), absl::AbortedError("another call is binding the pod"));
  Arrive();
  PostBind();
  EXPECT_TRUE(PreBind().ok());
}

TEST(DevicesOptions, AtMostHalfOfTheIntentsTimeIsForTheBinding) {
  Settings settings;
  EXPECT_EQ(OptionsFrom(settings)->binding_time, std::chrono::seconds(15));
  settings.intent_deadline = 5;
  EXPECT_EQ(OptionsFrom(settings)->binding_time, std::chrono::milliseconds(2500));
}

}  // namespace
}  // namespace outrigger::devices::agent
