#include "plan/pairs/pod_pairs.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace outrigger::plan {
namespace {

bool AnyIn(const std::vector<const Tally*>& tallies, size_t slot) {
  return std::any_of(tallies.begin(), tallies.end(),
                     [slot](const Tally* tally) { return tally->Any(slot); });
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

}  // namespace outrigger::plan
