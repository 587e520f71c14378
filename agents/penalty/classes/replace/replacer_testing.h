#pragma once

#include <functional>
#include <string>

#include "fake_objects.h"
#include "gtest/gtest.h"
#include "penalty/classes/replace/replace_testing.h"

namespace outrigger::penalty {

using testing::CallFate;
using testing::ObjectCall;
using Outcome = Replacement::Outcome;
using Verb = ObjectCall::Verb;

/// One class, and a process that replaces it.
class ReplacerTest : public ::testing::Test {
 protected:
  ReplacerTest() {
    server_.SetOwner("owner-1", true);
    server_.Put(Batch());
  }
  // Lets `act` happen once, right before the first call of that kind.
  void Before(Verb verb, const std::string& kind, std::function<void()> act) {
    server_.OnCall([this, verb, kind, act](const ObjectCall& call) {
      if (call.Is(verb, kind) && !has_acted_) {
        has_acted_ = true;
        act();
      }
      return CallFate::Done();
    });
  }
  // Answers the first call of that kind so.
  void Fate(Verb verb, const std::string& kind, const CallFate& fate, int times = 1) {
    server_.OnCall([this, verb, kind, fate, times](const ObjectCall& call) {
      return call.Is(verb, kind) && ++fates_ <= times ? fate : CallFate::Done();
    });
  }
  PriorityClass Now() { return *server_.Find(kClassName); }

  testing::FakeObjects server_;
  TestProcess process_{&server_};
  bool has_acted_ = false;
  int fates_ = 0;
};

}  // namespace outrigger::penalty
