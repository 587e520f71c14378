#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "load/annotate/node_values.h"
#include "outrigger/base/mutex.h"
#include "outrigger/k8s/node.h"

namespace outrigger::annotate {

/// What was written to nodes and is not in the view of the cluster yet: the view shows a patch some
/// milliseconds after its answer. Thread-safe.
class WrittenValues {
 public:
  /// The node has that version since `change` was written.
  void Note(std::string_view node, const NodeChange& change, std::string_view resource_version);

  /// The annotations `keys` of the node as the API server has them, as far as is known: those of
  /// the view, with later writes on top.
  Annotations Shown(const Node& node, const std::vector<std::string>& keys);

  void Forget(std::string_view node);
  /// Forgets the nodes that are gone.
  void Retain(const std::function<bool(std::string_view node)>& is_there);

 private:
  struct Written {
    NodeChange change;
    std::string resource_version;
  };

  Mutex mutex_;
  std::map<std::string, Written, std::less<>> written_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::annotate
