#pragma once

#include <chrono>
#include <memory>

#include "gang/desk/desk.h"
#include "gang_testing.h"

namespace outrigger::gang {

/// The agent at a desk that plans by hand, in the time of the test.
class ByHandTest : public GangTest {
 protected:
  ~ByHandTest() override { agent().Stop(); }
  void StartByHand() {
    desk_ = shared_.GetOrMake<desk::Desk>([this] {
      return std::make_shared<desk::Desk>(
          &cluster_, [](std::string_view) {},
          desk::DeskDrive{.now = [this] { return now_; }, .by_hand = true});
    });
    AgentDeps deps;
    deps.name = "gang";
    deps.log = deps.warn = [](std::string_view) {};
    deps.cluster = &cluster_;
    deps.shared = &shared_;
    deps.given.insert("scheduler-lease");
    const AgentFactory factory = MakeFactory();
    auto made = factory.make(deps, testing::SettingsFrom(factory, {{"scheduler-lease", "none"}}));
    ASSERT_TRUE(made.ok()) << made.status();
    made_ = *std::move(made);
    ASSERT_TRUE(agent().Start().ok());
  }
  Controller& agent() { return dynamic_cast<Controller&>(*made_); }
  void PlanAfter(std::chrono::seconds time) {
    now_ += time;
    desk_->Step();
  }

  desk::Time now_ = desk::Time() + std::chrono::hours(1);
  SharedParts shared_;
  std::shared_ptr<desk::Desk> desk_;
  std::unique_ptr<Agent> made_;
};

}  // namespace outrigger::gang
