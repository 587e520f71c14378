#include "devices/reasons/give_back.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

namespace outrigger::devices {
namespace {

// Searches, and sets of one size that are looked at at all.
constexpr int kMostSearches = 64;
constexpr int kMostSets = 1024;

struct Holder {
  std::string claim;
  int64_t devices = 0;
};

// Fewest devices first.
std::vector<Holder> HoldersOf(const InventoryState& state, const Ground& ground) {
  std::map<std::string, int64_t> devices;
  for (const Stock* stock : ground.stocks()) {
    for (const auto& [claim, held] : state.HoldingsOf(stock->pool().name)) {
      for (const Allocation& one : held) devices[claim] += one.count;
    }
  }
  std::vector<Holder> holders;
  holders.reserve(devices.size());
  for (const auto& [claim, count] : devices) holders.push_back({claim, count});
  std::stable_sort(holders.begin(), holders.end(),
                   [](const Holder& a, const Holder& b) { return a.devices < b.devices; });
  return holders;
}

/// Looks for the claims. For one demand on one ground.
class GiveBack {
 public:
  GiveBack(std::vector<Holder> holders, Suppositions* suppositions)
      : holders_(std::move(holders)), suppositions_(suppositions) {}

  std::vector<std::string> Find(int64_t at_least);

 private:
  using Chosen = std::vector<size_t>;  // indices of holders_, ascending

  bool Fits(const Chosen& chosen);
  size_t FewestThatHold(int64_t devices) const;
  int64_t DevicesOf(const Chosen& chosen) const;
  bool Next(Chosen* chosen) const;
  bool IsTooMany() const { return tried_ >= kMostSearches; }
  std::optional<Chosen> BestOf(size_t size);
  Chosen WithoutNeedless();

  const std::vector<Holder> holders_;
  Suppositions* const suppositions_;
  int tried_ = 0;
};

bool GiveBack::Fits(const Chosen& chosen) {
  ++tried_;
  ClaimNames claims;
  for (const size_t index : chosen) claims.insert(holders_[index].claim);
  return suppositions_->FitsWithout(claims);
}

size_t GiveBack::FewestThatHold(int64_t devices) const {
  size_t fewest = 0;
  for (auto at = holders_.rbegin(); at != holders_.rend() && devices > 0; ++at, ++fewest) {
    devices -= at->devices;
  }
  return std::max<size_t>(fewest, 1);
}

int64_t GiveBack::DevicesOf(const Chosen& chosen) const {
  int64_t sum = 0;
  for (const size_t index : chosen) sum += holders_[index].devices;
  return sum;
}

// The next set of as many, in lexicographic order; false after the last.
bool GiveBack::Next(Chosen* chosen) const {
  size_t at = chosen->size();
  while (at > 0 && (*chosen)[at - 1] == holders_.size() - (chosen->size() - at) - 1) --at;
  if (at == 0) return false;
  size_t index = ++(*chosen)[at - 1];
  for (; at < chosen->size(); ++at) (*chosen)[at] = ++index;
  return true;
}

// Of the sets of `size` claims that will do the one that holds the fewest devices.
std::optional<GiveBack::Chosen> GiveBack::BestOf(size_t size) {
  std::optional<Chosen> best;
  Chosen chosen;
  for (size_t i = 0; i < size; ++i) chosen.push_back(i);
  int sets = 0;
  do {
    if (++sets > kMostSets) break;
    if (best.has_value() && DevicesOf(chosen) >= DevicesOf(*best)) continue;
    if (IsTooMany()) break;
    if (Fits(chosen)) best = chosen;
  } while (Next(&chosen));
  return best;
}

// Those that hold the most, as many as it takes, without those that turn out not to be needed.
GiveBack::Chosen GiveBack::WithoutNeedless() {
  const auto most = [this](size_t count) {
    Chosen chosen;
    for (size_t i = holders_.size() - count; i < holders_.size(); ++i) chosen.push_back(i);
    return chosen;
  };
  size_t too_few = 0;
  size_t enough = holders_.size();
  while (enough - too_few > 1) {
    const size_t middle = too_few + (enough - too_few) / 2;
    (Fits(most(middle)) ? enough : too_few) = middle;
  }
  Chosen chosen = most(enough);
  tried_ = 0;
  for (size_t i = 0; i < chosen.size() && !IsTooMany();) {
    Chosen fewer = chosen;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (Fits(fewer)) {
      chosen = std::move(fewer);
    } else {
      ++i;
    }
  }
  return chosen;
}

std::vector<std::string> GiveBack::Find(int64_t at_least) {
  std::optional<Chosen> best;
  for (size_t size = FewestThatHold(at_least); size <= holders_.size() && !best && !IsTooMany();
       ++size) {
    best = BestOf(size);
  }
  if (!best.has_value()) best = WithoutNeedless();
  std::vector<std::string> claims;
  for (const size_t index : *best) claims.push_back(holders_[index].claim);
  std::sort(claims.begin(), claims.end());
  return claims;
}

}  // namespace

std::vector<std::string> FindGiveBack(const InventoryState& state, const Ground& ground,
                                      Suppositions* suppositions, int64_t at_least) {
  std::vector<Holder> holders = HoldersOf(state, ground);
  if (holders.empty()) return {};
  return GiveBack(std::move(holders), suppositions).Find(at_least);
}

}  // namespace outrigger::devices
