#include "penalty/classes/eligibility.h"

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "fake_objects.h"
#include "gmock/gmock.h"
#include "penalty/classes/replace/replace_testing.h"

namespace outrigger::penalty {
namespace {

using outrigger::testing::CallFate;
using outrigger::testing::FakeObjects;
using outrigger::testing::ObjectCall;
using ::testing::HasSubstr;

struct Row {
  std::string name;
  std::function<void(PriorityClass*)> change;
  std::string reason;          // empty: it may be penalised
  std::string restore_reason;  // empty: it may be restored
  std::string message = {};
};
std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.name;
}

class EligibilityTest : public ::testing::TestWithParam<Row> {};

TEST_P(EligibilityTest, RefusesWithAReason) {
  PriorityClass batch = Batch();
  GetParam().change(&batch);
  const auto refusal = RefusalOf(batch);
  EXPECT_EQ(refusal ? refusal->reason : "", GetParam().reason);
  EXPECT_THAT(refusal ? refusal->message : "", HasSubstr(GetParam().message));
  const auto restore = RefusalOf(batch, Purpose::kRestore);
  EXPECT_EQ(restore ? restore->reason : "", GetParam().restore_reason);
}

void Annotate(PriorityClass* c, std::string_view key, std::string_view value) {
  c->annotations.Set(key, value);
}

INSTANTIATE_TEST_SUITE_P(
    Classes, EligibilityTest,
    ::testing::ValuesIn(std::vector<Row>{
        {"Plain", [](PriorityClass*) {}, "", ""},
        {"System", [](PriorityClass* c) { c->name = "system-node-critical"; }, "system", "system"},
        {"Systematic", [](PriorityClass* c) { c->name = "systematic"; }, "", ""},
        {"GlobalDefault", [](PriorityClass* c) { c->global_default = true; }, "global-default",
         "global-default", "globalDefault"},
        {"Ignored", [](PriorityClass* c) { Annotate(c, kPenaltyAnnotation, "ignore"); }, "ignored",
         ""},
        {"IgnoredOtherwise", [](PriorityClass* c) { Annotate(c, kPenaltyAnnotation, "Ignore"); },
         "", ""},
        {"Deleted",
         [](PriorityClass* c) {
           c->is_deleted = true;
           c->finalizers = {"x"};
         },
         "deleted", "deleted"},
        {"Finalizers",
         [](PriorityClass* c) {
           c->finalizers = {"a.com/x", "b.com/y"};
         },
         "finalizers", "finalizers", "a.com/x, b.com/y"},
        {"Dependents", [](PriorityClass* c) { Annotate(c, kDependentsAnnotation, "true"); },
         "dependents", "dependents"},
        {"DependentsEmpty", [](PriorityClass* c) { Annotate(c, kDependentsAnnotation, ""); },
         "dependents", "dependents"},
        {"NoDependents", [](PriorityClass* c) { Annotate(c, kDependentsAnnotation, "false"); }, "",
         ""},
        {"HelmLabel",
         [](PriorityClass* c) { c->labels.Set("app.kubernetes.io/managed-by", "Helm"); }, "managed",
         "", "Helm manages"},
        {"OtherLabel",
         [](PriorityClass* c) { c->labels.Set("app.kubernetes.io/managed-by", "hand"); }, "", ""},
        {"HelmAnnotation", [](PriorityClass* c) { Annotate(c, "meta.helm.sh/release-name", "r"); },
         "managed", ""},
        {"HelmManager",
         [](PriorityClass* c) {
           c->managers = {"kubectl", "helm"};
         },
         "managed", ""},
        {"Kubectl", [](PriorityClass* c) { c->managers = {"kubectl-create"}; }, "", ""},
        {"ArgoAnnotation",
         [](PriorityClass* c) { Annotate(c, "argocd.argoproj.io/tracking-id", "x"); }, "managed",
         "", "Argo CD"},
        {"ArgoLabel", [](PriorityClass* c) { c->labels.Set("argocd.argoproj.io/instance", "x"); },
         "managed", ""},
        {"ArgoManager", [](PriorityClass* c) { c->managers = {"argocd-controller"}; }, "managed",
         ""},
        {"FluxKustomize",
         [](PriorityClass* c) { c->labels.Set("kustomize.toolkit.fluxcd.io/name", "x"); },
         "managed", "", "Flux"},
        {"FluxHelm", [](PriorityClass* c) { c->labels.Set("helm.toolkit.fluxcd.io/name", "x"); },
         "managed", ""},
        {"FluxManager", [](PriorityClass* c) { c->managers = {"kustomize-controller"}; }, "managed",
         ""},
        {"ManagedAndAllowed",
         [](PriorityClass* c) {
           c->managers = {"helm"};
           Annotate(c, kManagedAnnotation, "allow");
         },
         "", ""},
    }),
    ::testing::PrintToStringParamName());

class OwnerTest : public ::testing::Test {
 protected:
  std::optional<Refusal> Ask(PriorityClass batch) {
    auto refusal = OwnerRefusal(&server_, batch, {});
    EXPECT_TRUE(refusal.ok()) << refusal.status();
    return refusal.ok() ? *refusal : std::nullopt;
  }
  FakeObjects server_;
};

TEST_F(OwnerTest, AClassWithoutOwnersNeedsNoCall) {
  server_.OnCall([](const ObjectCall&) { return CallFate::FailBefore(absl::InternalError("")); });
  PriorityClass batch = Batch();
  batch.owners = {};
  EXPECT_FALSE(Ask(batch));
}

TEST_F(OwnerTest, EachOwnerMustBeThere) {
  server_.SetOwner("owner-1", true);
  PriorityClass batch = Batch();
  EXPECT_FALSE(Ask(batch));
  batch.owners.push_back({"Tenant", "red", "owner-2", "example.com/v1"});
  const auto refusal = Ask(batch);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->reason, "owner-gone");
  EXPECT_THAT(refusal->message, HasSubstr("Tenant red"));
}

TEST_F(OwnerTest, AnOwnerThatMayNotBeSeenNamesTheRight) {
  server_.OnCall(
      [](const ObjectCall&) { return CallFate::FailBefore(absl::PermissionDeniedError("rbac")); });
  const auto refusal = Ask(Batch());
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->reason, "owner-unseen");
  EXPECT_THAT(refusal->message, HasSubstr("the right to get Tenant of example.com/v1"));
}

TEST_F(OwnerTest, OtherErrorsAreErrors) {
  server_.OnCall(
      [](const ObjectCall&) { return CallFate::FailBefore(absl::UnavailableError("away")); });
  EXPECT_TRUE(absl::IsUnavailable(OwnerRefusal(&server_, Batch(), {}).status()));
}

}  // namespace
}  // namespace outrigger::penalty
