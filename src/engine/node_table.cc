#include "engine/node_table.h"

#include <utility>

#include "absl/container/flat_hash_map.h"

namespace outrigger::engine {
namespace {

names::NameTable NamesOf(const std::vector<Node>& nodes) {
  absl::flat_hash_map<std::string_view, size_t> last;
  last.reserve(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) last[nodes[i].name] = i;
  return names::NameTable({last.begin(), last.end()});
}

}  // namespace

NodeTable::NodeTable(std::vector<Node> nodes) : nodes_(std::move(nodes)), names_(NamesOf(nodes_)) {
  refs_.reserve(nodes_.size());
  for (Node& node : nodes_) {
    node.revision = NextNodeRevision();
    refs_.emplace_back(node);
  }
}

const Node* NodeTable::Find(std::string_view name) const {
  const size_t at = names_.Find(name, names::HashOf(name));
  return at == names::NameTable::kNone ? nullptr : &nodes_[at];
}

void NodeTable::FindAll(const names::HashedNames& names, std::span<NodeRef> found) const {
  for (size_t i = 0; i < names.names.size(); ++i) {
    const size_t at = names_.Find(names.names[i], names.hashes[i]);
    found[i] = at == names::NameTable::kNone ? NodeRef() : refs_[at];
  }
}

}  // namespace outrigger::engine
