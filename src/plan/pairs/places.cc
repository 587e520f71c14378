#include "plan/pairs/places.h"

namespace outrigger::plan {

void Axis::Set(size_t slot, const Node* node) {
  const int32_t before = places_[slot];
  const std::string* value = node == nullptr ? nullptr : node->labels.Find(label_);
  places_[slot] = kNowhere;
  if (value != nullptr) {
    const int32_t domain = DomainOf(*value);
    ++domains_[static_cast<size_t>(domain)].nodes;
    places_[slot] = domain;
  }
  if (before != kNowhere) Leave(before);
}

int32_t Axis::DomainOf(const std::string& value) {
  const auto next = unused_.empty() ? static_cast<int32_t>(domains_.size()) : unused_.back();
  const auto [found, is_new] = by_value_.try_emplace(value, next);
  if (!is_new) return found->second;
  if (unused_.empty()) {
    domains_.emplace_back();
  } else {
    unused_.pop_back();
  }
  domains_[static_cast<size_t>(next)].value = value;
  return next;
}

void Axis::Leave(int32_t domain) {
  Domain& left = domains_[static_cast<size_t>(domain)];
  if (--left.nodes > 0) return;
  by_value_.erase(left.value);
  unused_.push_back(domain);
}

}  // namespace outrigger::plan
