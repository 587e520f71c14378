#include "lab/framework/node_cache.h"

#include <utility>

namespace outrigger::lab {

std::shared_ptr<const Node> NodeCache::Upsert(Node node) {
  auto after = std::make_shared<const Node>(std::move(node));
  const MutexLock lock(mutex_);
  snapshot_ = nullptr;
  std::shared_ptr<const Node>& slot = nodes_[after->name];
  return std::exchange(slot, std::move(after));
}

std::shared_ptr<const Node> NodeCache::Remove(std::string_view name) {
  const MutexLock lock(mutex_);
  const auto at = nodes_.find(name);
  if (at == nodes_.end()) return nullptr;
  snapshot_ = nullptr;
  return std::move(nodes_.extract(at).mapped());
}

std::shared_ptr<const NodeList> NodeCache::Snapshot() const {
  const MutexLock lock(mutex_);
  if (snapshot_ == nullptr) {
    auto list = std::make_shared<NodeList>();
    list->reserve(nodes_.size());
    for (const auto& [name, node] : nodes_) list->push_back(node);
    snapshot_ = std::move(list);
  }
  return snapshot_;
}

bool NodeCache::Has(std::string_view name) const {
  const MutexLock lock(mutex_);
  return nodes_.contains(name);
}

}  // namespace outrigger::lab
