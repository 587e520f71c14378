#include "cluster/change_listeners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace outrigger::cluster {
namespace {

TEST(ChangeListeners, AreAllCalledInTheirOrder) {
  ChangeListeners listeners;
  std::string calls;
  const Subscription a = listeners.Add([&] { calls += "a"; });
  const Subscription b = listeners.Add([&] { calls += "b"; });
  listeners.Notify();
  listeners.Notify();
  EXPECT_EQ(calls, "abab");
}

TEST(ChangeListeners, HearOfAStatusOnlyWhereTheyAskForAll) {
  ChangeListeners listeners;
  std::string calls;
  const Subscription a = listeners.Add([&] { calls += "a"; });
  const Subscription b = listeners.Add([&] { calls += "b"; }, ChangeScope::kAll);
  listeners.NotifyOfStatus();
  EXPECT_EQ(calls, "b");
  listeners.Notify();
  EXPECT_EQ(calls, "bab");
}

TEST(ChangeListeners, HearOfStatesOnlyWhereTheyAskForThem) {
  ChangeListeners listeners;
  std::string calls;
  const Subscription a = listeners.Add([&] { calls += "a"; });
  const Subscription b = listeners.Add([&] { calls += "b"; }, ChangeScope::kAll);
  const Subscription c = listeners.Add([&] { calls += "c"; }, ChangeScope::kAllAndStates);
  listeners.NotifyOfState();
  EXPECT_EQ(calls, "c");
  listeners.NotifyOfStatus();
  EXPECT_EQ(calls, "cbc");
  listeners.Notify();
  EXPECT_EQ(calls, "cbcabc");
}

TEST(ChangeListeners, AreCalledUntilTheirSubscriptionEnds) {
  ChangeListeners listeners;
  std::string calls;
  Subscription a = listeners.Add([&] { calls += "a"; });
  std::optional<Subscription> b = listeners.Add([&] { calls += "b"; });
  Subscription moved = std::move(a);
  b.reset();
  listeners.Notify();
  EXPECT_EQ(calls, "a") << "a lives on in what it was moved to";
  moved.End();
  moved.End();
  listeners.Notify();
  EXPECT_EQ(calls, "a");
}

TEST(ChangeListeners, ThatAreReplacedAreNotCalled) {
  ChangeListeners listeners;
  std::string calls;
  Subscription changes = listeners.Add([&] { calls += "a"; });
  changes = listeners.Add([&] { calls += "b"; });
  listeners.Notify();
  EXPECT_EQ(calls, "b");
}

TEST(ChangeListeners, MayEndAndAddOthersDuringACall) {
  ChangeListeners listeners;
  std::string calls;
  Subscription b;
  Subscription c;
  const Subscription a = listeners.Add([&] {
    calls += "a";
    b.End();
    if (calls == "a") c = listeners.Add([&] { calls += "c"; });
  });
  b = listeners.Add([&] { calls += "b"; });
  listeners.Notify();
  EXPECT_EQ(calls, "a") << "b has ended, and c came during the call";
  listeners.Notify();
  EXPECT_EQ(calls, "aac");
}

TEST(ChangeListeners, MayBeNotifiedWithinACall) {
  ChangeListeners listeners;
  int calls = 0;
  const Subscription a = listeners.Add([&] {
    if (++calls == 1) listeners.Notify();
  });
  listeners.Notify();
  EXPECT_EQ(calls, 2);
}

TEST(ChangeListeners, MayEndAfterTheListenersAreGone) {
  auto listeners = std::make_unique<ChangeListeners>();
  const Subscription a = listeners->Add([] {});
  listeners.reset();
}

TEST(ChangeListeners, AreWaitedForWhenTheirSubscriptionEndsDuringACall) {
  ChangeListeners listeners;
  std::atomic<bool> entered = false;
  std::atomic<bool> may_end = false;
  std::atomic<bool> has_ended = false;
  Subscription changes = listeners.Add([&] {
    entered = true;
    while (!may_end) std::this_thread::yield();
    has_ended = true;
  });
  std::thread notifier([&] { listeners.Notify(); });
  while (!entered) std::this_thread::yield();
  std::thread releaser([&] { may_end = true; });
  changes.End();
  EXPECT_TRUE(has_ended);
  notifier.join();
  releaser.join();
}

// The callback reads what the subscriber frees after the end: the sanitizers see a late call.
TEST(ChangeListeners, AreNotCalledOnceTheEndHasReturned) {
  ChangeListeners listeners;
  std::atomic<bool> stop = false;
  const Subscription other = listeners.Add([] {});
  std::thread notifier([&] {
    while (!stop) listeners.Notify();
  });
  for (int i = 0; i < 500; ++i) {
    std::atomic<int> inside = 0;
    std::atomic<bool> ended = false;
    std::atomic<bool> late = false;
    Subscription changes = listeners.Add([&] {
      ++inside;
      std::this_thread::yield();
      if (ended) late = true;
      --inside;
    });
    while (i % 4 == 0 && inside == 0) std::this_thread::yield();  // the end comes during a call
    changes.End();
    EXPECT_EQ(inside, 0);
    ended = true;
    std::this_thread::yield();
    ASSERT_FALSE(late);
  }
  stop = true;
  notifier.join();
}

}  // namespace
}  // namespace outrigger::cluster
