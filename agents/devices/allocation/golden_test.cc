// tests/golden/devices.json: what the prototype's scheduler answered, what an exhaustive search
// answers, and what upstream's allocator answers for the device dialect.
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "devices/allocation/allocator.h"
#include "devices/allocation/devices_testing.h"
#include "devices/allocation/original.h"
#include "golden.h"
#include "gtest/gtest.h"

namespace outrigger::devices {
namespace {

using nlohmann::json;
using testing::LoadGolden;

constexpr std::string_view kConstraintsPrefix = "error evaluating constraints: ";

// The text after this prefix is for information.
std::string Reason(const std::string& text) {
  return text.starts_with(kConstraintsPrefix) ? std::string(kConstraintsPrefix) : text;
}

json ToJson(const OriginalPoolResult& result) {
  json out = {{"deviceCount", result.count}, {"poolName", result.pool}};
  if (!result.failure.empty()) out["failureReason"] = Reason(result.failure);
  return out;
}

json ToJson(const OriginalClaimResult& result) {
  json out = {{"best", result.best}, {"claimName", result.claim}, {"poolSetResults", nullptr}};
  for (const OriginalPoolResult& pool : result.ignored) out["ignoredPools"].push_back(ToJson(pool));
  for (const OriginalPoolSetResult& set : result.sets) {
    json one = {{"score", set.score}};
    for (const OriginalPoolResult& pool : set.pools) one["poolResults"].push_back(ToJson(pool));
    if (!set.failure.empty()) one["failureReason"] = set.failure;
    out["poolSetResults"].push_back(one);
  }
  return out;
}

json ToJson(const OriginalNodeResult& result) {
  json out = {{"node", result.node},
              {"score", result.score},
              {"summary", result.summary},
              {"allocations", json::array()},
              {"claims", json::array()}};
  for (const OriginalPoolResult& pool : result.allocations) {
    out["allocations"].push_back({{"deviceCount", pool.count}, {"devicePoolName", pool.pool}});
  }
  for (const OriginalClaimResult& claim : result.claims) out["claims"].push_back(ToJson(claim));
  return out;
}

void CutReasons(json* value) {
  if (value->is_object() && value->contains("failureReason")) {
    (*value)["failureReason"] = Reason((*value)["failureReason"]);
  }
  if (value->is_structured()) {
    for (json& part : *value) CutReasons(&part);
  }
}

// Of the prototype's own fault, a quantity that cannot be read, the table has a row, too.
TEST(Golden, ConstraintsAreThePrototypes) {
  const json table = LoadGolden("devices.json").at("constraints");
  const json pool = {
      {"apiVersion", "devmgmtproto.k8s.io/v1alpha1"},
      {"kind", "DevicePool"},
      {"metadata", {{"name", "p"}}},
      {"spec", {{"driver", "d"}, {"count", 1}, {"attributes", table["attributes"]}}}};
  const Objects objects = ReadObjects({{"pools", {pool}}});
  const auto selectors = MakeCelSelectors();
  for (const json& row : table.at("rows")) {
    SCOPED_TRACE(row.at("expr"));
    const auto selector = selectors->Compile(std::string(row.at("expr")), Environment::kOriginal);
    const auto matches = selector.ok() ? (*selector)->Matches({"d", objects.pools.at(0).attributes})
                                       : absl::StatusOr<bool>(selector.status());
    EXPECT_EQ(matches.ok(), row.contains("result")) << matches.status();
    if (matches.ok()) {
      EXPECT_EQ(*matches, row.value("result", json()));
    }
  }
}

TEST(Golden, OriginalResultsAreThePrototypes) {
  const json table = LoadGolden("devices.json");
  for (const json& row : table.at("pools_dialect")) {
    SCOPED_TRACE(row.at("id"));
    const Objects objects = ReadObjects(row.at("input"));
    const auto results =
        OriginalResults(PointersTo(objects.claims), PointersTo(objects.pools), *MakeCelSelectors());
    const json& prototype = row.at("prototype");
    if (prototype.contains("panic")) {
      EXPECT_EQ(results.status().code(), absl::StatusCode::kInvalidArgument);
      continue;
    }
    ASSERT_TRUE(results.ok()) << results.status();
    json nodes = json::array();
    for (const OriginalNodeResult& node : *results) nodes.push_back(ToJson(node));
    json wanted = prototype.at("nodes");
    CutReasons(&wanted);
    EXPECT_EQ(nodes, wanted);
  }
}

// Pairs of claim and pool.
json PairsOf(const Answer& answer) {
  if (answer.verdict.kind() != Verdict::Kind::kFits) return nullptr;
  int64_t pairs = 0;
  for (const ClaimAllocation& claim : answer.claims) {
    std::set<std::string> pools;
    for (const Allocation& one : claim.allocations) pools.insert(one.pool);
    pairs += static_cast<int64_t>(pools.size());
  }
  return pairs;
}

TEST(Golden, CountsAreTakenFromTheFewestPools) {
  const json table = LoadGolden("devices.json");
  const auto selectors = MakeCelSelectors();
  const Allocator allocator(*selectors);
  for (const json& row : table.at("pools_dialect")) {
    SCOPED_TRACE(row.at("id"));
    const Objects objects = ReadObjects(row.at("input"));
    const Inventory inventory = InventoryOf(objects);
    const Demand demand = allocator.Resolve(inventory, PointersTo(objects.claims));
    const json& corrected = row.at("corrected");
    json invalid = json::object();
    for (const InvalidClaim& one : demand.invalid()) {
      invalid[objects.claims[one.claim].name] = one.fault;
    }
    EXPECT_EQ(invalid, corrected.value("invalid_claims", json::object()));
    if (!corrected.contains("fewest_pools")) continue;
    json fewest = json::object();
    for (const std::string& node : inventory.Nodes()) {
      fewest[node] = PairsOf(allocator.Allocate(inventory, demand, node));
    }
    EXPECT_EQ(fewest, corrected.at("fewest_pools"));
  }
}

TEST(Golden, DevicesFitWhereUpstreamFitsThem) {
  const json table = LoadGolden("devices.json");
  const auto selectors = MakeCelSelectors();
  const Allocator allocator(*selectors);
  int first_fits = 0;
  for (const json& row : table.at("devices_dialect")) {
    SCOPED_TRACE(row.at("id"));
    const Objects objects = ReadObjects(row.at("input"));
    const Inventory inventory = InventoryOf(objects);
    const Demand demand = allocator.Resolve(inventory, PointersTo(objects.claims));
    EXPECT_TRUE(demand.invalid().empty()) << demand.invalid()[0].fault;
    for (const auto& [node, expected] : row.at("expect").items()) {
      const Answer answer = allocator.Allocate(inventory, demand, node);
      EXPECT_EQ(answer.verdict.kind() == Verdict::Kind::kFits, expected.at("fits"))
          << node << ": " << answer.verdict.reason();
      if (answer.claims.empty()) continue;
      json chosen = json::object();
      for (size_t i = 0; i < objects.claims.size(); ++i) {
        json& of_claim = chosen[objects.claims[i].name] = json::array();
        for (const Allocation& one : answer.claims[i].allocations) {
          json device = {{"deviceName", one.device}, {"devicePoolName", one.pool}};
          for (const auto& [name, amount] : one.amounts) {
            device["allocations"].push_back({{"name", name}, {"allocation", amount.ToString()}});
          }
          of_claim.push_back(device);
        }
      }
      if (chosen == expected.at("first_fit")) ++first_fits;
    }
  }
  RecordProperty("first_fits", first_fits);
  EXPECT_GT(first_fits, 0);
}

}  // namespace
}  // namespace outrigger::devices
