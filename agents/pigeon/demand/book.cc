#include "demand/book.h"

#include <algorithm>
#include <utility>

namespace outrigger::pigeon {
namespace {

// FNV-1a of 64 bits: the same in every process, as what is stored needs. Two of a hundred thousand
// pods have one number once in 3e9 clusters; then one of them is not counted.
uint64_t Hash(uint64_t hash, std::string_view text) {
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1'099'511'628'211U;
  }
  return hash;
}

constexpr uint64_t kBasis = 14'695'981'039'346'656'037U;

}  // namespace

bool SeenPods::Add(uint64_t id) {
  if (const auto place = places_.find(id); place != places_.end()) {
    order_.splice(order_.begin(), order_, place->second);
    return false;
  }
  order_.push_front(id);
  places_.emplace(id, order_.begin());
  if (order_.size() > kept_) {
    places_.erase(order_.back());
    order_.pop_back();
  }
  return true;
}

std::vector<uint64_t> SeenPods::Last(size_t most,
                                     const absl::flat_hash_set<uint64_t>& always) const {
  size_t missing = always.size();
  std::vector<uint64_t> last;
  for (const uint64_t id : order_) {
    if (last.size() == most) break;
    if (always.contains(id)) {
      --missing;
    } else if (last.size() + missing >= most) {
      continue;  // what is left is for the others
    }
    last.push_back(id);
  }
  return last;
}

uint64_t DemandBook::IdOf(const Pod& pod) {
  if (!pod.uid.empty()) return Hash(kBasis, pod.uid);
  return Hash(Hash(Hash(kBasis, pod.namespace_), "/"), pod.name);
}

// Only what was stored can have more: what is counted is bounded, and the bound never falls.
bool DemandBook::Bound(std::span<const double> largest) {
  const MutexLock lock(mutex_);
  for (size_t i = 0; i < most_.size(); ++i) most_[i] = std::max(most_[i], largest[i]);
  Amounts absurd = most_;
  for (double& amount : absurd) amount *= kAbsurd;
  if (demand_.IsWithin(absurd)) return false;
  demand_ = Demand(most_.size());
  for (const News& news : news_) demand_.Add(Bounded(news.asked));
  return true;
}

Amounts DemandBook::Bounded(Amounts asked) const {
  for (size_t i = 0; i < most_.size(); ++i) {
    if (most_[i] > 0) asked[i] = std::min(asked[i], most_[i]);
  }
  return asked;
}

bool DemandBook::Count(const Pod& pod, const Amounts& asked) {
  const uint64_t id = IdOf(pod);
  const MutexLock lock(mutex_);
  if (!seen_.Add(id)) return false;
  Amounts bounded = Bounded(asked);
  demand_.Add(bounded);
  news_.push_back({id, std::move(bounded)});
  DropOldNews();
  return true;
}

void DemandBook::DropOldNews() {
  while (news_.size() > kMostNews) news_.pop_front();
}

Demand DemandBook::demand() const {
  const MutexLock lock(mutex_);
  return demand_;
}

bool DemandBook::HasNews() const {
  const MutexLock lock(mutex_);
  return !news_.empty();
}

DemandState DemandBook::Take() {
  const MutexLock lock(mutex_);
  taken_ = std::move(news_);
  news_.clear();
  absl::flat_hash_set<uint64_t> ids;
  for (const News& news : taken_) ids.insert(news.id);
  return {demand_, seen_.Last(kMostStored, ids)};
}

void DemandBook::PutBack() {
  const MutexLock lock(mutex_);
  taken_.insert(taken_.end(), news_.begin(), news_.end());
  news_ = std::move(taken_);
  taken_.clear();
  DropOldNews();
}

void DemandBook::Adopt(const DemandState& stored) {
  const MutexLock lock(mutex_);
  demand_ = stored.demand;
  const absl::flat_hash_set<uint64_t> theirs(stored.pods.begin(), stored.pods.end());
  // From the oldest to the youngest, so that the last ones stay.
  for (auto id = stored.pods.rbegin(); id != stored.pods.rend(); ++id) seen_.Add(*id);
  std::erase_if(news_, [&](const News& news) { return theirs.contains(news.id); });
  for (const News& news : news_) demand_.Add(news.asked);
}

}  // namespace outrigger::pigeon
