#include "engine/node_table.h"

#include <utility>

#include "absl/container/flat_hash_map.h"

namespace outrigger::engine {
namespace {

cluster::NameTable NamesOf(const std::vector<Node>& nodes) {
  absl::flat_hash_map<std::string_view, size_t> last;
  last.reserve(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) last[nodes[i].name] = i;
  return cluster::NameTable({last.begin(), last.end()});
}

}  // namespace

NodeTable::NodeTable(std::vector<Node> nodes) : nodes_(std::move(nodes)), names_(NamesOf(nodes_)) {
  for (Node& node : nodes_) node.revision = NextNodeRevision();
}

const Node* NodeTable::Find(std::string_view name) const {
  const size_t at = names_.Find(name, cluster::HashOf(name));
  return at == cluster::NameTable::kNone ? nullptr : &nodes_[at];
}

void NodeTable::FindAll(std::span<const std::string_view> names,
                        std::span<const Node*> found) const {
  for (size_t i = 0; i < names.size(); ++i) {
    found[i] = Find(names[i]);
    if (found[i] != nullptr) __builtin_prefetch(&found[i]->revision);
  }
}

}  // namespace outrigger::engine
