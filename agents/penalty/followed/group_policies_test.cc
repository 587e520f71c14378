// What Queues and Namespaces say that their PodGroups add.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "keeper_testing.h"

namespace outrigger::penalty {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// By the settings a start costs 100 and a completion 50.
class PenaltyPolicies : public PenaltyKeeper {
 protected:
  using Json = nlohmann::json;
  void Say(const CustomKind& kind, const std::string& name, const Json& annotations) {
    cluster_.custom().Put(kind, {{"metadata", {{"name", name}, {"annotations", annotations}}}});
  }
};

struct PolicyRow {
  std::string name;
  nlohmann::json of_queue;
  nlohmann::json of_namespace;
  std::string of_class;
  int32_t started;
  int32_t completed;
  std::string cause;  // of the start
};
std::ostream& operator<<(std::ostream& out, const PolicyRow& row) {
  return out << row.name;
}

class PenaltyPolicyRows : public PenaltyPolicies,
                          public ::testing::WithParamInterface<PolicyRow> {};

TEST_P(PenaltyPolicyRows, CountAsTheTableHasIt) {
  const PolicyRow& row = GetParam();
  if (!row.of_queue.is_null()) Say(kQueueKind, "batch", row.of_queue);
  if (!row.of_namespace.is_null()) Say(kNamespaceKind, "default", row.of_namespace);
  if (!row.of_class.empty()) {
    ASSERT_TRUE(cluster_.keep()
                    .Edit("gold",
                          [&](PriorityClass* gold) {
                            gold->annotations.Set("outrigger.dev/penalty-start", row.of_class);
                          })
                    .ok());
  }
  Become("job", "Running");
  EXPECT_EQ(Value(), row.started);
  EXPECT_THAT(log_, Contains(HasSubstr(row.cause)));
  Become("job", "Completed");
  EXPECT_EQ(Value(), row.completed);
}

const nlohmann::json kStart300 = {{"outrigger.dev/penalty-start", "flat 300"}};
const nlohmann::json kCompletion7 = {{"outrigger.dev/penalty-completion", "flat 7"}};
const nlohmann::json kStart40 = {{"outrigger.dev/penalty-start", "flat 40"}};
const nlohmann::json kMalformed = {{"outrigger.dev/penalty-start", "much"},
                                   {"outrigger.dev/penalty-completion", "flat 7"}};
const nlohmann::json kOfOthers = {{"outrigger.dev/penalty-startle", "flat 1"}};

INSTANTIATE_TEST_SUITE_P(
    Table, PenaltyPolicyRows,
    ::testing::ValuesIn(std::vector<PolicyRow>{
        {"NoneSays", {}, {}, "", 900, 850, "start default/job"},
        {"TheQueueSays", kStart300, {}, "", 700, 650, "start default/job (by queue batch)"},
        {"TheNamespaceSays", {}, kStart40, "", 960, 910, "job (by namespace default)"},
        {"TheQueueComesFirst", kStart300, kStart40, "", 700, 650, "(by queue batch)"},
        {"EachSaysOne", kCompletion7, kStart40, "", 960, 953, "(by namespace default)"},
        {"TheNamespaceComesBeforeTheClass", {}, kStart40, "flat 1", 960, 910, "(by namespace"},
        {"TheClassComesLast", kCompletion7, {}, "flat 1", 999, 992, "start default/job"},
        {"AMalformedQueue", kMalformed, kStart40, "", 960, 953, "(by namespace default)"},
        {"AMalformedNamespace", {}, kMalformed, "", 900, 893, "start default/job"},
        {"OthersDoNotCount", kOfOthers, {}, "", 900, 850, "start default/job"},
    }),
    ::testing::PrintToStringParamName());

TEST_F(PenaltyPolicies, AMalformedOneIsReportedOnceAndCountsAgainOnceItIsMended) {
  Say(kQueueKind, "batch", kMalformed);
  Look();
  Look();
  EXPECT_THAT(EventReasons(), Contains("Queue batch PenaltyPolicyMalformed").Times(1));
  EXPECT_THAT(log_, Contains(HasSubstr("Queue batch: annotation outrigger.dev/penalty-start: "
                                       "\"much\" is not accepted")));
  Say(kQueueKind, "batch", kStart300);
  Become("job", "Running");
  EXPECT_EQ(Value(), 700);
}

TEST_F(PenaltyPolicies, ClusterWithoutVolcanosQueuesCountsByTheClass) {
  cluster_.custom().SetServed(kQueueKind, false);
  Restart(Fair());
  Become("job", "Running");
  EXPECT_EQ(Value(), 900);
  EXPECT_THAT(log_, Not(Contains(HasSubstr("policies:"))));
}

// A workflow whose finished pods are deleted: Volcano shows Pending between its steps.
TEST_F(PenaltyPolicies, AWorkflowOfManyStepsIsOneRun) {
  Become("flow", "Running");
  for (int step = 0; step < 5; ++step) {
    Become("flow", "Completed");
    Pass(4'000);
    Become("flow", "Pending");
    Become("flow", "Inqueue");
    if (step == 2) Restart(Fair());
    Pass(60'000);  // it waits for its place
    Become("flow", "Running");
  }
  Become("flow", "Completed");
  EXPECT_THAT(Mark("flow"), HasSubstr("1 completed 50 "));
  // Later than grace: somebody uses the group again.
  Pass(5'001);
  Become("flow", "Pending");
  Become("flow", "Running");
  EXPECT_EQ(Mark("flow"), "2 started");
}

}  // namespace
}  // namespace outrigger::penalty
