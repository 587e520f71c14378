// Answers of Kubernetes' own libraries, written by tests/support/cmd/oracle-tables.
#include <string>
#include <vector>

#include "golden.h"
#include "gtest/gtest.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger {
namespace {

using nlohmann::json;
using testing::LoadGolden;

TEST(Upstream, QuantitiesParseAndPrintAlike) {
  const json table = LoadGolden("upstream_quantity.json");
  size_t errors = 0;
  for (const json& row : table.at("parsed")) {
    SCOPED_TRACE(row.dump());
    const auto quantity = Quantity::Parse(row[0].get<std::string>());
    ASSERT_EQ(quantity.ok(), row.size() > 1);
    if (!quantity.ok()) {
      ++errors;
      continue;
    }
    EXPECT_EQ(quantity->Value(), row[1]);
    EXPECT_EQ(quantity->MilliValue(), row[2]);
    EXPECT_EQ(json(quantity->ToString()), row[3]);
    const auto as_int64 = quantity->AsInt64();
    EXPECT_EQ(as_int64.has_value() ? json(*as_int64) : json(), row[4]);
  }
  EXPECT_GT(errors, 100u);
}

int Sign(std::strong_ordering order) {
  return (order > 0) - (order < 0);
}

TEST(Upstream, QuantitiesAddAndCompareAlike) {
  const json table = LoadGolden("upstream_quantity.json");
  ASSERT_GT(table.at("sums").size(), 100u);
  for (const json& row : table.at("sums")) {
    SCOPED_TRACE(row.dump());
    const Quantity a = Quantity::Parse(row[0].get<std::string>()).value();
    const Quantity b = Quantity::Parse(row[1].get<std::string>()).value();
    EXPECT_EQ(json((a + b).ToString()), row[2]);
    EXPECT_EQ((a + b).Value(), row[3]);
    EXPECT_EQ((a + b).MilliValue(), row[4]);
    EXPECT_EQ(json((a - b).ToString()), row[5]);
    EXPECT_EQ(Sign(a <=> b), row[6]);
  }
}

void ExpectRequests(const char* section, ResourceList (*requests_of)(const Pod&),
                    const char* file = "upstream_pod_requests.json") {
  const json table = LoadGolden(file);
  ASSERT_GT(table.at(section).size(), 100u);
  for (const json& row : table.at(section)) {
    SCOPED_TRACE(row["pod"].dump());
    json requests = json::object();
    for (const auto& [name, quantity] : requests_of(testing::PodFromJson(row["pod"]))) {
      requests[name] = (quantity + Quantity()).ToString();
    }
    EXPECT_EQ(requests, row["requests"]);
  }
}

TEST(Upstream, PodsRequestAlike) {
  ExpectRequests("pods", PodRequests);
}

TEST(Upstream, PodsThatAreBeingResizedTakeAlike) {
  ExpectRequests("on_node", PodRequestsOnNode);
}

TEST(Upstream, PodsThatAreBeingResizedTakeAlikeBefore137) {
  ExpectRequests(
      "on_node",
      [](const Pod& pod) {
        Pod before = pod;
        before.resize_counting = ResizeCounting::kByContainer;
        return PodRequestsOnNode(before);
      },
      "upstream_pod_requests_1.36.json");
}

TEST(Upstream, PodsWithoutStatusTakeWhatTheyRequest) {
  ExpectRequests("pods", PodRequestsOnNode);
}

StringMap MapFrom(const json& object) {
  StringMap map;
  for (const auto& [key, value] : object.items()) map.Set(key, value.get<std::string>());
  return map;
}

std::vector<SelectorRequirement> RequirementsFrom(const json& rows) {
  std::vector<SelectorRequirement> requirements;
  for (const json& row : rows) {
    SelectorRequirement requirement = {row[0], SelectorOperator::kIn, row[2]};
    EXPECT_TRUE(ParseSelectorOperator(row[1].get<std::string>(), &requirement.op).ok());
    requirements.push_back(requirement);
  }
  return requirements;
}

class UpstreamSelectors : public ::testing::Test {
 protected:
  UpstreamSelectors() : table_(LoadGolden("upstream_selectors.json")) {
    for (const json& row : table_["nodes"]) {
      nodes_.emplace_back();
      nodes_.back().name = row["name"].get<std::string>();
      nodes_.back().labels = MapFrom(row["labels"]);
    }
  }

  /// The rows of a section; a section that is gone must not pass.
  const json& Rows(const char* section) const {
    EXPECT_GT(table_.at(section).size(), 100u);
    return table_.at(section);
  }

  /// Which nodes match, as the table writes it.
  template <typename Matches>
  json Bits(Matches matches) const {
    std::string bits;
    for (const Node& node : nodes_) bits += matches(node) ? '1' : '0';
    return bits;
  }

  json table_;
  std::vector<Node> nodes_;
};

TEST_F(UpstreamSelectors, TextsParseAndMatchAlike) {
  size_t errors = 0;
  for (const json& row : Rows("texts")) {
    SCOPED_TRACE(row.dump());
    LabelSelector selector;
    const absl::Status status = ParseLabelSelector(row[0].get<std::string>(), &selector);
    ASSERT_EQ(status.ok(), row.size() > 1) << status;
    if (!status.ok()) {
      ++errors;
      continue;
    }
    EXPECT_EQ(Bits([&](const Node& node) { return selector.Matches(node.labels); }), row[1]);
  }
  EXPECT_GT(errors, 100u);
}

TEST_F(UpstreamSelectors, LabelSelectorsMatchAlike) {
  for (const json& row : Rows("label_selectors")) {
    SCOPED_TRACE(row.dump());
    const LabelSelector selector = {MapFrom(row[0]), RequirementsFrom(row[1])};
    EXPECT_EQ(Bits([&](const Node& node) { return selector.Matches(node.labels); }), row[2]);
  }
}

TEST_F(UpstreamSelectors, NodeSelectorsMatchAlike) {
  for (const json& row : Rows("node_selectors")) {
    SCOPED_TRACE(row.dump());
    Pod pod;
    pod.node_selector = MapFrom(row[0]);
    if (!row[1].is_null()) pod.affinity.required_node.emplace();
    for (const json& term : row[1]) {
      pod.affinity.required_node->terms.push_back(
          {RequirementsFrom(term[0]), RequirementsFrom(term[1])});
    }
    EXPECT_EQ(Bits([&](const Node& node) { return MatchesNodeSelectorAndAffinity(pod, node); }),
              row[2]);
  }
}

TaintEffect EffectFrom(const json& text) {
  if (text == "NoSchedule") return TaintEffect::kNoSchedule;
  return text == "NoExecute" ? TaintEffect::kNoExecute : TaintEffect::kPreferNoSchedule;
}

TEST_F(UpstreamSelectors, TaintsAreToleratedAlike) {
  for (const json& row : Rows("taints")) {
    SCOPED_TRACE(row.dump());
    std::vector<Taint> taints;
    for (const json& taint : row[0]) taints.push_back({taint[0], taint[1], EffectFrom(taint[2])});
    std::vector<Toleration> tolerations;
    for (const json& item : row[1]) {
      tolerations.push_back({item[0], item[2], item[1] == "Exists", {}});
      if (item[3] != "") tolerations.back().effect = EffectFrom(item[3]);
    }
    const Taint* found = FindUntoleratedTaint(taints, tolerations);
    ASSERT_EQ(found == nullptr, row[2].is_null());
    if (found != nullptr) {
      EXPECT_EQ(json({found->key, found->value}), json({row[2][0], row[2][1]}));
      EXPECT_EQ(found->effect, EffectFrom(row[2][2]));
    }
  }
}

}  // namespace
}  // namespace outrigger
