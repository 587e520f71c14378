#include "devices/commands/claims/explained.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "console/format/text.h"
#include "console/format/text_table.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

using devices::Allocation;

int64_t CountIn(const std::vector<Allocation>& allocations, const std::string& pool) {
  int64_t count = 0;
  for (const Allocation& one : allocations) {
    if (one.pool == pool) count += one.count;
  }
  return count;
}

std::vector<ExplainedPool> PoolsOn(const Placement& placement, const NodePlacement& node) {
  std::vector<ExplainedPool> pools;
  const auto& claims = placement.asked().claims;
  for (size_t i = 0; i < claims.size(); ++i) {
    for (PoolView& view : placement.PoolsFor(i, node.node)) {
      ExplainedPool pool{claims[i]->claim.name, std::move(view), 0, {}};
      const std::string& name = pool.view.pool->name;
      if (node.fits) pool.gets = CountIn(node.claims[i], name);
      for (const std::string& holder : pool.view.use.claims) {
        pool.held[holder] = CountIn(placement.use().held.at(holder), name);
      }
      pools.push_back(std::move(pool));
    }
  }
  return pools;
}

// "1 in use by default/job, 2 by default/other"
std::string HeldText(const ExplainedPool& pool) {
  std::vector<std::string> texts;
  for (const auto& [claim, count] : pool.held) {
    texts.push_back(fmt::format("{}{} by {}", count, texts.empty() ? " in use" : "", claim));
  }
  return absl::StrJoin(texts, ", ");
}

Cell StateCell(const NodePlacement& node) {
  if (!node.no_room.empty()) return {"no room", Style::kBad};
  if (node.fits) return {"fit", Style::kGood};
  return {node.would_fit_empty ? "in use" : "never", Style::kBad};
}

std::vector<Cell> PoolRow(const ExplainedPool& pool) {
  const devices::PoolUse& use = pool.view.use;
  std::vector<Cell> row(3);
  row.push_back({pool.claim});
  row.push_back({pool.view.pool->name});
  row.push_back({fmt::format("{} of {}", use.total - use.used, use.total), Style::kPlain, true});
  row.push_back({pool.gets > 0 ? fmt::format("{}", pool.gets) : "-", Style::kPlain, true});
  row.push_back({pool.view.ignored.empty() ? HeldText(pool) : pool.view.ignored});
  return row;
}

nlohmann::ordered_json PoolJsonOf(const ExplainedPool& pool) {
  nlohmann::ordered_json json = {{"claim", pool.claim},
                                 {"pool", pool.view.pool->name},
                                 {"total", pool.view.use.total},
                                 {"free", pool.view.use.total - pool.view.use.used},
                                 {"gets", pool.gets}};
  if (!pool.view.ignored.empty()) json["ignored"] = pool.view.ignored;
  json["inUse"] = nlohmann::ordered_json::array();
  for (const auto& [claim, count] : pool.held) {
    json["inUse"].push_back({{"claim", claim}, {"count", count}});
  }
  return json;
}

}  // namespace

ExplainedClaims ExplainClaims(const Placement& placement, const std::vector<std::string>& shown) {
  ExplainedClaims explained;
  for (const devices::ClaimObject* claim : placement.asked().claims) {
    explained.names.push_back(claim->claim.name);
  }
  explained.nodes = placement.nodes().size();
  for (const std::string& name : placement.nodes()) {
    NodePlacement node = placement.On(name);
    if (node.fits) ++explained.fitting;
    if (node.fits && node.no_room.empty()) ++explained.with_room;
    if (!shown.empty() && std::find(shown.begin(), shown.end(), name) == shown.end()) continue;
    std::vector<ExplainedPool> pools = PoolsOn(placement, node);
    explained.shown.push_back({std::move(node), std::move(pools)});
  }
  return explained;
}

std::string ClaimsTable(const ExplainedClaims& explained, bool color, size_t columns) {
  std::vector<std::vector<Cell>> rows(1);
  for (const char* title : {"NODE", "DEVICES", "SCORE", "CLAIM", "POOL", "FREE", "GETS", "WHY"}) {
    const std::string_view name = title;
    const bool is_number = name == "SCORE" || name == "FREE" || name == "GETS";
    rows[0].push_back({title, Style::kStrong, is_number});
  }
  for (const ExplainedNodeClaims& node : explained.shown) {
    const NodePlacement& placement = node.placement;
    std::vector<Cell>& row = rows.emplace_back();
    row.push_back({placement.node, Style::kStrong});
    row.push_back(StateCell(placement));
    row.push_back(
        {placement.fits ? fmt::format("{}", placement.Points()) : "-", Style::kPlain, true});
    row.resize(7);
    row.push_back({placement.fits ? placement.no_room : placement.reason});
    for (const ExplainedPool& pool : node.pools) rows.push_back(PoolRow(pool));
  }
  const std::string counts =
      fmt::format("{} of {} node{} {} devices for {}{}", explained.fitting, explained.nodes,
                  explained.nodes == 1 ? "" : "s", explained.fitting == 1 ? "has" : "have",
                  Printable(Listed(explained.names)),
                  explained.with_room == explained.fitting
                      ? ""
                      : fmt::format(", {} of these room for the pod", explained.with_room));
  return fmt::format("{:<10} {}\n\n{}", "Claims:",
                     Styled(counts, explained.with_room > 0 ? Style::kGood : Style::kBad, color),
                     TextTable(rows, color, columns));
}

nlohmann::ordered_json ClaimsJson(const ExplainedClaims& explained) {
  nlohmann::ordered_json json = {{"names", explained.names},
                                 {"nodes", explained.nodes},
                                 {"fitting", explained.fitting},
                                 {"byNode", nlohmann::ordered_json::array()}};
  for (const ExplainedNodeClaims& node : explained.shown) {
    const NodePlacement& placement = node.placement;
    nlohmann::ordered_json one = {
        {"name", placement.node}, {"fits", placement.fits}, {"score", placement.Points()}};
    if (!placement.fits) {
      one["fitsWhenEmpty"] = placement.would_fit_empty;
      one["reason"] = placement.reason;
    }
    if (!placement.no_room.empty()) one["noRoom"] = placement.no_room;
    one["pools"] = nlohmann::ordered_json::array();
    for (const ExplainedPool& pool : node.pools) one["pools"].push_back(PoolJsonOf(pool));
    json["byNode"].push_back(std::move(one));
  }
  return json;
}

}  // namespace outrigger::cli
