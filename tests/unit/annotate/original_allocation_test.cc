#include "annotate/original_allocation.h"

#include <limits>

#include "golden.h"
#include "nlohmann/json.hpp"

namespace outrigger::annotate {
namespace {

using Json = nlohmann::json;

OriginalList ListOf(const Json& json) {
  OriginalList list;
  if (json.is_null()) return list;
  for (const auto& [resource, quantity] : json.items()) list[resource] = quantity;
  return list;
}

// The annotations of each Ready node, as the original program would write them.
Json Annotate(const Json& row) {
  Json all = Json::object();
  for (const Json& node : row["nodes"]) {
    if (node["conditions"].value("Ready", "Unknown") != "True") continue;
    OriginalAllocation allocation;
    for (const Json& pod : row["pods"]) {
      if (pod["phase"] != "Running" || pod["node"] != node["name"]) continue;
      std::vector<OriginalList> containers;
      for (const Json& container : pod["containers"]) containers.push_back(ListOf(container));
      allocation.AddPod(containers);
    }
    all[node["name"].get<std::string>()] = allocation.Values(ListOf(node["allocatable"]));
  }
  return all;
}

TEST(OriginalDecimal, AbsurdAmountsAreTheLargest) {
  const std::string most = "170141183460469231731687303715884105727";
  const auto absurd = OriginalDecimal::Parse("9999999999999999999999999999Ei");
  ASSERT_TRUE(absurd);
  EXPECT_EQ(absurd->ToString(), most);
  EXPECT_EQ((*absurd + *absurd).ToString(), most);
  EXPECT_EQ((OriginalDecimal() - *absurd - *absurd).ToString(), "-" + most);
  EXPECT_EQ((*absurd * *absurd).Truncated(), std::numeric_limits<int64_t>::max());
  EXPECT_FALSE(OriginalDecimal::Parse("1.5e-2147483648"));
}

TEST(OriginalAllocation, EveryRowOfTheTable) {
  const Json rows = testing::LoadGolden("assessor.json");
  ASSERT_GE(rows.size(), 16U);
  for (const Json& row : rows) {
    EXPECT_EQ(Annotate(row), row["annotations"]) << row["id"];
  }
}

Annotations Of(const OriginalList& allocatable, const std::vector<OriginalList>& containers) {
  OriginalAllocation allocation;
  allocation.AddPod(containers);
  return allocation.Values(allocatable);
}

TEST(OriginalAllocation, WritesDecimalsAsTheyComeOut) {
  const Annotations values =
      Of({{"cpu", "2"}, {"memory", "16Gi"}}, {{{"memory", "1.5Gi"}}, {{"memory", "1Gi"}}});
  EXPECT_EQ(values.at("requested-memory"), "2684354560.0");
  EXPECT_EQ(values.at("free-memory"), "14495514624.0");
  EXPECT_EQ(values.at("requested-cpu"), "0");
}

TEST(OriginalAllocation, CutsCpuAtMillicoresOfEachPod) {
  OriginalAllocation allocation;
  allocation.AddPod({{{"cpu", "0.0005"}}, {{"cpu", "0.0006"}}});
  allocation.AddPod({{{"cpu", "1500u"}}});
  EXPECT_EQ(allocation.Values({{"cpu", "3920m"}}).at("requested-cpu"), "2");
  EXPECT_EQ(allocation.Values({{"cpu", "3920m"}}).at("free-cpu"), "3918");
  EXPECT_EQ(allocation.Values({{"cpu", "1m"}}).at("free-cpu"), "0");
}

TEST(OriginalDecimal, PrintsAsPythonDoes) {
  const auto text = [](const char* quantity) {
    const auto value = OriginalDecimal::Parse(quantity);
    return value ? value->ToString() : std::string("raises");
  };
  EXPECT_EQ(text("500m"), "0.500");
  EXPECT_EQ(text("1.5Gi"), "1610612736.0");
  EXPECT_EQ(text("100M"), "100000000");
  EXPECT_EQ(text("1e3"), "1E+3");
  EXPECT_EQ(text("-1.50"), "-1.50");
  EXPECT_EQ(text("1n"), "1E-9");
  EXPECT_EQ(text("0.000001"), "0.000001");
  EXPECT_EQ(text("32882716Ki"), "33671901184");
  for (const char* wrong : {"", "Ki", "1ki", "1mi", "1.2.3", "x", "1e", "--1", "1e99",
                            "99999999999999999999999999999"}) {
    EXPECT_EQ(text(wrong), "raises") << wrong;
  }
}

}  // namespace
}  // namespace outrigger::annotate
