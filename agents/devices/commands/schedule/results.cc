#include "devices/commands/schedule/results.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "devices/allocation/original.h"
#include "devices/allocation/selectors.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

using devices::Allocation;
using SortedJson = nlohmann::json;

SortedJson AmountsJson(const devices::Amounts& amounts) {
  SortedJson list = SortedJson::array();
  for (const auto& [name, amount] : amounts) {
    list.push_back({{"name", name}, {"allocation", amount.ToString()}});
  }
  return list;
}

SortedJson AllocationJson(const Allocation& one) {
  SortedJson json = {{"devicePoolName", one.pool}};
  if (one.device.empty()) {
    json["deviceCount"] = one.count;
  } else {
    json["deviceName"] = one.device;
  }
  if (!one.amounts.empty()) json["allocations"] = AmountsJson(one.amounts);
  return json;
}

// What a claim gets, pool by pool.
SortedJson PoolResults(const std::vector<Allocation>& allocations) {
  std::vector<std::string> order;
  std::map<std::string, SortedJson> pools;
  for (const Allocation& one : allocations) {
    const auto [at, is_new] = pools.try_emplace(one.pool);
    SortedJson& pool = at->second;
    if (is_new) {
      order.push_back(one.pool);
      pool = {{"poolName", one.pool}, {"deviceCount", 0}};
    }
    pool["deviceCount"] = pool["deviceCount"].get<int64_t>() + one.count;
    if (!one.device.empty()) pool["devices"].push_back(one.device);
  }
  SortedJson list = SortedJson::array();
  for (const std::string& pool : order) list.push_back(std::move(pools[pool]));
  return list;
}

SortedJson ClaimResult(const Placement& placement, const NodePlacement& node, size_t index) {
  SortedJson json = {{"claimName", placement.asked().claims[index]->claim.name},
                     {"best", node.fits ? 0 : -1},
                     {"poolSetResults", nullptr}};
  for (const PoolView& view : placement.PoolsFor(index, node.node)) {
    if (view.ignored.empty()) continue;
    json["ignoredPools"].push_back(
        {{"poolName", view.pool->name}, {"deviceCount", 0}, {"failureReason", view.ignored}});
  }
  if (node.fits) {
    json["poolSetResults"] = {
        {{"poolResults", PoolResults(node.claims[index])}, {"score", node.Points()}}};
  }
  return json;
}

double Rounded(double value) {
  constexpr double kThousandths = 1000;
  return std::round(value * kThousandths) / kThousandths;
}

SortedJson NodeResult(const Placement& placement, const NodePlacement& node) {
  SortedJson json = {{"NodeName", node.node},
                     {"DeviceClaimResults", SortedJson::array()},
                     {"score", node.Points()},
                     {"searchSteps", node.steps}};
  for (size_t i = 0; i < placement.asked().claims.size(); ++i) {
    json["DeviceClaimResults"].push_back(ClaimResult(placement, node, i));
  }
  if (node.fits) {
    json["scores"] = {{"packing", Rounded(node.scores.packing)},
                      {"intact", Rounded(node.scores.intact)},
                      {"choice", Rounded(node.scores.choice)}};
  } else {
    json["failureReason"] = node.reason;
  }
  if (!node.no_room.empty()) json["failureReason"] = node.no_room;
  return json;
}

// A reason may have an expression with a caret below.
std::string Indented(const std::string& text) {
  std::vector<std::string> lines;
  for (const auto line : absl::StrSplit(text, '\n')) {
    lines.push_back("  " + Printable({line.data(), line.size()}));
  }
  return absl::StrJoin(lines, "\n");
}

std::string SummaryOf(const NodePlacement& node) {
  if (!node.no_room.empty()) {
    return Printable(
        fmt::format("{}: has the devices, but no room for the pod: {}", node.node, node.no_room));
  }
  if (node.fits) {
    return Printable(
        fmt::format("{}: satisfied all claims with score {}", node.node, node.Points()));
  }
  const std::string line = fmt::format("{}: could not satisfy these claims: {}", node.node,
                                       absl::StrJoin(node.unsatisfied, ", "));
  return Printable(line) + "\n" + Indented(node.reason);
}

SortedJson OriginalJson(const devices::OriginalPoolResult& result) {
  SortedJson json = {{"deviceCount", result.count}, {"poolName", result.pool}};
  if (!result.failure.empty()) json["failureReason"] = result.failure;
  return json;
}

SortedJson OriginalJson(const devices::OriginalClaimResult& result) {
  SortedJson json = {
      {"best", result.best}, {"claimName", result.claim}, {"poolSetResults", nullptr}};
  for (const auto& pool : result.ignored) json["ignoredPools"].push_back(OriginalJson(pool));
  for (const devices::OriginalPoolSetResult& set : result.sets) {
    SortedJson one = {{"score", set.score}};
    for (const auto& pool : set.pools) one["poolResults"].push_back(OriginalJson(pool));
    if (!set.failure.empty()) one["failureReason"] = set.failure;
    json["poolSetResults"].push_back(std::move(one));
  }
  return json;
}

SortedJson OriginalAllocations(const devices::OriginalNodeResult& node) {
  SortedJson list = SortedJson::array();
  for (const devices::OriginalPoolResult& pool : node.allocations) {
    list.push_back({{"deviceCount", pool.count}, {"devicePoolName", pool.pool}});
  }
  return list;
}

}  // namespace

ScheduleResults ResultsOf(const Placement& placement, bool whole) {
  ScheduleResults results;
  results.pod = placement.asked().pod;
  std::vector<NodePlacement> nodes;
  for (const std::string& name : placement.nodes()) {
    const NodePlacement& node = nodes.emplace_back(placement.On(name));
    results.summaries.push_back(SummaryOf(node));
    if (whole) results.nodes.push_back(NodeResult(placement, node));
  }
  const NodePlacement* const best = BestOf(nodes);
  if (best == nullptr) return results;
  results.node = best->node;
  results.score = best->Points();
  results.allocations = SortedJson::array();
  for (const std::vector<Allocation>& claim : best->claims) {
    for (const Allocation& one : claim) results.allocations.push_back(AllocationJson(one));
  }
  return results;
}

absl::StatusOr<ScheduleResults> OriginalResultsOf(const DeviceObjects& objects,
                                                  const AskedClaims& asked) {
  std::vector<const devices::Claim*> claims;
  for (const devices::ClaimObject* claim : asked.claims) claims.push_back(&claim->claim);
  std::vector<const devices::Pool*> pools;
  for (const devices::PoolObject& pool : objects.pools) pools.push_back(&pool.pool);
  const auto selectors = devices::MakeCelSelectors();
  const auto nodes = devices::OriginalResults(claims, pools, *selectors);
  if (!nodes.ok()) return nodes.status();
  ScheduleResults results;
  results.pod = asked.pod;
  for (const devices::OriginalNodeResult& node : *nodes) {
    results.summaries.push_back(node.summary);
    SortedJson json = {{"NodeName", node.node}, {"DeviceClaimResults", nullptr}};
    for (const auto& claim : node.claims) json["DeviceClaimResults"].push_back(OriginalJson(claim));
    results.nodes.push_back(std::move(json));
    if (node.score <= results.score) continue;
    results.node = node.node;
    results.score = node.score;
    results.allocations = OriginalAllocations(node);
  }
  return results;
}

}  // namespace outrigger::cli
