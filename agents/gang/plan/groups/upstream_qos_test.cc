// Classes that Kubernetes' own ComputePodQOS() gives, written by tests/support/cmd/oracle-tables.
#include <map>

#include "codec/json/pod_from_testing.h"
#include "gang/plan/order.h"
#include "golden.h"

namespace outrigger::plan {
namespace {

using Table = nlohmann::json;

std::string_view NameOf(QosClass qos) {
  switch (qos) {
    case QosClass::kBestEffort:
      return "BestEffort";
    case QosClass::kBurstable:
      return "Burstable";
    case QosClass::kGuaranteed:
      return "Guaranteed";
  }
  return "";
}

TEST(QosClassOf, IsThatOfUpstreamForRandomPods) {
  const Table table = testing::LoadGolden("upstream_qos.json");
  const Needs needs = Needs().PodResources().PodStatus();
  std::map<std::string, int> rows;
  for (const Table& row : table.at("pods")) {
    const std::string text = row.at("pod").dump();
    std::vector<json::MalformedValue> malformed;
    const Pod pod = json::PodFrom(text, needs, &malformed);
    EXPECT_TRUE(malformed.empty()) << text;
    EXPECT_EQ(NameOf(QosClassOf(pod)), row.at("class")) << text;
    ++rows[row.at("class")];
  }
  EXPECT_TRUE(rows["Guaranteed"] > 50 && rows["Burstable"] > 50 && rows["BestEffort"] > 50);
}

}  // namespace
}  // namespace outrigger::plan
