// Kinds and terms: who counts where.

#include <algorithm>
#include <utility>

#include "plan/pairs/pod_pairs.h"

namespace outrigger::plan {
namespace {

template <typename T>
void AddOnce(T item, std::vector<T>* list) {
  if (std::find(list->begin(), list->end(), item) == list->end()) list->push_back(item);
}

}  // namespace

KindIndex PodPairs::AddKind(const Pod& pod) {
  std::string key = KindKeyOf(pod);
  const auto found = kind_by_key_.find(key);
  if (found != kind_by_key_.end()) return found->second;
  Kind kind;
  kind.identity = {pod.namespace_, pod.labels};
  kind.being_deleted = pod.being_deleted;
  AddOwnTerms(pod, &kind);
  JoinTerms(&kind);
  kinds_.push_back(std::move(kind));
  const auto index = static_cast<KindIndex>(kinds_.size() - 1);
  kind_by_key_.emplace(std::move(key), index);
  return index;
}

void PodPairs::AddOwnTerms(const Pod& pod, Kind* kind) {
  for (const HostPort& port : pod.host_ports) {
    PortTerm* const term = PortOf(port);
    AddOnce<const PortTerm*>(term, &kind->ports);
    AddOnce(&term->owners, &kind->counted_in);
  }
  for (const PodAffinityTerm& term : pod.affinity.required_pod_anti) {
    ApartTerm* const apart = Apart(term, pod.namespace_);
    AddOnce(&apart->owners, &kind->counted_in);
    AddOnce<const Tally*>(&apart->matching, &kind->apart_from);
    kind->asks.push_back(&apart->asked);
  }
  if (!pod.affinity.required_pod.empty()) {
    NearTerms* const near = Near(pod);
    kind->near = near;
    kind->asks.push_back(&near->asked);
    kind->may_be_first = kind->near->Matches(kind->identity);
  }
  for (const TopologySpreadConstraint& constraint : pod.topology_spread) {
    if (!constraint.hard) continue;
    SpreadTerm* const term = SpreadOf(pod, constraint);
    kind->asks.push_back(&term->asked);
    kind->spreads.push_back({.term = term,
                             .max_skew = constraint.max_skew,
                             .min_domains = std::max(constraint.min_domains.value_or(1), 0),
                             .self = term->Selects(pod.labels) ? 1 : 0});
  }
}

void PodPairs::JoinTerms(Kind* kind) {
  for (ApartTerm& term : apart_.all) {
    if (!term.Matches(kind->identity)) continue;
    kind->counted_in.push_back(&term.matching);
    AddOnce<const Tally*>(&term.owners, &kind->apart_from);
    kind->joins.push_back(&term.asked);
  }
  for (NearTerms& terms : near_.all) {
    if (!terms.Matches(kind->identity)) continue;
    for (Tally& tally : terms.matching) kind->counted_in.push_back(&tally);
    kind->joins.push_back(&terms.asked);
  }
  for (SpreadTerm& term : spread_.all) {
    if (!term.Counts(kind->identity, kind->being_deleted)) continue;
    kind->spread_over.push_back(&term.matching);
    kind->joins.push_back(&term.asked);
  }
}

template <typename Joins, typename CountOne>
void PodPairs::JoinKinds(Joins joins, CountOne count) {
  std::vector<bool> joined;
  joined.reserve(kinds_.size());
  for (Kind& kind : kinds_) joined.push_back(joins(&kind));
  for (size_t slot = 0; slot < occupants_.size(); ++slot) {
    for (const Occupant& occupant : occupants_[slot]) {
      if (joined[occupant.kind]) count(slot, occupant.pods);
    }
  }
}

const Places* PodPairs::PlacesOf(const std::string& topology_key) {
  const auto has = [&](const auto& node) {
    return node != nullptr && node->labels.Contains(topology_key);
  };
  if (!axes_.by_key.contains(topology_key) && std::none_of(nodes_.begin(), nodes_.end(), has)) {
    absent_.insert(topology_key);
    return &nowhere_.places();
  }
  Axis*& axis = axes_.by_key[topology_key];
  if (axis == nullptr) {
    axis = &axes_.all.emplace_back(topology_key);
    axis->Resize(nodes_.size());
    for (size_t slot = 0; slot < nodes_.size(); ++slot) axis->Set(slot, nodes_[slot].get());
  }
  return &axis->places();
}

ApartTerm* PodPairs::Apart(const PodAffinityTerm& term, const std::string& namespace_) {
  PodMatcher matcher = MatcherOf(term, namespace_);
  ApartTerm*& apart = apart_.by_key[KeyOf(matcher, term.topology_key)];
  if (apart != nullptr) return apart;
  apart = &apart_.all.emplace_back(std::move(matcher), PlacesOf(term.topology_key));
  const auto joins = [apart](Kind* kind) {
    if (!apart->Matches(kind->identity)) return false;
    kind->counted_in.push_back(&apart->matching);
    kind->apart_from.push_back(&apart->owners);
    kind->joins.push_back(&apart->asked);
    return true;
  };
  JoinKinds(joins, [apart](size_t slot, int32_t pods) { apart->matching.Change(slot, pods); });
  return apart;
}

bool PodPairs::KnowsApartTermsOf(const Pod& pod) const {
  const auto& terms = pod.affinity.required_pod_anti;
  return std::all_of(terms.begin(), terms.end(), [&](const PodAffinityTerm& term) {
    return apart_.by_key.contains(KeyOf(MatcherOf(term, pod.namespace_), term.topology_key));
  });
}

NearTerms* PodPairs::Near(const Pod& pod) {
  std::string key;
  std::vector<PodMatcher> matchers;
  std::vector<const Places*> axes;
  for (const PodAffinityTerm& term : pod.affinity.required_pod) {
    const PodMatcher& matcher = matchers.emplace_back(MatcherOf(term, pod.namespace_));
    key += KeyOf(matcher, term.topology_key);
    AddOnce(PlacesOf(term.topology_key), &axes);
  }
  NearTerms*& near = near_.by_key[key];
  if (near != nullptr) return near;
  near = &near_.all.emplace_back(std::move(matchers));
  for (const Places* places : axes) near->matching.emplace_back(places);
  const auto joins = [near](Kind* kind) {
    if (!near->Matches(kind->identity)) return false;
    for (Tally& tally : near->matching) kind->counted_in.push_back(&tally);
    kind->joins.push_back(&near->asked);
    return true;
  };
  JoinKinds(joins, [near](size_t slot, int32_t pods) {
    for (Tally& tally : near->matching) tally.Change(slot, pods);
  });
  return near;
}

SpreadTerm* PodPairs::SpreadOf(const Pod& pod, const TopologySpreadConstraint& constraint) {
  SpreadTerm wanted(pod, constraint);
  SpreadTerm*& term = spread_.by_key[wanted.Key()];
  if (term != nullptr) return term;
  term = &spread_.all.emplace_back(std::move(wanted));
  term->places = PlacesOf(term->topology_key);
  // Keys that no node has have one place, so that this is short however many the pod names.
  for (const std::string& key : term->keys) AddOnce(PlacesOf(key), &term->needed);
  for (size_t slot = 0; slot < nodes_.size(); ++slot) PlaceNode(term, slot);
  const auto joins = [term](Kind* kind) {
    if (!term->Counts(kind->identity, kind->being_deleted)) return false;
    kind->spread_over.push_back(&term->matching);
    kind->joins.push_back(&term->asked);
    return true;
  };
  JoinKinds(joins, [term](size_t slot, int32_t pods) { term->matching.Change(slot, pods); });
  return term;
}

PortTerm* PodPairs::PortOf(const HostPort& port) {
  PortTerm*& term = ports_.by_key[KeyOf(port)];
  if (term != nullptr) return term;
  term = &ports_.all.emplace_back(port, &slots_);
  for (PortTerm& other : ports_.all) {
    if (!Conflict(other.port, port)) continue;
    term->conflicts.push_back(&other.owners);
    if (&other != term) other.conflicts.push_back(&term->owners);
  }
  return term;
}

}  // namespace outrigger::plan
