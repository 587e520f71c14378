// Where `scheduler-config --in FILE` puts entries beside those of FILE: who plans stays last.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/doctor/doctor_testing.h"
#include "cli/scheduler_config/scheduler_config.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

using ::testing::Contains;
using testing::DiagnoseYaml;
using testing::DoctorAgents;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using testing::NamesOf;
using ::testing::Not;

const std::string kHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nextenders:\n";

absl::StatusOr<SchedulerConfigText> AddTo(const std::string& extenders, const std::string& agents,
                                          bool ignorable = false) {
  SchedulerConfigFlags flags;
  flags.agents = agents;
  flags.ignorable = ignorable;
  const auto plan = PlanSchedulerConfig(flags, DoctorAgents(), {"pigeon"});
  if (!plan.ok()) return plan.status();
  return WriteSchedulerConfig(*plan, SchedulerConfigInput{"in.yaml", kHead + extenders});
}

struct OrderRow {
  std::string name;
  std::string extenders;  // of the file
  std::string agents;     // that are added
  std::vector<std::string> order;
  bool moved = false;  // of those that were there
};

class SchedulerConfigOrder : public ::testing::TestWithParam<OrderRow> {};

TEST_P(SchedulerConfigOrder, HasWhoPlansBehindAllOthers) {
  const OrderRow& row = GetParam();
  const auto text = AddTo(row.extenders, row.agents);
  ASSERT_TRUE(text.ok()) << text.status();
  std::vector<std::string> order;
  for (const auto& extender : YAML::Load(text->yaml)["extenders"]) {
    order.push_back(extender["urlPrefix"].Scalar());
  }
  EXPECT_THAT(order, ElementsAreArray(row.order));
  EXPECT_THAT(NamesOf(DiagnoseYaml(text->yaml)), Not(Contains("planner-not-last")));
  const auto moved = Contains(HasSubstr("was moved after the others"));
  EXPECT_EQ(::testing::Value(text->notes, moved), row.moved);
}

const std::string kOther = "- {urlPrefix: 'http://other/x', filterVerb: f}\n";
const std::string kSafe = "http://127.0.0.1:9871/safe";
const std::string kGang = "http://127.0.0.1:9875/gang";

std::string Gang(const std::string& url, const std::string& verb = "filter") {
  return "- {urlPrefix: '" + url + "', filterVerb: " + verb + "}\n- {urlPrefix: '" + url +
         "', bindVerb: bind}\n";
}

INSTANTIATE_TEST_SUITE_P(
    Rows, SchedulerConfigOrder,
    ::testing::Values(OrderRow{"GangIsThere", Gang(kGang), "safe", {kSafe, kGang, kGang}},
                      OrderRow{"GangIsThereAtAnotherAddress",
                               Gang("http://10.0.0.7:7000/gang"),
                               "safe",
                               {kSafe, "http://10.0.0.7:7000/gang", "http://10.0.0.7:7000/gang"}},
                      OrderRow{"GangIsThereByItsPort",
                               Gang("http://127.0.0.1:9875"),
                               "safe",
                               {kSafe, "http://127.0.0.1:9875", "http://127.0.0.1:9875"}},
                      OrderRow{"OthersAreThere",
                               kOther + Gang(kGang),
                               "safe",
                               {"http://other/x", kSafe, kGang, kGang}},
                      OrderRow{"GangIsThereBeforeAnother",
                               Gang(kGang) + kOther,
                               "safe",
                               {"http://other/x", kSafe, kGang, kGang},
                               true},
                      OrderRow{"GangIsThereAndWrittenAgain",
                               Gang(kGang) + kOther,
                               "safe,gang",
                               {"http://other/x", kSafe, kGang, kGang}},
                      OrderRow{"NobodyPlans", kOther, "safe", {"http://other/x", kSafe}}),
    [](const auto& row) { return row.param.name; });

TEST(SchedulerConfigIgnorable, IsNoFilterBesideWhoPlans) {
  EXPECT_THAT(AddTo(Gang(kGang), "safe", true).status().message(),
              HasSubstr(kSafe + " filters and is ignorable"));
  EXPECT_TRUE(AddTo(kOther, "safe", true).ok());
  EXPECT_TRUE(AddTo(Gang(kGang), "congestion", true).ok());
}

}  // namespace
}  // namespace outrigger::cli
