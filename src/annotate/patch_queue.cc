#include "annotate/patch_queue.h"

#include <algorithm>

namespace outrigger::annotate {

void PatchQueue::Set(std::string_view node, NodeChange change) {
  auto found = entries_.find(node);
  if (found != entries_.end()) found->second.is_set_since = found->second.under_way;
  if (change.empty()) {
    if (found == entries_.end()) return;
    found->second.change.clear();
    return EraseIfIdle(found);
  }
  if (found == entries_.end()) {
    found = entries_.emplace(node, Entry{}).first;
    found->second.place = next_place_++;
  }
  found->second.change = std::move(change);
  order_.emplace(found->second.place, found->first);
}

void PatchQueue::EraseIfIdle(Entries::iterator entry) {
  if (!entry->second.change.empty()) return;
  order_.erase(entry->second.place);
  if (!entry->second.under_way) entries_.erase(entry);
}

std::optional<TakenPatch> PatchQueue::Take(TimePoint now) {
  for (const auto& [place, node] : order_) {
    Entry& entry = entries_.find(node)->second;
    if (entry.under_way || entry.not_before > now) continue;
    entry.under_way = true;
    entry.is_set_since = false;
    TakenPatch taken{node, std::move(entry.change), entry.failures};
    entry.change.clear();
    order_.erase(place);
    return taken;
  }
  return std::nullopt;
}

void PatchQueue::Done(const TakenPatch& taken) {
  const auto found = entries_.find(taken.node);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  entry.under_way = false;
  entry.failures = 0;
  entry.not_before = {};
  for (const auto& [key, text] : taken.change) {
    const auto newer = entry.change.find(key);
    if (newer != entry.change.end() && newer->second == text) entry.change.erase(newer);
  }
  EraseIfIdle(found);
}

void PatchQueue::Fail(const TakenPatch& taken, TimePoint not_before) {
  const auto found = entries_.find(taken.node);
  if (found == entries_.end()) return;
  if (!found->second.is_set_since) found->second.change = taken.change;
  Enter(found, not_before, taken.failures + 1);
}

void PatchQueue::Enter(Entries::iterator entry, TimePoint not_before, int failures) {
  Entry& entered = entry->second;
  entered.under_way = false;
  entered.failures = failures;
  entered.not_before = not_before;
  order_.erase(entered.place);
  entered.place = next_place_++;
  if (entered.change.empty()) {
    entries_.erase(entry);
  } else {
    order_.emplace(entered.place, entry->first);
  }
}

void PatchQueue::Drop(const TakenPatch& taken) {
  const auto found = entries_.find(taken.node);
  if (found == entries_.end()) return;
  if (!found->second.is_set_since) found->second.change.clear();
  Enter(found, {}, 0);
}

void PatchQueue::Retain(const std::function<bool(std::string_view node)>& is_there) {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (!is_there(entry->first)) {
      entry->second.change.clear();
      entry->second.is_set_since = entry->second.under_way;
      EraseIfIdle(entry);
    }
    entry = next;
  }
}

std::optional<PatchQueue::TimePoint> PatchQueue::NextTime() const {
  std::optional<TimePoint> first;
  for (const auto& [place, node] : order_) {
    const Entry& entry = entries_.find(node)->second;
    if (entry.under_way) continue;
    if (!first || entry.not_before < *first) first = entry.not_before;
    if (*first == TimePoint{}) break;
  }
  return first;
}

}  // namespace outrigger::annotate
