#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "outrigger/plan/terms.h"
#include "plan/pairs/term_ids.h"

namespace outrigger::plan {

/// What pods ask, and what is counted in this round.
class TermLimit::Known {
 public:
  void BeginRound() {
    ++round_;
    counted_.clear();
  }
  /// Counts the unit's terms, if they are not too many.
  bool Takes(const Unit& unit);
  void ForgetGone() {
    absl::erase_if(pods_, [this](const auto& entry) { return entry.second.seen != round_; });
  }

 private:
  struct Entry {
    std::shared_ptr<const Pod> pod;  // held: another pod must not get its address
    std::vector<uint64_t> terms;
    uint64_t seen = 0;
  };
  const std::vector<uint64_t>& TermsOf(const std::shared_ptr<const Pod>& pod);

  uint64_t round_ = 0;
  absl::flat_hash_map<const Pod*, Entry> pods_;  // those that ask for anything
  absl::flat_hash_set<uint64_t> counted_;
};

bool TermLimit::Known::Takes(const Unit& unit) {
  absl::flat_hash_set<uint64_t> fresh;
  for (const Member& member : unit.members) {
    if (!AsksOfOthers(*member.pod)) continue;
    for (const uint64_t term : TermsOf(member.pod)) {
      if (!counted_.contains(term)) fresh.insert(term);
    }
  }
  if (counted_.size() + fresh.size() > kMost) return false;
  counted_.insert(fresh.begin(), fresh.end());
  return true;
}

const std::vector<uint64_t>& TermLimit::Known::TermsOf(const std::shared_ptr<const Pod>& pod) {
  Entry& entry = pods_[pod.get()];
  if (entry.pod == nullptr) {
    entry.pod = pod;
    entry.terms = TermIdsOf(*pod);
  }
  entry.seen = round_;
  return entry.terms;
}

TermLimit::TermLimit() : known_(std::make_unique<Known>()) {}
TermLimit::~TermLimit() = default;

std::string_view TermLimit::Reason() {
  static_assert(kMost == 1024, "the text says it");
  return "asks for more than is planned: all pending pods together have more than 1024 unlike "
         "topology spread constraints and pod affinity terms; those that many pods share count "
         "once, and pods of higher priority come first";
}

std::vector<Unit> TermLimit::TakeOut(std::vector<Unit>* units) {
  known_->BeginRound();
  const auto first_out = std::stable_partition(
      units->begin(), units->end(), [this](const Unit& unit) { return known_->Takes(unit); });
  std::vector<Unit> out(std::make_move_iterator(first_out), std::make_move_iterator(units->end()));
  units->erase(first_out, units->end());
  known_->ForgetGone();
  return out;
}

}  // namespace outrigger::plan
