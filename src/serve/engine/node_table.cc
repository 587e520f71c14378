#include "serve/engine/node_table.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "sdk/names/hash.h"

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

bool NodeTable::FindAll(std::span<const std::string_view> names, std::span<NodeRef> found) const {
  std::vector<bool> seen(refs_.size());
  bool differ = true;
  names_.FindAll(names, [&](size_t i, size_t at) {
    if (at == names::NameTable::kNone) {
      found[i] = NodeRef();
      return;
    }
    differ = differ && !seen[at];
    seen[at] = true;
    found[i] = refs_[at];
  });
  return differ;
}

}  // namespace outrigger::engine
