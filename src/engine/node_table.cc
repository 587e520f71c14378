#include "engine/node_table.h"

#include <atomic>
#include <utility>

namespace outrigger::engine {

NodeTable::NodeTable(std::vector<Node> nodes) : nodes_(std::move(nodes)) {
  static std::atomic<uint64_t> next_revision{1};
  by_name_.reserve(nodes_.size());
  for (Node& node : nodes_) {
    node.revision = next_revision.fetch_add(1, std::memory_order_relaxed);
    by_name_[node.name] = &node;
  }
}

const Node* NodeTable::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

}  // namespace outrigger::engine
