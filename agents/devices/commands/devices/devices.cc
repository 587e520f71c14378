#include "devices/commands/devices/devices.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "console/args/flags.h"
#include "console/format/text_table.h"
#include "console/reading/input.h"
#include "devices/commands/devices/pool_use.h"
#include "devices/commands/devices/read_objects.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kPoolColumns = 6;

Cell CountCell(int64_t number, Style style = Style::kPlain) {
  return {fmt::format("{}", number), style, true};
}

std::vector<Cell> PoolCells(const PoolUseView& pool) {
  const int64_t free = pool.total - pool.used;
  return {{pool.name, Style::kStrong},
          {pool.node.empty() ? "-" : pool.node},
          {pool.driver},
          CountCell(pool.total),
          CountCell(pool.used),
          CountCell(free, free > 0 ? Style::kGood : Style::kBad)};
}

void AddClaim(const ClaimUse& use, std::vector<Cell>* row) {
  row->push_back({use.claim});
  row->push_back(
      {use.devices.empty() ? fmt::format("{}", use.count) : absl::StrJoin(use.devices, ",")});
  row->push_back({use.pods.empty() ? "-" : absl::StrJoin(use.pods, ",")});
}

Json ClaimJson(const ClaimUse& use) {
  Json json = {{"claim", use.claim}, {"count", use.count}};
  if (!use.devices.empty()) json["devices"] = use.devices;
  json["pods"] = use.pods;
  return json;
}

Json PoolJson(const PoolUseView& pool) {
  Json json = {{"name", pool.name},   {"node", nullptr},   {"driver", pool.driver},
               {"total", pool.total}, {"used", pool.used}, {"free", pool.total - pool.used}};
  if (!pool.node.empty()) json["node"] = pool.node;
  if (!pool.fault.empty()) json["fault"] = pool.fault;
  json["claims"] = Json::array();
  for (const ClaimUse& use : pool.claims) json["claims"].push_back(ClaimJson(use));
  return json;
}

// Pools of nodes that are not there, if it is known which are.
void AddStrays(const DeviceObjects& objects, std::vector<std::string>* notes) {
  if (objects.nodes.empty()) return;
  for (const devices::PoolObject& object : objects.pools) {
    const std::string& node = object.pool.node;
    const bool is_there = node.empty() || std::find(objects.nodes.begin(), objects.nodes.end(),
                                                    node) != objects.nodes.end();
    if (is_there) continue;
    notes->push_back(
        Printable(fmt::format("pool {}: there is no node {}", object.pool.name, node)));
  }
}

}  // namespace

std::string DevicesTable(const DeviceObjects& objects, bool color, size_t columns) {
  std::vector<std::vector<Cell>> rows(1);
  for (const char* title :
       {"POOL", "NODE", "DRIVER", "TOTAL", "USED", "FREE", "CLAIM", "DEVICES", "PODS"}) {
    const size_t column = rows[0].size();
    rows[0].push_back({title, Style::kStrong, column >= 3 && column < kPoolColumns});
  }
  for (const PoolUseView& pool : FindPoolUses(objects)) {
    std::vector<Cell> cells = PoolCells(pool);
    if (!pool.fault.empty()) {
      cells.push_back({"invalid: " + pool.fault, Style::kBad});
    } else if (pool.claims.empty()) {
      for (int i = 0; i < 3; ++i) cells.push_back({"-"});
    }
    if (pool.claims.empty() || !pool.fault.empty()) rows.push_back(cells);
    if (!pool.fault.empty()) cells.assign(kPoolColumns, Cell{});
    for (const ClaimUse& use : pool.claims) {
      AddClaim(use, &rows.emplace_back(std::move(cells)));
      cells.assign(kPoolColumns, Cell{});  // on its first row only
    }
  }
  return TextTable(rows, color, columns);
}

std::string DevicesJson(const DeviceObjects& objects) {
  Json json = {{"pools", Json::array()}};
  int64_t total = 0;
  int64_t used = 0;
  for (const PoolUseView& pool : FindPoolUses(objects)) {
    json["pools"].push_back(PoolJson(pool));
    total += pool.total;
    used += pool.used;
  }
  json["total"] = total;
  json["used"] = used;
  json["free"] = total - used;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

struct DevicesFlags {
  DeviceSources sources;
  std::string output = "table";  // table or json
  std::string color = "auto";    // auto, always or never
};

absl::StatusOr<ExplainText> ListDevices(const DevicesFlags& flags, const World& world) {
  ExplainText text;
  const auto objects = ReadDeviceObjects(flags.sources, "", world, &text.notes);
  if (!objects.ok()) return objects.status();
  AddStrays(*objects, &text.notes);
  text.text = flags.output == "json"
                  ? DevicesJson(*objects)
                  : DevicesTable(*objects, IsColored(flags.color, world),
                                 world.terminal.is_one ? world.terminal.columns : 0);
  return text;
}

absl::StatusOr<DevicesFlags> ReadDevicesFlags(const Given& given) {
  DevicesFlags flags;
  absl::Status status = ReadDeviceSources(given, &flags.sources);
  if (!status.ok()) return status;
  DeviceSources& sources = flags.sources;
  if (sources.files.empty() && sources.cluster.empty()) sources.cluster = DeviceSources::kLive;
  if (sources.cluster != DeviceSources::kLive &&
      !(sources.kubeconfig.empty() && sources.context.empty())) {
    return absl::InvalidArgumentError("--kubeconfig and --context select the live cluster");
  }
  flags.output = given.Value("--output", flags.output);
  flags.color = given.Value("--color", flags.color);
  return flags;
}

}  // namespace

Command DevicesCommand() {
  return {.name = "devices",
          .summary = "List device pools: total, used, free, and the claims and pods that use them",
          .flags = Together({DeviceSourceFlags("the live cluster unless --filename is given"),
                             {OutputFlag({"table", "json"}), ColorFlag()}}),
          .opens_connections = true,
          .run = RunOf(ReadDevicesFlags, ListDevices)};
}

}  // namespace outrigger::cli
