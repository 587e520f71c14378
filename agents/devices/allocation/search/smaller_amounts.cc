#include "devices/allocation/search/smaller_amounts.h"

#include <algorithm>

namespace outrigger::devices {
namespace {

// Further sums are not worth it.
constexpr size_t kMostSums = 512;

const Wish* FindWish(const Alternative& alternative, const std::string& resource) {
  const auto at = std::find_if(alternative.wishes.begin(), alternative.wishes.end(),
                               [&](const Wish& wish) { return wish.resource == resource; });
  return at == alternative.wishes.end() ? nullptr : &*at;
}

}  // namespace

SmallerAmounts::SmallerAmounts(const DemandData& demand, const Ground& ground,
                               const Takings& takings, const Decision& decision)
    : demand_(demand),
      ground_(ground),
      takings_(takings),
      decision_(decision),
      wish_(decision.alternative->wishes[decision.wish]),
      wanted_{0},
      rooms_{{}} {
  const Store& store = *takings_.FindStore(decision.place, wish_);
  block_ = store.block;
  // Without blocks a device gives all that it can.
  if (block_ == 0) return;
  left_ = RoundDown(takings_.LeftOf(decision.place, store), block_);
  if (decision.alternative->all || decision.alternative->least > 1) {
    own_ = decision.need - 1;
  }
  for (size_t i = decision.slot + 1; i < demand_.slots.size(); ++i) AddLater(demand_.slots[i]);
  if (wanted_.size() > 1) AddDevices();
}

// Each of its alternatives may be the one that is chosen, or it is not in S.
void SmallerAmounts::AddLater(const Slot& slot) {
  const auto places = static_cast<int64_t>(ground_.places().size());
  const size_t before = wanted_.size();
  int64_t devices = 0;
  int64_t several = 0;
  int64_t excess = 0;
  for (const Alternative& one : slot.alternatives) {
    const Wish* wish = one.contradicts ? nullptr : FindWish(one, wish_.resource);
    if (wish == nullptr) continue;
    later_.push_back(one.matches.get());
    devices = std::max(devices, one.all ? places : std::min(one.most, places));
    const Amount amount = std::max(RoundUp(wish->amount, block_), block_);
    for (size_t i = 0; i < before; ++i) wanted_.push_back(wanted_[i] + amount);
    if (!one.all && one.least == 1) continue;
    const int64_t must = one.all ? places : std::min(one.least, places);
    several = std::max(several, must);
    if (amount < must * block_) excess = must;
  }
  later_devices_ += devices;
  excess_ += excess;
  if (several > 0) several_.push_back(several);
  std::sort(wanted_.begin(), wanted_.end());
  wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
  if (wanted_.size() <= kMostSums) return;
  is_exhaustive_ = true;
  wanted_.resize(kMostSums);
}

bool SmallerAmounts::IsWanted(SetId set) const {
  return std::any_of(later_.begin(), later_.end(),
                     [set](const Matches* matches) { return matches->Has(set); });
}

void SmallerAmounts::AddDevices() {
  for (size_t i = 0; i < ground_.places().size() && !is_exhaustive_; ++i) {
    const Run& run = *ground_.places()[i].run;
    if (!run.shared || i == decision_.place) continue;
    const bool is_wanted = IsWanted(run.set);
    if (!is_wanted && !decision_.alternative->matches->Has(run.set)) continue;
    const Store* store = takings_.FindStore(i, wish_);
    if (store == nullptr) continue;
    is_exhaustive_ = is_exhaustive_ || store->block != block_;
    const Amount left = RoundDown(takings_.LeftOf(i, *store), block_);
    if (is_wanted && left > 0) AddRoom(left);
  }
}

void SmallerAmounts::AddRoom(Amount left) {
  const size_t before = rooms_.size();
  for (size_t i = 0; i < before; ++i) {
    const Room with = {rooms_[i].sum + left, rooms_[i].fewest + 1, rooms_[i].most + 1};
    // One of the later devices is the one that is decided.
    if (with.fewest < later_devices_ && with.sum < wanted_.back() + BlocksLess(with) * block_) {
      rooms_.push_back(with);
    }
  }
  std::sort(rooms_.begin(), rooms_.end(),
            [](const Room& a, const Room& b) { return a.sum < b.sum; });
  size_t last = 0;
  for (size_t i = 1; i < rooms_.size(); ++i) {
    if (rooms_[i].sum != rooms_[last].sum) {
      rooms_[++last] = rooms_[i];
      continue;
    }
    rooms_[last].fewest = std::min(rooms_[last].fewest, rooms_[i].fewest);
    rooms_[last].most = std::max(rooms_[last].most, rooms_[i].most);
  }
  rooms_.resize(last + 1);
  is_exhaustive_ = is_exhaustive_ || rooms_.size() > kMostSums;
}

// Where D is the device and those of a room: how many blocks less it may have to give.
int64_t SmallerAmounts::BlocksLess(const Room& room) const {
  int64_t blocks = std::min(own_, room.most) + excess_;
  for (const int64_t several : several_) blocks += std::min(several, room.most + 1);
  return blocks;
}

Amount SmallerAmounts::Below(Amount now) const {
  const Amount next = now - block_;
  if (next < block_ || block_ == 0) return 0;
  if (is_exhaustive_) return next;
  Amount best = 0;
  for (const Room& room : rooms_) {
    const Amount less = BlocksLess(room) * block_;
    for (const Amount wanted : wanted_) {
      if (wanted == 0 && room.sum > 0) continue;
      const Amount most = left_ + room.sum - wanted;
      if (most >= block_ && most - less <= next) best = std::max(best, std::min(most, next));
    }
  }
  return best;
}

int64_t SmallerAmounts::steps() const {
  return static_cast<int64_t>(wanted_.size() * rooms_.size()) / 16;
}

}  // namespace outrigger::devices
