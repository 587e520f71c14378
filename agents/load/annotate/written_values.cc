#include "load/annotate/written_values.h"

#include <utility>

#include "outrigger/k8s/resource_version.h"

namespace outrigger::annotate {

void WrittenValues::Note(std::string_view node, const NodeChange& change,
                         std::string_view resource_version) {
  if (resource_version.empty()) return;
  const MutexLock lock(mutex_);
  Written& written = written_[std::string(node)];
  for (const auto& [key, text] : change) written.change[key] = text;
  // Answers may come in another order than the writes.
  if (written.resource_version.empty() ||
      IsOlderVersion(written.resource_version, resource_version)) {
    written.resource_version = resource_version;
  }
}

Annotations WrittenValues::Shown(const Node& node, const std::vector<std::string>& keys) {
  Annotations shown;
  for (const std::string& key : keys) {
    if (const std::string* text = node.annotations.Find(key)) shown.emplace(key, *text);
  }
  const MutexLock lock(mutex_);
  const auto found = written_.find(node.name);
  if (found == written_.end()) return shown;
  if (!IsOlderVersion(node.resource_version, found->second.resource_version)) {
    written_.erase(found);
    return shown;
  }
  for (const auto& [key, text] : found->second.change) {
    if (text) {
      shown.insert_or_assign(key, *text);
    } else {
      shown.erase(key);
    }
  }
  return shown;
}

void WrittenValues::Forget(std::string_view node) {
  const MutexLock lock(mutex_);
  if (const auto found = written_.find(node); found != written_.end()) written_.erase(found);
}

void WrittenValues::Retain(const std::function<bool(std::string_view node)>& is_there) {
  const MutexLock lock(mutex_);
  std::erase_if(written_, [&](const auto& entry) { return !is_there(entry.first); });
}

}  // namespace outrigger::annotate
