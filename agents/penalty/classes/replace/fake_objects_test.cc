#include "fake_objects.h"

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "penalty/classes/replace/replace_testing.h"

// The API server's rules on which the tests of replacements rest.

namespace outrigger::penalty {
namespace {

using outrigger::testing::CallFate;
using outrigger::testing::FakeObjects;
using outrigger::testing::ObjectCall;
using Verb = ObjectCall::Verb;

class FakeObjectsTest : public ::testing::Test {
 protected:
  absl::Status Make(const PriorityClass& of, int32_t value) {
    return server_.CreatePriorityClass({of.manifest, value, of.annotations}, {}).status();
  }
  FakeObjects server_;
};

TEST_F(FakeObjectsTest, DeleteHasPreconditions) {
  const PriorityClass batch = server_.Put(Batch());
  EXPECT_TRUE(absl::IsAborted(
      server_.DeletePriorityClass(kClassName, "other", batch.resource_version, {})));
  EXPECT_TRUE(absl::IsAborted(server_.DeletePriorityClass(kClassName, batch.uid, "0", {})));
  EXPECT_TRUE(absl::IsNotFound(server_.DeletePriorityClass("none", "u", "1", {})));
  ASSERT_TRUE(server_.Edit(kClassName, [](PriorityClass* c) { c->labels.Set("a", "b"); }).ok());
  EXPECT_TRUE(absl::IsAborted(
      server_.DeletePriorityClass(kClassName, batch.uid, batch.resource_version, {})));
  const PriorityClass edited = *server_.Find(kClassName);
  EXPECT_TRUE(
      server_.DeletePriorityClass(kClassName, edited.uid, edited.resource_version, {}).ok());
  EXPECT_FALSE(server_.Find(kClassName));
}

TEST_F(FakeObjectsTest, AFinalizerKeepsAClassAndItsName) {
  PriorityClass batch = Batch();
  batch.finalizers = {"x"};
  batch = server_.Put(batch);
  EXPECT_TRUE(server_.Remove(kClassName).ok());
  EXPECT_TRUE(server_.Find(kClassName)->is_deleted);
  EXPECT_TRUE(absl::IsAlreadyExists(Make(batch, 5)));
  EXPECT_TRUE(server_.Edit(kClassName, [](PriorityClass* c) { c->finalizers = {}; }).ok());
  EXPECT_FALSE(server_.Find(kClassName));
}

TEST_F(FakeObjectsTest, ValuesAreImmutableAndLimited) {
  const PriorityClass batch = server_.Put(Batch());
  EXPECT_TRUE(
      absl::IsInvalidArgument(server_.Edit(kClassName, [](PriorityClass* c) { c->value = 5; })));
  EXPECT_TRUE(absl::IsInvalidArgument(
      server_.Edit(kClassName, [](PriorityClass* c) { c->preemption_policy = "x"; })));
  ASSERT_TRUE(server_.Remove(kClassName).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(Make(batch, 1'000'000'001)));
  EXPECT_TRUE(Make(batch, 1'000'000'000).ok());
}

TEST_F(FakeObjectsTest, SystemNamesAndASecondDefaultAreRefused) {
  PriorityClass batch = Batch();
  batch.name = "system-x";
  batch = server_.Put(batch);
  EXPECT_TRUE(absl::IsPermissionDenied(
      server_.DeletePriorityClass("system-x", batch.uid, batch.resource_version, {})));
  EXPECT_TRUE(absl::IsInvalidArgument(Make(batch, 5)));
  PriorityClass first = Batch();
  first.name = "first";
  first.global_default = true;
  server_.Put(first);
  first.name = "second";
  const PriorityClass second = server_.Put(first);
  ASSERT_TRUE(server_.Remove("second").ok());
  EXPECT_TRUE(absl::IsPermissionDenied(Make(second, 5)));
}

TEST_F(FakeObjectsTest, ADryRunAsksAdmissionAndNotForTheName) {
  const PriorityClass batch = server_.Put(Batch());
  EXPECT_TRUE(server_.TryCreatePriorityClass({batch.manifest, 5, {}}, {}).ok());
  server_.SetAdmission([](const PriorityClass& made, bool dry_run) {
    return made.name == kClassName && dry_run ? absl::PermissionDeniedError("no")
                                              : absl::OkStatus();
  });
  EXPECT_TRUE(
      absl::IsPermissionDenied(server_.TryCreatePriorityClass({batch.manifest, 5, {}}, {})));
  EXPECT_EQ(server_.Find(kClassName)->value, kBase);
  EXPECT_TRUE(absl::IsAlreadyExists(Make(batch, 5)));
}

TEST_F(FakeObjectsTest, WhatTheServerSetsIsNew) {
  const PriorityClass batch = server_.Put(Batch());
  ASSERT_TRUE(server_.Remove(kClassName).ok());
  ASSERT_TRUE(Make(batch, 5).ok());
  const PriorityClass made = *server_.Find(kClassName);
  EXPECT_NE(made.uid, batch.uid);
  EXPECT_NE(made.resource_version, batch.resource_version);
  EXPECT_THAT(made.managers, ::testing::ElementsAre("outrigger"));
  EXPECT_EQ(made.owners, batch.owners);
}

TEST_F(FakeObjectsTest, ClassesWithoutOwnersAreCollected) {
  server_.SetOwner("owner-1", true);
  server_.Put(Batch());
  server_.CollectGarbage();
  EXPECT_TRUE(server_.Find(kClassName));
  server_.SetOwner("owner-1", false);
  server_.CollectGarbage();
  EXPECT_FALSE(server_.Find(kClassName));
}

TEST_F(FakeObjectsTest, ConfigMapsAreWrittenByCompareAndSwap) {
  ConfigMap map;
  map.namespace_ = "ns";
  map.name = "m";
  map.data["k"] = "1";
  const auto first = server_.WriteConfigMap(map, {});
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(absl::IsAlreadyExists(server_.WriteConfigMap(map, {}).status()));
  const auto second = server_.WriteConfigMap(*first, {});
  ASSERT_TRUE(second.ok());
  EXPECT_TRUE(absl::IsAborted(server_.WriteConfigMap(*first, {}).status()));
  EXPECT_TRUE(absl::IsAborted(server_.DeleteConfigMap(*first, {})));
  ConfigMap large = *second;
  large.data["k"] = std::string(1024 * 1024 + 1, 'x');
  EXPECT_TRUE(absl::IsInvalidArgument(server_.WriteConfigMap(large, {}).status()));
  ConfigMap bad = *second;
  bad.data["a b"] = "";
  EXPECT_TRUE(absl::IsInvalidArgument(server_.WriteConfigMap(bad, {}).status()));
  EXPECT_TRUE(server_.DeleteConfigMap(*second, {}).ok());
  EXPECT_TRUE(absl::IsNotFound(server_.WriteConfigMap(*second, {}).status()));
}

TEST_F(FakeObjectsTest, FatesDecideWhatIsPerformedAndHeard) {
  server_.Put(Batch());
  const auto process = server_.Process("p");
  const auto remove = [&](const CallFate& fate) {
    server_.OnCall([fate](const ObjectCall& call) {
      return call.verb == Verb::kDelete ? fate : CallFate::Done();
    });
    const PriorityClass there = *server_.Find(kClassName);
    return process->DeletePriorityClass(kClassName, there.uid, there.resource_version, {});
  };
  EXPECT_TRUE(absl::IsInternal(remove(CallFate::FailBefore(absl::InternalError("")))));
  EXPECT_TRUE(server_.Find(kClassName));
  EXPECT_TRUE(absl::IsInternal(remove(CallFate::FailAfter(absl::InternalError("")))));
  EXPECT_FALSE(server_.Find(kClassName));

  server_.Put(Batch());
  EXPECT_TRUE(absl::IsDeadlineExceeded(remove(CallFate::Late())));
  EXPECT_TRUE(server_.Find(kClassName));
  EXPECT_EQ(server_.DeliverLate(), 1);
  EXPECT_FALSE(server_.Find(kClassName));

  server_.Put(Batch());
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      remove(CallFate::Late([](const ObjectCall& call) { return call.client == "other"; }))));
  EXPECT_TRUE(process->ReadPriorityClass(kClassName, {}).ok());
  EXPECT_TRUE(server_.Process("other")->ReadPriorityClass(kClassName, {}).ok());
  EXPECT_FALSE(server_.Find(kClassName));

  server_.Put(Batch());
  EXPECT_TRUE(absl::IsCancelled(remove(CallFate::DieAfter())));
  EXPECT_FALSE(server_.Find(kClassName));
  EXPECT_TRUE(process->is_dead());
  EXPECT_TRUE(absl::IsCancelled(process->ReadPriorityClass(kClassName, {}).status()));
}

TEST_F(FakeObjectsTest, ListenersHearOfEachChange) {
  int changes = 0;
  const Subscription subscription = server_.OnChange([&] { ++changes; });
  server_.Put(Batch());
  EXPECT_EQ(changes, 1);
  EXPECT_THAT(server_.Classes(), ::testing::SizeIs(1));
  EXPECT_EQ(server_.Classes()[0].manifest, "");
  EXPECT_TRUE(server_.ReadPriorityClass(kClassName, {}).ok());
  EXPECT_EQ(changes, 1);
  ASSERT_TRUE(server_.Remove(kClassName).ok());
  EXPECT_EQ(changes, 2);
}

}  // namespace
}  // namespace outrigger::penalty
