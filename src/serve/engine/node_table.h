#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "outrigger/k8s/node.h"
#include "sdk/names/name_table.h"

namespace outrigger::engine {

/// Nodes by name as they were at one moment. Immutable, thread-safe.
class NodeView {
 public:
  virtual ~NodeView() = default;
  /// The node, or nullptr. Lives as long as the view. Asked for thousands of names in one call.
  virtual const Node* Find(std::string_view name) const = 0;
  /// Find() of each name, into `found`, which is as long. False if a node is named twice.
  virtual bool FindAll(std::span<const std::string_view> names, std::span<NodeRef> found) const = 0;
  /// Of two views of one source with the same generation all nodes are equal.
  virtual uint64_t generation() const { return 0; }
};

/// Where the nodes of names-only calls come from. Thread-safe.
class NodeSource {
 public:
  virtual ~NodeSource() = default;
  /// The nodes as they are now; stays the same for who holds it. Never null. Unavailable if what
  /// is known is too old to decide by; the text says what is behind, and why, and is the same as
  /// long as that is so (it ends in the pod's condition, and a changed one wakes the pod).
  virtual absl::StatusOr<std::shared_ptr<const NodeView>> Pin() const = 0;
  /// Waits until the nodes are of another generation than `generation`, or `limit` is over, or the
  /// caller has gone; true if they are. One that never changes does not wait.
  virtual bool AwaitChange(uint64_t /*generation*/, std::chrono::milliseconds /*limit*/,
                           const std::stop_token& /*abandoned*/) const {
    return false;
  }
};

/// Nodes of which a copy is kept.
class NodeTable final : public NodeView {
 public:
  /// Of two nodes with one name the last wins. Gives each node a revision.
  explicit NodeTable(std::vector<Node> nodes);
  NodeTable(const NodeTable&) = delete;
  NodeTable& operator=(const NodeTable&) = delete;

  const Node* Find(std::string_view name) const override;
  bool FindAll(std::span<const std::string_view> names, std::span<NodeRef> found) const override;
  size_t size() const { return nodes_.size(); }

 private:
  std::vector<Node> nodes_;
  std::vector<NodeRef> refs_;  // to each
  names::NameTable names_;
};

/// A source that never changes: a file, a test.
class FixedNodes final : public NodeSource {
 public:
  explicit FixedNodes(std::vector<Node> nodes)
      : table_(std::make_shared<NodeTable>(std::move(nodes))) {}
  absl::StatusOr<std::shared_ptr<const NodeView>> Pin() const override { return table_; }

 private:
  std::shared_ptr<const NodeTable> table_;
};

}  // namespace outrigger::engine
