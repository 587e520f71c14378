#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "fmt/format.h"
#include "gang/desk/pages/desk_pages.h"
#include "gang/plan/call_resources.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/resources.h"

namespace outrigger::desk {
namespace {

using Type = PageColumn::Type;

constexpr std::string_view kZone = "topology.kubernetes.io/zone";
// Kubernetes taints nodes so; nodes are compared by taints alone, as kube-scheduler does.
constexpr std::string_view kNotReady[] = {"node.kubernetes.io/not-ready",
                                          "node.kubernetes.io/unreachable",
                                          "node.kubernetes.io/unschedulable"};

absl::string_view KeyOfDevice(std::string_view text) {
  return {text.data(), text.size()};
}

bool IsSchedulable(const Node& node) {
  return !node.unschedulable &&
         std::none_of(node.taints.begin(), node.taints.end(), [](const Taint& taint) {
           return std::find(std::begin(kNotReady), std::end(kNotReady), taint.key) !=
                  std::end(kNotReady);
         });
}

// Of the first label whose name, after the prefix, is "rack" or ends in "-rack".
std::string_view RackOf(const Node& node) {
  for (const auto& [key, value] : node.labels) {
    const std::string_view whole = key;
    const std::string_view name = whole.substr(whole.find('/') + 1);
    if (name == "rack" || name.ends_with("-rack")) return value;
  }
  return "";
}

// As v1helper.IsExtendedResourceName(): devices, and not what stands for calls.
bool IsDevice(const ResourceList::Entry& entry) {
  const std::string_view name = entry.name;
  return name.find('/') != std::string_view::npos &&
         name.find("kubernetes.io/") == std::string_view::npos && !entry.quantity.IsZero() &&
         !plan::IsCallResource(name);
}

// On how many nodes there is each device.
using DeviceCounts = absl::flat_hash_map<absl::string_view, size_t>;

DeviceCounts CountDevices(const std::vector<NodeView>& nodes) {
  DeviceCounts counts;
  for (const NodeView& node : nodes) {
    for (const auto& entry : node.node().allocatable) {
      if (IsDevice(entry)) ++counts[KeyOfDevice(entry.name)];
    }
  }
  return counts;
}

// The one that most nodes have of those that this node has; empty: it has none.
std::string_view DeviceOf(const Node& node, const DeviceCounts& counts) {
  std::string_view device;
  size_t most = 0;
  for (const auto& entry : node.allocatable) {
    if (!IsDevice(entry)) continue;
    const size_t count = counts.at(KeyOfDevice(entry.name));
    if (count > most) {
      most = count;
      device = entry.name;
    }
  }
  return device;
}

int64_t AmountOf(std::string_view resource, const Quantity& quantity) {
  return resource == kCpu ? quantity.MilliValue() : quantity.Value();
}

constexpr size_t kAmounts = 3;  // total, used, reserved

int64_t ReservedOf(std::string_view resource, const ReservedNode* reserved) {
  Quantity sum;
  if (reserved == nullptr) return 0;
  for (const Reservation& reservation : reserved->reservations) {
    if (const Quantity* amount = reservation.requests.Find(resource)) sum += *amount;
  }
  return AmountOf(resource, sum);
}

void AddAmounts(std::string_view resource, const NodeView& node, const ReservedNode* reserved,
                std::vector<PageCell>* row) {
  if (resource.empty()) return row->resize(row->size() + kAmounts);
  row->emplace_back(AmountOf(resource, node.node().allocatable.Get(resource)));
  row->emplace_back(AmountOf(resource, node.Requested(resource)));
  row->emplace_back(ReservedOf(resource, reserved));
}

// "default/train, and 3 more". Reservations are in the order of their units.
std::string ReservedFor(const Board& board, const ReservedNode* reserved) {
  if (reserved == nullptr || reserved->reservations.empty()) return "";
  const std::vector<Reservation>& all = reserved->reservations;
  size_t more = 0;
  for (size_t i = 1; i < all.size(); ++i) more += all[i].unit == all[i - 1].unit ? 0 : 1;
  const std::string first = TextOf(board.units()[all.front().unit].key);
  return more == 0 ? first : fmt::format("{}, and {} more", first, more);
}

std::vector<PageCell> RowOf(const Board& board, const NodeView& node, const DeviceCounts& counts) {
  const ReservedNode* const reserved = board.ReservationsOn(node.Name());
  const BoardUnit* const kept_for = board.KeptFor(node.Name());
  const std::string_view device = DeviceOf(node.node(), counts);
  std::vector<PageCell> row = {node.Name(), TextOrAbsent(node.node().labels.Get(kZone)),
                               TextOrAbsent(RackOf(node.node())), IsSchedulable(node.node())};
  for (const std::string_view resource : {kCpu, kMemory, kPods}) {
    AddAmounts(resource, node, reserved, &row);
  }
  row.push_back(TextOrAbsent(device));
  AddAmounts(device, node, reserved, &row);
  row.push_back(TextOrAbsent(ReservedFor(board, reserved)));
  row.push_back(kept_for == nullptr ? PageCell() : PageCell(TextOf(kept_for->key)));
  return row;
}

// Those of AddAmounts().
void AddColumns(const std::string& name, std::string_view what, std::vector<PageColumn>* columns) {
  columns->push_back(
      {name + "Total", Type::kInteger, fmt::format("{} that pods may request", what)});
  columns->push_back(
      {name + "Used", Type::kInteger, fmt::format("{} that the pods there request", what)});
  columns->push_back({name + "Reserved", Type::kInteger,
                      fmt::format("{} that reservations of the plan take besides", what)});
}

}  // namespace

PageSpec NodesPage() {
  PageSpec page{"nodes",
                "nodes, what their pods use, and what is reserved there",
                {{"node", Type::kText, "name"},
                 {"zone", Type::kText, "value of the label topology.kubernetes.io/zone"},
                 {"rack", Type::kText, "value of the label rack, or of one that ends in -rack"},
                 {"schedulable", Type::kBoolean,
                  "no: it is cordoned, or tainted as not ready or unreachable"}}};
  AddColumns("cpu", "thousandths of a core", &page.columns);
  AddColumns("memory", "bytes", &page.columns);
  AddColumns("pods", "pods", &page.columns);
  page.columns.push_back({"device", Type::kText,
                          "extended resource; of several on a node the one that most nodes have"});
  AddColumns("device", "devices", &page.columns);
  page.columns.push_back(
      {"reservedFor", Type::kText, "first unit of the queue with a reservation there"});
  page.columns.push_back(
      {"keptFor", Type::kText, "unit for which the whole node is kept free (reserve-after)"});
  return page;
}

void FillNodesPage(const Board& board, PageTable* table) {
  std::vector<NodeView> nodes;
  nodes.reserve(board.snapshot().NodeCount());
  board.snapshot().ForEachNode([&](const NodeView& node) { nodes.push_back(node); });
  std::sort(nodes.begin(), nodes.end(),
            [](const NodeView& a, const NodeView& b) { return a.Name() < b.Name(); });
  const DeviceCounts counts = CountDevices(nodes);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (table->full()) return table->Count(nodes.size() - i);
    table->Add(RowOf(board, nodes[i], counts));
  }
}

}  // namespace outrigger::desk
