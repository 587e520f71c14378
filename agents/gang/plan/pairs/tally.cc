#include "gang/plan/pairs/tally.h"

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

void SpreadTally::Place(size_t slot, int32_t domain) {
  if (slot >= places_.size()) places_.resize(slot + 1, kNowhere);
  const int32_t before = places_[slot];
  places_[slot] = domain;
  if (domain != kNowhere) {
    const auto at = static_cast<size_t>(domain);
    if (at >= domains_.size()) domains_.resize(at + 1);
    if (domains_[at].nodes++ == 0) {
      ++domain_count_;
      Enter(domains_[at].pods);
    }
  }
  if (before == kNowhere) return;
  Domain& left = domains_[static_cast<size_t>(before)];
  if (--left.nodes == 0) {
    --domain_count_;
    Leave(left.pods);
  }
}

void SpreadTally::Change(size_t slot, int32_t by) {
  const int32_t at = slot < places_.size() ? places_[slot] : kNowhere;
  if (at == kNowhere) return;
  Domain& domain = domains_[static_cast<size_t>(at)];
  const size_t before = domain.pods;
  domain.pods += static_cast<uint32_t>(by);
  Enter(domain.pods);
  Leave(before);
}

void SpreadTally::Enter(size_t level) {
  if (level >= levels_.size()) levels_.resize(level + 1);
  const bool alone = ++levels_[level] == 1 && domain_count_ == 1;
  if (level < minimum_ || alone) minimum_ = level;
}

// The minimum climbs to the next level that a domain has: one up, after a pod more.
void SpreadTally::Leave(size_t level) {
  --levels_[level];
  if (domain_count_ == 0) return;
  while (levels_[minimum_] == 0) ++minimum_;
}

}  // namespace outrigger::plan
