#include "plan/shortfall/wanted_node.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace outrigger::plan {

Quantity QuantityOf(std::string_view name, int64_t value) {
  if (name == kCpu) return Quantity::FromMilli(value);
  const bool bytes = name == kMemory || name == kEphemeralStorage || name.starts_with("hugepages-");
  return Quantity::FromInt(value,
                           bytes ? Quantity::Format::kBinarySI : Quantity::Format::kDecimalSI);
}

namespace {

// Gives the node the labels that the requirement asks for; what cannot be had that way shows when
// the node is judged.
void Satisfy(const SelectorRequirement& requirement, Node* node) {
  int64_t bound = 0;
  switch (requirement.op) {
    case SelectorOperator::kIn:
      if (!requirement.values.empty()) node->labels.Set(requirement.key, requirement.values[0]);
      return;
    case SelectorOperator::kExists:
      if (!node->labels.Contains(requirement.key)) node->labels.Set(requirement.key, "");
      return;
    case SelectorOperator::kGt:
    case SelectorOperator::kLt:
      if (requirement.values.empty() || !absl::SimpleAtoi(requirement.values[0], &bound)) return;
      bound += requirement.op == SelectorOperator::kGt ? 1 : -1;
      node->labels.Set(requirement.key, absl::StrCat(bound));
      return;
    case SelectorOperator::kNotIn:
    case SelectorOperator::kDoesNotExist:
      return;
  }
}

void SatisfyFirstTerm(const NodeSelector& selector, Node* node) {
  if (selector.terms.empty()) return;
  for (const auto& requirement : selector.terms.front().match_expressions) {
    Satisfy(requirement, node);
  }
}

Node WithRoomFor(const NodeSpace& space, ShapeIndex shape) {
  Node node;
  for (const auto& [column, value] : space.shape(shape).requests) {
    const std::string& name = space.columns().Name(column);
    node.allocatable.Set(name, QuantityOf(name, value));
  }
  return node;
}

// Labels as the shape's own words ask for them.
Node AsAsked(const Shape& shape, Node node) {
  for (const auto& [key, value] : shape.example->node_selector) node.labels.Set(key, value);
  if (shape.example->affinity.required_node) {
    SatisfyFirstTerm(*shape.example->affinity.required_node, &node);
  }
  for (const NodeSelector& selector : shape.pinned) SatisfyFirstTerm(selector, &node);
  return node;
}

}  // namespace

std::optional<Node> WantedNode(const NodeSpace& space, ShapeIndex index,
                               const std::vector<std::string>& labels, const Domain* domain) {
  const Shape& shape = space.shape(index);
  const auto place = [&](Node node) {
    for (size_t i = 0; domain != nullptr && i < labels.size(); ++i) {
      node.labels.Set(labels[i], domain->values[i]);
    }
    node.labels.Set(kHostname, "such-a-node");  // of its own: no local volume is there
    return node;
  };
  const Node bare = WithRoomFor(space, index);
  Node node = place(AsAsked(shape, bare));
  if (MayTake(shape, node)) return node;
  // One that is there and would be taken shows what labels it needs.
  for (const Slot slot : space.in_order()) {
    if (!space.MayTake(index, slot)) continue;
    node = bare;
    node.labels = space.node(slot).labels;
    node = place(node);
    if (MayTake(shape, node)) return node;
  }
  return std::nullopt;
}

std::string TextOfWanted(const Node& node, const std::vector<std::string>& domain_labels) {
  std::vector<std::string> amounts;
  for (const auto& [name, quantity] : node.allocatable) {
    if (name != kPods) amounts.push_back(absl::StrCat(name, " ", quantity.ToString()));
  }
  std::vector<std::string> labels;
  for (const auto& [key, value] : node.labels) {
    const bool of_domain =
        std::find(domain_labels.begin(), domain_labels.end(), key) != domain_labels.end();
    if (!of_domain) labels.push_back(absl::StrCat(key, "=", value));
  }
  std::string text = amounts.empty() ? "room for a pod" : absl::StrJoin(amounts, ", ") + " free";
  if (labels.empty()) return text;
  absl::StrAppend(&text, labels.size() == 1 ? " and label " : " and labels ",
                  absl::StrJoin(labels, ", "));
  return text;
}

std::string TextOfRequests(const NodeSpace& space, ShapeIndex shape) {
  std::vector<std::string> amounts;
  for (const auto& [column, value] : space.shape(shape).requests) {
    const std::string& name = space.columns().Name(column);
    if (name != kPods)
      amounts.push_back(absl::StrCat(name, " ", QuantityOf(name, value).ToString()));
  }
  return amounts.empty() ? "no resources" : absl::StrJoin(amounts, ", ");
}

}  // namespace outrigger::plan
