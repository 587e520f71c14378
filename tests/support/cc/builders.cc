#include "builders.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace outrigger::testing {
namespace {

using Amounts = std::initializer_list<std::pair<std::string_view, std::string_view>>;

ResourceList ListOf(Amounts amounts) {
  ResourceList list;
  for (const auto& [name, quantity] : amounts) list.Set(name, Q(quantity));
  return list;
}

LabelSelector SelectorOf(std::string_view label, std::string_view value) {
  LabelSelector selector;
  selector.match_labels.Set(label, value);
  return selector;
}

PodAffinityTerm TermOf(std::string_view topology_key, std::string_view label,
                       std::string_view value) {
  PodAffinityTerm term;
  term.label_selector = SelectorOf(label, value);
  term.topology_key = topology_key;
  return term;
}

std::vector<NodeRef> RefsTo(const std::vector<Node>& nodes) {
  return {nodes.begin(), nodes.end()};
}

}  // namespace

Quantity Q(std::string_view text) {
  auto quantity = Quantity::Parse(text);
  if (!quantity.ok()) {
    std::fprintf(stderr, "test data: %s\n", quantity.status().ToString().c_str());
    std::abort();
  }
  return *quantity;
}

MakeNode::MakeNode(std::string_view name) {
  node_.name = name;
  node_.ready = ConditionStatus::kTrue;
  Allocatable("cpu", "4").Allocatable("memory", "16Gi").Allocatable("pods", "110");
}
MakeNode& MakeNode::Label(std::string_view key, std::string_view value) {
  node_.labels.Set(key, value);
  return *this;
}
MakeNode& MakeNode::Annotation(std::string_view key, std::string_view value) {
  node_.annotations.Set(key, value);
  return *this;
}
MakeNode& MakeNode::Allocatable(std::string_view resource, std::string_view quantity) {
  node_.allocatable.Set(resource, Q(quantity));
  node_.capacity.Set(resource, Q(quantity));
  return *this;
}
MakeNode& MakeNode::NoAllocatable() {
  node_.allocatable.clear();
  node_.capacity.clear();
  return *this;
}
MakeNode& MakeNode::AddTaint(std::string_view key, std::string_view value, TaintEffect effect) {
  node_.taints.push_back({std::string(key), std::string(value), effect});
  return *this;
}
MakeNode& MakeNode::Unschedulable() {
  node_.unschedulable = true;
  return *this;
}
MakeNode& MakeNode::Address(std::string_view address, std::string_view type) {
  node_.addresses.push_back({std::string(type), std::string(address)});
  return *this;
}
MakeNode& MakeNode::Ready(ConditionStatus ready) {
  node_.ready = ready;
  return *this;
}
MakeNode& MakeNode::Unknown() {
  Node only_name;
  only_name.name = node_.name;
  only_name.known = false;
  node_ = only_name;
  return *this;
}

MakePod::MakePod(std::string_view name) {
  pod_.name = name;
  pod_.namespace_ = "default";
  pod_.uid = "uid-" + std::string(name);
  pod_.scheduler_name = "default-scheduler";
  pod_.containers.push_back({.name = "main", .requests = {}, .limits = {}});
}
MakePod& MakePod::On(std::string_view node) {
  pod_.node_name = node;
  return Phase("Running");
}
MakePod& MakePod::Phase(std::string_view phase) {
  pod_.phase = phase;
  return *this;
}
MakePod& MakePod::State(ContainerState state) {
  pod_.container_states.push_back(std::move(state));
  return *this;
}
MakePod& MakePod::Namespace(std::string_view value) {
  pod_.namespace_ = value;
  return *this;
}
MakePod& MakePod::Label(std::string_view key, std::string_view value) {
  pod_.labels.Set(key, value);
  return *this;
}
MakePod& MakePod::Annotation(std::string_view key, std::string_view value) {
  pod_.annotations.Set(key, value);
  return *this;
}
MakePod& MakePod::Requests(Amounts amounts) {
  pod_.containers.front().requests = ListOf(amounts);
  return *this;
}
MakePod& MakePod::AddContainer(Amounts amounts) {
  pod_.containers.push_back({.name = "c" + std::to_string(pod_.containers.size()),
                             .requests = ListOf(amounts),
                             .limits = {}});
  return *this;
}
MakePod& MakePod::AddInitContainer(Amounts amounts, bool restart_always) {
  pod_.init_containers.push_back({.name = "i" + std::to_string(pod_.init_containers.size()),
                                  .requests = ListOf(amounts),
                                  .limits = {},
                                  .restart_always = restart_always});
  return *this;
}
MakePod& MakePod::Overhead(Amounts amounts) {
  pod_.overhead = ListOf(amounts);
  return *this;
}
MakePod& MakePod::PodLevelRequests(Amounts amounts) {
  pod_.pod_requests = ListOf(amounts);
  return *this;
}

MakePod& MakePod::AddHostPort(int32_t port, std::string_view protocol, std::string_view ip) {
  pod_.host_ports.push_back(
      {.ip = std::string(ip), .protocol = std::string(protocol), .port = port});
  return *this;
}
MakePod& MakePod::RequireNear(std::string_view topology_key, std::string_view label,
                              std::string_view value) {
  pod_.affinity.required_pod.push_back(TermOf(topology_key, label, value));
  return *this;
}
MakePod& MakePod::RequireApart(std::string_view topology_key, std::string_view label,
                               std::string_view value) {
  pod_.affinity.required_pod_anti.push_back(TermOf(topology_key, label, value));
  return *this;
}
MakePod& MakePod::Spread(int32_t max_skew, std::string_view topology_key, std::string_view label,
                         std::string_view value) {
  TopologySpreadConstraint& constraint = pod_.topology_spread.emplace_back();
  constraint.max_skew = max_skew;
  constraint.topology_key = topology_key;
  constraint.hard = true;
  constraint.label_selector = SelectorOf(label, value);
  return *this;
}

void RecordingDiagnostics::Malformed(std::string_view node, std::string_view field,
                                     std::string_view value, std::string_view accepted) {
  entries.push_back(
      {std::string(node), std::string(field), std::string(value), std::string(accepted)});
}

OwnedRequest::OwnedRequest(Pod pod, std::vector<Node> nodes, bool explaining)
    : pod_(std::move(pod)),
      nodes_(std::move(nodes)),
      refs_(RefsTo(nodes_)),
      request_{.pod = pod_,
               .nodes = NodeList(refs_),
               .diagnostics = diagnostics_,
               .explaining = explaining} {}

}  // namespace outrigger::testing
