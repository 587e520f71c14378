#include "calls/bind_slots.h"

#include <future>
#include <string>
#include <thread>

#include "gmock/gmock.h"

namespace outrigger::gang {
namespace {

using ::testing::ElementsAre;

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
