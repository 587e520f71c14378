#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "outrigger/k8s/node.h"

namespace outrigger::engine {

/// An immutable set of nodes by name. Thread-safe.
class NodeTable {
 public:
  /// Of two nodes with one name the last wins. Gives each node a revision.
  explicit NodeTable(std::vector<Node> nodes);
  NodeTable(const NodeTable&) = delete;
  NodeTable& operator=(const NodeTable&) = delete;

  /// The node, or nullptr. Lives as long as the table.
  const Node* Find(std::string_view name) const;
  size_t size() const { return nodes_.size(); }

 private:
  std::vector<Node> nodes_;
  absl::flat_hash_map<std::string_view, const Node*> by_name_;
};

/// Where the nodes of names-only calls come from. Thread-safe.
class NodeSource {
 public:
  virtual ~NodeSource() = default;
  /// The nodes as they are now; stays the same for who holds it. Never null.
  virtual std::shared_ptr<const NodeTable> Pin() const = 0;
};

/// A source that never changes: a file, a test.
class FixedNodes final : public NodeSource {
 public:
  explicit FixedNodes(std::vector<Node> nodes)
      : table_(std::make_shared<NodeTable>(std::move(nodes))) {}
  std::shared_ptr<const NodeTable> Pin() const override { return table_; }

 private:
  std::shared_ptr<const NodeTable> table_;
};

}  // namespace outrigger::engine
