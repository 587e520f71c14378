#include "devices/allocation/pools/stock.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fmt/format.h"

namespace outrigger::devices {
namespace {

std::vector<Store> StoresOf(const std::vector<Resource>& resources) {
  std::vector<Store> stores;
  for (const Resource& resource : resources) {
    const Amount capacity = ToAmount(resource.capacity).value_or(0);
    const Amount block =
        resource.block_size.has_value() ? ToAmount(*resource.block_size).value_or(0) : 0;
    stores.push_back({resource.name, capacity, block, capacity});
  }
  return stores;
}

std::vector<Take> TakesFrom(const std::vector<Store>& counters, const Device& device) {
  std::vector<Take> takes;
  for (size_t i = 0; i < counters.size(); ++i) {
    const auto request = device.requests.find(counters[i].name);
    if (request == device.requests.end() || request->second.IsZero()) continue;
    takes.push_back({static_cast<int32_t>(i), ToAmount(request->second).value_or(0)});
  }
  return takes;
}

std::string KeyOfKind(SetId set, const std::vector<Take>& takes) {
  std::string key = fmt::format("{}", set);
  for (const Take& take : takes) {
    key += fmt::format(" {}={}.{}", take.counter, static_cast<int64_t>(take.amount / kBillion),
                       static_cast<int64_t>(take.amount % kBillion));
  }
  return key;
}

}  // namespace

Stock::Stock(Pool pool, AttributeSets* sets)
    : pool_(std::make_shared<const Pool>(std::move(pool))) {
  const absl::Status status = CheckPool(*pool_);
  fault_ = std::string(status.message());
  if (status.ok()) AddRuns(sets);
}

void Stock::AddRuns(AttributeSets* sets) {
  if (pool_->count.has_value()) {
    total_ = std::max<int64_t>(*pool_->count, 0);
    const SetId set = sets->Add(pool_->driver, MergeAttributes(pool_->attributes, {}));
    runs_.push_back({.set = set, .total = total_, .free = total_});
    takes_.emplace_back();
    resources_.emplace_back();
  }
  counters_ = StoresOf(pool_->resources);
  std::map<std::string, int32_t> last_equal;
  for (size_t i = 0; i < pool_->devices.size(); ++i) {
    AddDevice(static_cast<int32_t>(i), sets, &last_equal);
  }
  total_ += static_cast<int64_t>(pool_->devices.size());
  by_name_.resize(pool_->devices.size());
  std::iota(by_name_.begin(), by_name_.end(), 0);
  std::sort(by_name_.begin(), by_name_.end(), [this](int32_t a, int32_t b) {
    return pool_->devices[static_cast<size_t>(a)].name <
           pool_->devices[static_cast<size_t>(b)].name;
  });
  users_.assign(runs_.size(), 0);
  used_.assign(pool_->devices.size(), 0);
}

void Stock::AddDevice(int32_t index, AttributeSets* sets,
                      std::map<std::string, int32_t>* last_equal) {
  const Device& device = pool_->devices[static_cast<size_t>(index)];
  const SetId set = sets->Add(pool_->driver, MergeAttributes(pool_->attributes, device.attributes));
  std::vector<Take> takes = TakesFrom(counters_, device);
  const bool shared = !device.resources.empty();
  const bool goes_on = !shared && !runs_.empty() && !runs_.back().shared &&
                       runs_.back().set == set && takes_.back() == takes;
  if (goes_on) {
    ++runs_.back().devices, ++runs_.back().total, ++runs_.back().free;
  } else {
    Run run = {.first = index, .devices = 1, .set = set, .shared = shared, .total = 1, .free = 1};
    if (!shared) {
      const auto run_id = static_cast<int32_t>(runs_.size());
      const auto [at, is_new] = last_equal->try_emplace(KeyOfKind(set, takes), run_id);
      if (!is_new) run.previous = std::exchange(at->second, run_id);
    }
    runs_.push_back(run);
    takes_.push_back(std::move(takes));
    resources_.push_back(StoresOf(device.resources));
  }
  run_of_.push_back(static_cast<int32_t>(runs_.size()) - 1);
}

void Stock::Reset(AttributeSets* sets) {
  for (Run& run : runs_) {
    const auto first = static_cast<size_t>(run.first);
    const Attributes none;
    const Attributes& own = run.devices == 0 ? none : pool_->devices[first].attributes;
    run.set = sets->Add(pool_->driver, MergeAttributes(pool_->attributes, own));
  }
}

void Stock::Use(const Holdings& holdings, const ClaimNames& without) {
  for (Run& run : runs_) run.free = run.total;
  for (Store& counter : counters_) counter.left = counter.capacity;
  for (std::vector<Store>& stores : resources_) {
    for (Store& store : stores) store.left = store.capacity;
  }
  std::fill(users_.begin(), users_.end(), 0);
  std::fill(used_.begin(), used_.end(), uint8_t{0});
  for (const auto& [claim, held] : holdings) {
    if (without.contains(claim)) continue;
    for (const Allocation& one : held) UseDevice(one);
  }
}

void Stock::UseDevice(const Allocation& held) {
  if (runs_.empty()) return;
  if (pool_->count.has_value()) {
    const int64_t count = std::clamp<int64_t>(held.count, 0, runs_[0].free);
    runs_[0].free -= count;
    return;
  }
  const int32_t device = FindDevice(held.device);
  if (device < 0) return;
  const auto index = static_cast<size_t>(device);
  const auto run = static_cast<size_t>(run_of_[index]);
  if (runs_[run].shared) return UseShared(run, held);
  if (used_[index] != 0) return;
  used_[index] = 1;
  --runs_[run].free;
  TakeCounters(run);
}

void Stock::UseShared(size_t run, const Allocation& held) {
  for (Store& store : resources_[run]) {
    const auto amount = held.amounts.find(store.name);
    // Without an amount the device is held whole.
    store.left -= amount == held.amounts.end() ? store.capacity
                                               : ToAmount(amount->second).value_or(store.capacity);
  }
  used_[static_cast<size_t>(runs_[run].first)] = 1;
  if (users_[run]++ == 0) TakeCounters(run);
}

void Stock::TakeCounters(size_t run) {
  for (const Take& take : takes_[run]) {
    counters_[static_cast<size_t>(take.counter)].left -= take.amount;
  }
}

int32_t Stock::FindDevice(std::string_view name) const {
  const auto at = std::lower_bound(
      by_name_.begin(), by_name_.end(), name, [this](int32_t index, std::string_view wanted) {
        return pool_->devices[static_cast<size_t>(index)].name < wanted;
      });
  const bool found = at != by_name_.end() && pool_->devices[static_cast<size_t>(*at)].name == name;
  return found ? *at : -1;
}

int32_t Stock::RunOf(std::string_view device) const {
  const int32_t index = FindDevice(device);
  return index < 0 ? -1 : run_of_[static_cast<size_t>(index)];
}

int64_t Stock::used() const {
  int64_t used = 0;
  for (size_t i = 0; i < runs_.size(); ++i) {
    used += runs_[i].shared ? (users_[i] > 0 ? 1 : 0) : runs_[i].total - runs_[i].free;
  }
  return used;
}

}  // namespace outrigger::devices
