#include "gang/plan/pairs/pod_pairs.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace outrigger::plan {
namespace {

bool AnyIn(const std::vector<const Tally*>& tallies, size_t slot) {
  return std::any_of(tallies.begin(), tallies.end(),
                     [slot](const Tally* tally) { return tally->Any(slot); });
}

template <typename T>
void AddOnce(T item, std::vector<T>* list) {
  if (std::find(list->begin(), list->end(), item) == list->end()) list->push_back(item);
}

}  // namespace

PodPairs::PodPairs(size_t node_slots) {
  Resize(node_slots);
}

void PodPairs::Resize(size_t slots) {
  const size_t before = slots_.size();
  nodes_.resize(slots);
  occupants_.resize(slots);
  slots_.resize(slots);
  std::iota(slots_.begin() + static_cast<ptrdiff_t>(before), slots_.end(),
            static_cast<int32_t>(before));
  for (Axis& axis : axes_.all) axis.Resize(slots);
  nowhere_.Resize(slots);
}

// Domains may only change while nothing is counted in the slot.
void PodPairs::SetNode(size_t slot, std::shared_ptr<const Node> node) {
  if (slot >= nodes_.size()) Resize(slot + 1);
  if (nodes_[slot] == node) return;
  for (const Occupant& occupant : occupants_[slot]) {
    Count(kinds_[occupant.kind], slot, -occupant.pods);
  }
  nodes_[slot] = std::move(node);
  if (nodes_[slot] != nullptr && !absent_.empty()) {
    for (const auto& [key, value] : nodes_[slot]->labels) is_stale_ |= absent_.contains(key);
  }
  for (Axis& axis : axes_.all) axis.Set(slot, nodes_[slot].get());
  for (SpreadTerm& term : spread_.all) PlaceNode(&term, slot);
  for (const Occupant& occupant : occupants_[slot]) {
    Count(kinds_[occupant.kind], slot, occupant.pods);
  }
}

// Upstream counts on nodes that have the keys of all constraints.
void PodPairs::PlaceNode(SpreadTerm* term, size_t slot) const {
  const Node* node = nodes_[slot].get();
  const bool counts = node != nullptr &&
                      std::all_of(term->needed.begin(), term->needed.end(),
                                  [slot](const Places* key) { return (*key)[slot] != kNowhere; }) &&
                      term->Includes(*node);
  term->matching.Place(slot, counts ? (*term->places)[slot] : kNowhere);
}

void PodPairs::Change(KindIndex kind, size_t slot, int32_t by) {
  std::vector<Occupant>& here = occupants_[slot];
  // Who came last goes first when a plan is taken back.
  const auto found = std::find_if(here.rbegin(), here.rend(),
                                  [kind](const Occupant& one) { return one.kind == kind; });
  if (found == here.rend()) {
    here.push_back({kind, by});
  } else if ((found->pods += by) == 0) {
    *found = here.back();
    here.pop_back();
  }
  Count(kinds_[kind], slot, by);
}

void PodPairs::Count(const Kind& kind, size_t slot, int32_t by) {
  for (Tally* tally : kind.counted_in) tally->Change(slot, by);
  for (SpreadTally* tally : kind.spread_over) tally->Change(slot, by);
}

PodPairs::Refusal PodPairs::Check(KindIndex index, size_t slot) const {
  const Kind& kind = kinds_[index];
  for (const PortTerm* port : kind.ports) {
    if (AnyIn(port->conflicts, slot)) return Refusal::kHostPorts;
  }
  if (!Spreads(kind, slot)) return Refusal::kSpread;
  if (kind.near != nullptr && !IsNear(kind, slot)) return Refusal::kAffinity;
  return AnyIn(kind.apart_from, slot) ? Refusal::kAntiAffinity : Refusal::kNone;
}

bool PodPairs::Spreads(const Kind& kind, size_t slot) {
  return std::all_of(kind.spreads.begin(), kind.spreads.end(), [slot](const Spread& spread) {
    const int32_t domain = (*spread.term->places)[slot];
    if (domain == kNowhere) return false;
    const SpreadTally& tally = spread.term->matching;
    const bool too_few = tally.domains() < static_cast<size_t>(spread.min_domains);
    const int64_t least = too_few || tally.domains() == 0 ? 0 : tally.minimum();
    return tally.CountIn(domain) + spread.self - least <= spread.max_skew;
  });
}

bool PodPairs::IsNear(const Kind& kind, size_t slot) {
  const auto& tallies = kind.near->matching;
  const auto has_domain = [slot](const Tally& tally) { return tally.HasDomain(slot); };
  if (!std::all_of(tallies.begin(), tallies.end(), has_domain)) return false;
  const auto any = [slot](const Tally& tally) { return tally.Any(slot); };
  return std::all_of(tallies.begin(), tallies.end(), any) ||
         (kind.may_be_first && kind.near->IsVacant());
}

bool PodPairs::Matters(KindIndex index) const {
  const Kind& kind = kinds_[index];
  return !kind.counted_in.empty() || !kind.spread_over.empty() || !kind.ports.empty() ||
         !kind.spreads.empty() || kind.near != nullptr || !kind.apart_from.empty();
}

void PodPairs::Ask(std::span<const KindIndex> kinds) {
  for (ApartTerm& term : apart_.all) term.asked = term.owners.total() > 0;
  for (NearTerms& terms : near_.all) terms.asked = false;
  for (SpreadTerm& term : spread_.all) term.asked = false;
  for (const KindIndex kind : kinds) {
    for (bool* asked : kinds_[kind].asks) *asked = true;
  }
}

bool PodPairs::PlaysPart(KindIndex index) const {
  const Kind& kind = kinds_[index];
  return !kind.ports.empty() || !kind.asks.empty() ||
         std::any_of(kind.joins.begin(), kind.joins.end(),
                     [](const bool* asked) { return *asked; });
}

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
