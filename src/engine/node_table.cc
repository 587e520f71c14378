#include "engine/node_table.h"

#include <utility>

namespace outrigger::engine {

NodeTable::NodeTable(std::vector<Node> nodes) : nodes_(std::move(nodes)) {
  by_name_.reserve(nodes_.size());
  for (Node& node : nodes_) {
    node.revision = NextNodeRevision();
    by_name_[node.name] = &node;
  }
}

const Node* NodeTable::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

}  // namespace outrigger::engine
