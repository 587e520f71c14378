#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "gang/plan/pairs/pair_terms.h"
#include "gang/plan/terms.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::plan {
namespace {

using Terms = absl::flat_hash_set<uint64_t>;

// True if the pod has a hard topology spread constraint, or a term of required pod affinity or
// anti-affinity.
bool AsksOfOthers(const Pod& pod) {
  return !pod.affinity.required_pod.empty() || !pod.affinity.required_pod_anti.empty() ||
         std::any_of(pod.topology_spread.begin(), pod.topology_spread.end(),
                     [](const TopologySpreadConstraint& constraint) { return constraint.hard; });
}

// One number for each of these, which equal ones of other pods have, too. Valid in this process.
std::vector<uint64_t> TermIdsOf(const Pod& pod) {
  std::vector<uint64_t> ids;
  for (const PodAffinityTerm& term : pod.affinity.required_pod_anti) {
    ids.push_back(absl::HashOf(KeyOf(MatcherOf(term, pod.namespace_), term.topology_key)));
  }
  // Those of one pod are looked at together.
  std::string near;
  for (const PodAffinityTerm& term : pod.affinity.required_pod) {
    near += KeyOf(MatcherOf(term, pod.namespace_), term.topology_key);
  }
  for (size_t i = 0; i < pod.affinity.required_pod.size(); ++i) {
    ids.push_back(absl::HashOf(near, i));
  }
  for (const std::string& key : SpreadKeysOf(pod)) ids.push_back(absl::HashOf(key));
  return ids;
}

struct Asking {
  size_t unit;
  std::string_view namespace_;
  Terms terms;  // at least one
};

bool HasBegun(const Unit& unit) {
  return unit.bound > 0 ||
         std::any_of(unit.members.begin(), unit.members.end(),
                     [](const Member& member) { return !member.waits_on.empty(); });
}

// The most that each may have, so that those who want less have all of it, and the others the same.
size_t FairShare(std::vector<size_t> wanted, size_t total) {
  std::sort(wanted.begin(), wanted.end());
  size_t share = total;
  for (size_t i = 0; i < wanted.size(); ++i) {
    share = total / (wanted.size() - i);
    if (wanted[i] > share) break;
    total -= wanted[i];
  }
  return share;
}

// Shares what is planned among namespaces.
class Sharing {
 public:
  explicit Sharing(const std::vector<Asking>& all) {
    absl::flat_hash_map<std::string_view, Terms> wanted;
    for (const Asking& asking : all) {
      wanted[asking.namespace_].insert(asking.terms.begin(), asking.terms.end());
    }
    std::vector<size_t> sizes;
    for (const auto& [name, terms] : wanted) sizes.push_back(terms.size());
    share_ = FairShare(std::move(sizes), TermLimit::kMost);
  }

  // Counts the unit's terms, if they are not too many; with `within_share` for its namespace.
  bool Takes(const Asking& asking, bool within_share) {
    std::vector<uint64_t> fresh;
    for (const uint64_t term : asking.terms) {
      if (!counted_.contains(term)) fresh.push_back(term);
    }
    size_t& used = used_[asking.namespace_];
    if (within_share && used + fresh.size() > share_) return false;
    if (counted_.size() + fresh.size() > TermLimit::kMost) return false;
    used += fresh.size();
    counted_.insert(fresh.begin(), fresh.end());
    return true;
  }

 private:
  size_t share_ = 0;
  Terms counted_;
  absl::flat_hash_map<std::string_view, size_t> used_;
};

}  // namespace

/// What pods ask.
class TermLimit::Known {
 public:
  /// Returns the indices of units that are too many, in order.
  std::vector<size_t> TooMany(std::span<const Unit> units);

 private:
  struct Entry {
    std::shared_ptr<const Pod> pod;  // held: another pod must not get its address
    std::vector<uint64_t> terms;
    uint64_t seen = 0;
  };
  void Read(std::span<const Unit> units);
  std::vector<Asking> AskingOf(std::span<const Unit> units) const;

  uint64_t round_ = 0;
  absl::flat_hash_map<const Pod*, Entry> pods_;  // those that ask for anything
  Terms all_;
};

void TermLimit::Known::Read(std::span<const Unit> units) {
  ++round_;
  all_.clear();
  for (const Unit& unit : units) {
    for (const Member& member : unit.members) {
      if (!AsksOfOthers(*member.pod)) continue;
      Entry& entry = pods_[member.pod.get()];
      if (entry.pod == nullptr) {
        entry.pod = member.pod;
        entry.terms = TermIdsOf(*member.pod);
      }
      entry.seen = round_;
      all_.insert(entry.terms.begin(), entry.terms.end());
    }
  }
  absl::erase_if(pods_, [this](const auto& entry) { return entry.second.seen != round_; });
}

std::vector<Asking> TermLimit::Known::AskingOf(std::span<const Unit> units) const {
  std::vector<Asking> all;
  for (size_t i = 0; i < units.size(); ++i) {
    Asking asking{i, units[i].key.namespace_, {}};
    for (const Member& member : units[i].members) {
      const auto found = pods_.find(member.pod.get());
      if (found == pods_.end()) continue;
      asking.terms.insert(found->second.terms.begin(), found->second.terms.end());
    }
    if (!asking.terms.empty()) all.push_back(std::move(asking));
  }
  std::stable_partition(all.begin(), all.end(),
                        [&](const Asking& asking) { return HasBegun(units[asking.unit]); });
  return all;
}

std::vector<size_t> TermLimit::Known::TooMany(std::span<const Unit> units) {
  Read(units);
  if (all_.size() <= kMost) return {};
  std::vector<Asking> left = AskingOf(units);
  Sharing sharing(left);
  for (const bool within_share : {true, false}) {
    std::erase_if(left, [&](const Asking& asking) { return sharing.Takes(asking, within_share); });
  }
  std::vector<size_t> out;
  out.reserve(left.size());
  for (const Asking& asking : left) out.push_back(asking.unit);
  std::sort(out.begin(), out.end());
  return out;
}

TermLimit::TermLimit() : known_(std::make_unique<Known>()) {}
TermLimit::~TermLimit() = default;

std::string_view TermLimit::Reason() {
  static_assert(kMost == 1024, "the text says it");
  return "exceeds a limit of the planner: all pending pods together have more than 1024 different "
         "topology spread constraints and pod affinity terms; each counts once, and each namespace "
         "has a fair share";
}

std::vector<Unit> TermLimit::TakeOut(std::vector<Unit>* units) {
  const std::vector<size_t> too_many = known_->TooMany(*units);
  if (too_many.empty()) return {};
  std::vector<Unit> out;
  std::vector<Unit> stay;
  stay.reserve(units->size() - too_many.size());
  for (size_t i = 0; i < units->size(); ++i) {
    const bool is_out = out.size() < too_many.size() && too_many[out.size()] == i;
    (is_out ? out : stay).push_back(std::move((*units)[i]));
  }
  *units = std::move(stay);
  return out;
}

}  // namespace outrigger::plan
