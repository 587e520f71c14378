#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "lab/framework/plugins.h"
#include "outrigger/base/mutex.h"
#include "outrigger/k8s/node.h"

namespace outrigger::lab {

/// The nodes as they are known now. Thread-safe.
class NodeCache {
 public:
  /// Returns what was known of the node before, or null: it is new.
  std::shared_ptr<const Node> Upsert(Node node);
  /// Returns what was known of the node, or null: nothing was.
  std::shared_ptr<const Node> Remove(std::string_view name);

  /// All of them, by name; one list for all cycles until a node changes.
  std::shared_ptr<const NodeList> Snapshot() const;
  bool Has(std::string_view name) const;

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<const Node>, std::less<>> nodes_ ABSL_GUARDED_BY(mutex_);
  mutable std::shared_ptr<const NodeList> snapshot_ ABSL_GUARDED_BY(mutex_);  // null: to be made
};

}  // namespace outrigger::lab
