#include "penalty/classes/restore.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "penalty/classes/base_value.h"
#include "penalty/classes/journal_maps.h"
#include "penalty/classes/replace/replace_testing.h"

namespace outrigger::penalty {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using Outcome = Replacement::Outcome;
using outrigger::testing::CallFate;
using outrigger::testing::ObjectCall;
using Verb = ObjectCall::Verb;

class RestoreTest : public ::testing::Test {
 protected:
  RestoreTest() {
    server_.SetOwner("owner-1", true);
    server_.Put(Batch());
    Replacer::Options options;
    options.run_swap = RunInTurns;
    options.clock.sleep = [](Clock::Duration, const std::stop_token&) { return true; };
    replacer_ = std::make_unique<Replacer>(
        client_.get(), client_.get(), [](const Replacement&) { return absl::OkStatus(); }, options);
  }
  RestoredClass Restore(const RestoreTarget& target) {
    auto all =
        RestoreClasses(replacer_.get(), client_.get(), std::vector<RestoreTarget>{target}, 1, {});
    EXPECT_THAT(all, SizeIs(1));
    return all[0];
  }
  void Penalise(int64_t target) { ASSERT_TRUE(TestProcess(&server_).Replace(target).ok()); }

  testing::FakeObjects server_;
  std::unique_ptr<testing::FakeObjects::Client> client_ = server_.Process("cli");
  std::unique_ptr<Replacer> replacer_;
};

TEST_F(RestoreTest, APenalisedClassGoesBackToItsBaseOnce) {
  Penalise(kTarget);
  for (const Outcome expected : {Outcome::kReplaced, Outcome::kUnchanged}) {
    const RestoredClass restored = Restore({kClassName, kBase, kTarget});
    ASSERT_TRUE(restored.result.ok()) << restored.result.status();
    EXPECT_EQ(restored.result->outcome, expected);
    EXPECT_TRUE(restored.is_done());
    EXPECT_EQ(WrongWithClass(server_, {kBase}), "");
  }
}

TEST_F(RestoreTest, WithoutAJournalTheAnnotationCounts) {
  Penalise(kTarget);
  EXPECT_TRUE(Restore({kClassName, {}, {}}).is_done());
  EXPECT_EQ(WrongWithClass(server_, {kBase}), "");
}

TEST_F(RestoreTest, AnAnnotationThatWasRaisedSinceCounts) {
  Penalise(kTarget);
  ASSERT_TRUE(server_
                  .Edit(kClassName,
                        [](PriorityClass* c) { c->annotations.Set(kBaseValueAnnotation, "2000"); })
                  .ok());
  EXPECT_TRUE(Restore({kClassName, kBase, kTarget}).is_done());
  EXPECT_EQ(server_.Find(kClassName)->value, 2000);
}

TEST_F(RestoreTest, AClassThatIsManagedOrIgnoredByNowIsRestored) {
  Penalise(kTarget);
  ASSERT_TRUE(server_
                  .Edit(kClassName,
                        [](PriorityClass* c) {
                          c->labels.Set("app.kubernetes.io/managed-by", "Helm");
                          c->annotations.Set("outrigger.dev/penalty", "ignore");
                        })
                  .ok());
  EXPECT_EQ(TestProcess(&server_).Replace(400)->outcome, Outcome::kRefused);
  EXPECT_TRUE(Restore({kClassName, kBase, kTarget}).is_done());
  EXPECT_EQ(server_.Find(kClassName)->value, kBase);
}

TEST_F(RestoreTest, AClassWithAFinalizerIsNotDone) {
  Penalise(kTarget);
  ASSERT_TRUE(server_.Edit(kClassName, [](PriorityClass* c) { c->finalizers = {"x"}; }).ok());
  const RestoredClass restored = Restore({kClassName, kBase, kTarget});
  ASSERT_TRUE(restored.result.ok());
  EXPECT_EQ(restored.result->outcome, Outcome::kRefused);
  EXPECT_FALSE(restored.is_done());
  EXPECT_EQ(server_.Find(kClassName)->value, kTarget);
}

TEST_F(RestoreTest, AClassThatIsGoneIsDone) {
  ASSERT_TRUE(server_.Remove(kClassName).ok());
  EXPECT_TRUE(Restore({kClassName, {}, {}}).is_done());
  EXPECT_FALSE(server_.Find(kClassName));
}

TEST_F(RestoreTest, TheJournalIsRemovedWholeAndOnce) {
  for (const std::string& name : JournalMapNames()) {
    if (name.find("intent") != std::string::npos) continue;
    ConfigMap map;
    map.namespace_ = "kube-system";
    map.name = name;
    server_.PutMap(map);
  }
  ConfigMap other;
  other.namespace_ = "kube-system";
  other.name = "outrigger-penalty-settings";
  server_.PutMap(other);
  EXPECT_TRUE(RemoveJournal(client_.get(), "kube-system", {}).ok());
  EXPECT_TRUE(RemoveJournal(client_.get(), "kube-system", {}).ok());
  ASSERT_THAT(server_.Maps(), SizeIs(1));
  EXPECT_EQ(server_.Maps()[0].name, other.name);
}

TEST_F(RestoreTest, AJournalWithAnIntentIsKept) {
  server_.OnCall([](const ObjectCall& call) {
    return call.Is(Verb::kCreate, "PriorityClass") ? CallFate::DieBefore() : CallFate::Done();
  });
  EXPECT_FALSE(TestProcess(&server_).Replace(kTarget).ok());
  server_.OnCall(nullptr);
  ConfigMap accounts;
  accounts.namespace_ = "kube-system";
  accounts.name = "outrigger-penalty-classes-0";
  server_.PutMap(accounts);
  const absl::Status removed = RemoveJournal(client_.get(), "kube-system", {});
  EXPECT_TRUE(absl::IsFailedPrecondition(removed));
  EXPECT_THAT(std::string(removed.message()), HasSubstr("outrigger-penalty-intent-0"));
  EXPECT_THAT(server_.Maps(), SizeIs(2));
  // What the command does then.
  replacer_->Recover({});
  EXPECT_TRUE(Restore({kClassName, kBase, kTarget}).is_done());
  EXPECT_TRUE(RemoveJournal(client_.get(), "kube-system", {}).ok());
  EXPECT_THAT(server_.Maps(), SizeIs(0));
  EXPECT_EQ(WrongWithClass(server_, {kBase}), "");
}

TEST_F(RestoreTest, ARemovalThatFailsIsReportedAndTheOthersGoOn) {
  for (const char* name : {"outrigger-penalty-classes-0", "outrigger-penalty-sums"}) {
    ConfigMap map;
    map.namespace_ = "kube-system";
    map.name = name;
    server_.PutMap(map);
  }
  server_.OnCall([](const ObjectCall& call) {
    return call.verb == Verb::kDelete && call.name == "outrigger-penalty-classes-0"
               ? CallFate::FailBefore(absl::PermissionDeniedError("rbac"))
               : CallFate::Done();
  });
  EXPECT_TRUE(absl::IsPermissionDenied(RemoveJournal(client_.get(), "kube-system", {})));
  EXPECT_THAT(server_.Maps(), SizeIs(1));
}

}  // namespace
}  // namespace outrigger::penalty
