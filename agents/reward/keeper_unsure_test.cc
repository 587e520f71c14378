// Saves of which it is not known if they were made.
#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "keeper.h"
#include "reward_testing.h"
#include "rule/state_text.h"

namespace outrigger::reward {
namespace {

using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Saves end with an error; whether the state was stored nevertheless the test says.
class UncertainStore final : public StateStore {
 public:
  enum class Next : uint8_t { kFine, kStoredUnknown, kNotStored };

  explicit UncertainStore(StateStore* store) : store_(*store) {}
  absl::StatusOr<StoredState> Load(const CallLimits& limits) override {
    ++loads;
    return store_.Load(limits);
  }
  absl::StatusOr<std::string> Save(const StoredState& state, const CallLimits& limits) override {
    ++saves;
    const Next now = std::exchange(next, Next::kFine);
    if (now == Next::kFine) return store_.Save(state, limits);
    if (now == Next::kStoredUnknown) {
      EXPECT_TRUE(store_.Save(state, limits).ok());
    }
    return absl::UnavailableError("the connection was cut");
  }
  std::string Place() const override { return store_.Place(); }

  Next next = Next::kFine;
  int loads = 0;
  int saves = 0;

 private:
  StateStore& store_;
};

class RewardUncertainSave : public RewardTest {
 protected:
  using Next = UncertainStore::Next;

  RewardUncertainSave() : uncertain_(store_.get()) {
    keeper_ = std::make_unique<Keeper>(Deps(), method_.get(), &uncertain_);
    EXPECT_TRUE(keeper_->Begin(term_.get_token()).ok());
    Run("d1", "a");
    Look();
    Fail("d1", 5);
    Look();
  }
  // Saves, with that end; another failure was counted before and two are after it. A look at all
  // pods as the first one would see the last of them only.
  void SaveAndGoOn(Next next) {
    Fail("d1", 5);
    Look();
    Pass(60);
    uncertain_.next = next;
    Look();
    ASSERT_EQ(uncertain_.saves, 2);
    for (int i = 0; i < 2; ++i) {
      Pass(1);
      Fail("d1", 1);
      Look();
    }
    EXPECT_EQ(uncertain_.saves, 2) << "no hammering";
    EXPECT_EQ(uncertain_.loads, 1);
    EXPECT_THAT(SumsOf("a").failures, DoubleNear(4, 0.02)) << "nothing is thrown away";
  }
  double StoredFailures() {
    const StateRead read = ReadState(Stored().data["pairs"], now_, options_.rule);
    return read.state.experience.Find("default/D web:1", "a", now_).sums.failures;
  }

  UncertainStore uncertain_;
};

TEST_F(RewardUncertainSave, WhatWasNotStoredIsStoredAgain) {
  SaveAndGoOn(Next::kNotStored);
  Pass(58);
  Look();
  EXPECT_EQ(uncertain_.loads, 2);
  EXPECT_EQ(uncertain_.saves, 3);
  EXPECT_THAT(StoredFailures(), DoubleNear(4, 0.02));
  EXPECT_THAT(SumsOf("a").failures, DoubleNear(4, 0.02));
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(RewardUncertainSave, WhatWasStoredIsTakenOver) {
  SaveAndGoOn(Next::kStoredUnknown);
  Pass(58);
  Look();
  EXPECT_EQ(uncertain_.loads, 2);
  EXPECT_EQ(uncertain_.saves, 3) << "the news since";
  EXPECT_THAT(StoredFailures(), DoubleNear(4, 0.02));
  EXPECT_THAT(SumsOf("a").failures, DoubleNear(4, 0.02));
  EXPECT_THAT(log_, IsEmpty()) << "not taken for another one's";
}

TEST_F(RewardUncertainSave, WhatWasStoredIsNotStoredTwice) {
  Fail("d1", 5);
  Look();
  Pass(60);
  uncertain_.next = Next::kStoredUnknown;
  Look();
  for (int i = 0; i < 5; ++i) {
    Pass(60);
    Look();
  }
  EXPECT_EQ(uncertain_.saves, 2);
  EXPECT_EQ(uncertain_.loads, 2);
}

TEST_F(RewardUncertainSave, WhatAnotherOneHasStoredMeanwhileCounts) {
  SaveAndGoOn(Next::kNotStored);
  ConfigMap map = Stored();
  map.data["pairs"] =
      "outrigger-reward 2\ntime 1795000000\nnode c\ntype default/D web:1 0 9\non 0 0 9\n";
  ASSERT_TRUE(cluster_.WriteConfigMap(map, {}).ok());
  Pass(58);
  Look();
  EXPECT_THAT(log_, Contains(HasSubstr("was written by another one")));
  Look();
  EXPECT_THAT(SumsOf("c").failures, DoubleNear(9, 0.01));
  EXPECT_EQ(uncertain_.saves, 2) << "not at once again";
}

TEST_F(RewardUncertainSave, TheEndOfATermStoresWhatIsInDoubt) {
  AgentDeps deps = Deps();
  deps.clock.sleep = [this](Clock::Duration, const std::stop_token&) {
    term_.request_stop();
    return false;
  };
  Fail("d1", 5);
  uncertain_.next = Next::kNotStored;
  Keeper keeper(deps, method_.get(), &uncertain_);
  keeper.Lead(term_.get_token());
  EXPECT_EQ(uncertain_.saves, 3);
  EXPECT_THAT(StoredFailures(), DoubleNear(2, 0.02));
}

}  // namespace
}  // namespace outrigger::reward
