#include "lab/nodes/shape.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "absl/strings/numbers.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "outrigger/k8s/label_syntax.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger::lab {

const std::string_view kNodeShapeSyntax =
    "COUNT, then any of cpu=, memory=, ephemeral-storage=, pods=, hugepages-SIZE=, "
    "DOMAIN/RESOURCE=, racks=, zones=, prefix= and label:KEY=VALUE, separated by commas";

namespace {

constexpr std::string_view kLabelMark = "label:";
constexpr int kLeastDigits = 4;

absl::Status ShapeRefused(std::string_view part, std::string_view accepted) {
  return absl::InvalidArgumentError(
      fmt::format("\"{}\" is not accepted; expected {}", Printable(part), accepted));
}

bool IsCounted(std::string_view resource) {
  return resource == kPods || resource.find('/') != std::string_view::npos;
}

bool IsResourceName(std::string_view name) {
  return name == kCpu || name == kMemory || name == kEphemeralStorage || name == kPods ||
         name.starts_with("hugepages-") ||
         (name.find('/') != std::string_view::npos && IsLabelKey(name));
}

absl::Status SetAmount(std::string_view part, std::string_view name, std::string_view value,
                       NodeShape* shape) {
  const auto amount = Quantity::Parse(value);
  const bool counted = IsCounted(name);
  if (!amount.ok() || *amount < Quantity() ||
      (counted && *amount != Quantity::FromInt(amount->Value()))) {
    return ShapeRefused(part, counted ? "a whole number" : "an amount such as 32, 500m or 128Gi");
  }
  shape->allocatable.Set(name, *amount);
  return absl::OkStatus();
}

absl::Status SetNumber(std::string_view part, std::string_view value, int* number) {
  if (absl::SimpleAtoi(std::string(value), number) && *number >= 1 &&
      *number <= NodeShape::kMostNodes) {
    return absl::OkStatus();
  }
  return ShapeRefused(part, fmt::format("1 to {}", NodeShape::kMostNodes));
}

absl::Status AddLabel(std::string_view part, std::string_view key, std::string_view value,
                      NodeShape* shape) {
  if (!IsLabelKey(key) || !IsLabelValue(value)) {
    return ShapeRefused(part, "label:KEY=VALUE of a label that Kubernetes accepts");
  }
  shape->labels.emplace_back(key, value);
  return absl::OkStatus();
}

absl::Status ReadPart(std::string_view part, NodeShape* shape) {
  const size_t equals = part.find('=');
  if (equals == std::string_view::npos) return ShapeRefused(part, kNodeShapeSyntax);
  const std::string_view key = part.substr(0, equals);
  const std::string_view value = part.substr(equals + 1);
  if (key == "racks") return SetNumber(part, value, &shape->racks);
  if (key == "zones") return SetNumber(part, value, &shape->zones);
  if (key.starts_with(kLabelMark)) {
    return AddLabel(part, key.substr(kLabelMark.size()), value, shape);
  }
  if (key == "prefix") {
    shape->prefix = value;
    if (IsDnsLabel(shape->prefix + "0")) return absl::OkStatus();
    return ShapeRefused(part, "the beginning of a name: lower-case letters, digits and -");
  }
  if (IsResourceName(key)) return SetAmount(part, key, value, shape);
  return ShapeRefused(part, kNodeShapeSyntax);
}

std::vector<std::pair<std::string, std::string>> LabelsOf(const NodeShape& shape, int index,
                                                          const std::string& name) {
  std::vector<std::pair<std::string, std::string>> labels = {
      {"kubernetes.io/hostname", name},
      {"kubernetes.io/os", "linux"},
      {"kubernetes.io/arch", "amd64"},
      {std::string(kSimulatedLabel), "true"}};
  // Neighbours share a rack, and racks lie in one zone each.
  int place = index;
  int places = shape.count;
  if (shape.racks > 0) {
    place = static_cast<int>(int64_t{index} * shape.racks / shape.count);
    places = shape.racks;
    labels.emplace_back(kRackLabel, fmt::format("rack-{}", place));
  }
  labels.emplace_back("topology.kubernetes.io/zone",
                      fmt::format("zone-{}", int64_t{place} * shape.zones / places));
  for (const auto& [key, value] : shape.labels) {
    std::erase_if(labels, [&key = key](const auto& label) { return label.first == key; });
    labels.emplace_back(key, value);
  }
  return labels;
}

}  // namespace

absl::StatusOr<NodeShape> ParseNodeShape(std::string_view text) {
  NodeShape shape;
  shape.allocatable = {{std::string(kCpu), Quantity::FromInt(32)},
                       {std::string(kMemory), *Quantity::Parse("128Gi")},
                       {std::string(kEphemeralStorage), *Quantity::Parse("100Gi")},
                       {std::string(kPods), Quantity::FromInt(110)}};
  const std::vector<std::string> parts = SplitList(text);
  absl::Status status = SetNumber(parts.front(), parts.front(), &shape.count);
  if (!status.ok() && parts.front().find('=') != std::string::npos) {
    status = ShapeRefused(text, kNodeShapeSyntax);
  }
  std::set<std::string> seen;
  for (size_t i = 1; i < parts.size() && status.ok(); ++i) {
    if (!seen.insert(parts[i].substr(0, parts[i].find('='))).second) {
      return ShapeRefused(parts[i], "each name once");
    }
    status = ReadPart(parts[i], &shape);
  }
  if (!status.ok()) return status;
  if (shape.racks > shape.count || (shape.racks > 0 && shape.zones > shape.racks) ||
      shape.zones > shape.count) {
    return ShapeRefused(text, "at most as many racks as nodes, and as many zones as racks");
  }
  return shape;
}

absl::StatusOr<std::vector<SimulatedNode>> NodesOf(const std::vector<NodeShape>& shapes,
                                                   std::vector<SimulatedNode> nodes) {
  std::map<std::string, int> totals;
  size_t total = nodes.size();
  for (const NodeShape& shape : shapes) {
    totals[shape.prefix] += shape.count;
    total += static_cast<size_t>(shape.count);
  }
  if (total == 0 || total > NodeShape::kMostNodes) {
    return absl::InvalidArgumentError(
        fmt::format("{} nodes are not accepted; expected 1 to {}", total, NodeShape::kMostNodes));
  }
  std::map<std::string, int> next;
  for (const NodeShape& shape : shapes) {
    const int last = totals[shape.prefix] - 1;
    const int digits = std::max<int>(kLeastDigits, static_cast<int>(std::to_string(last).size()));
    for (int i = 0; i < shape.count; ++i) {
      std::string name = fmt::format("{}{:0{}}", shape.prefix, next[shape.prefix]++, digits);
      auto labels = LabelsOf(shape, i, name);
      nodes.push_back({std::move(name), std::move(labels), shape.allocatable});
    }
  }
  std::set<std::string_view> names;
  for (const SimulatedNode& node : nodes) {
    if (names.insert(node.name).second) continue;
    return absl::InvalidArgumentError(fmt::format("two nodes would be called {}", node.name));
  }
  return nodes;
}

}  // namespace outrigger::lab
