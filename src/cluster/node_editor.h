#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cluster/contents.h"

namespace outrigger::cluster {

/// What an update did.
enum class Effect : uint8_t {
  kNone,
  kVersion,  // a resource version is newer, nothing else
  kState,    // the same or what only ChangeScope::kAllAndStates has
  kContent,
};

/// Changes the nodes of a version, and what is on them. Not thread-safe.
class NodeEditor {
 public:
  /// Both outlive this; `epoch` is what it is at the time of a call.
  NodeEditor(Contents* contents, const uint64_t* epoch) : contents_(*contents), epoch_(*epoch) {}

  Effect Upsert(const Node& node);
  /// The pods of a node that goes wait for it to come back. False: there is no such node.
  bool Remove(std::string_view name);

  /// Puts `pod` on `node`, or replaces the pod of that key there. Where the node is unknown the
  /// pod waits for it.
  void PutPod(std::string_view node, const PodPtr& pod);
  /// Takes the pod, which PutPod() has put there, from `node`.
  void RemovePod(std::string_view node, const PodKey& pod);

 private:
  void Add(const Node& node);
  size_t TakeSlot();
  void FreeSlot(size_t slot);
  NodeState& Mutable(size_t slot);
  void PutNode(size_t slot, std::shared_ptr<const Node> node);

  Contents& contents_;
  const uint64_t& epoch_;
  std::set<size_t> free_;  // empty slots below contents_.nodes.size()
  // Pods of nodes that are not known, in the order of their keys.
  absl::flat_hash_map<std::string, std::vector<PodPtr>> waiting_;
};

}  // namespace outrigger::cluster
