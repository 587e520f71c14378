#include "devices/allocation/search/ground.h"

#include <algorithm>
#include <tuple>

namespace outrigger::devices {
namespace {

bool ByDriverAndName(const Stock* a, const Stock* b) {
  return std::tie(a->pool().driver, a->pool().name) < std::tie(b->pool().driver, b->pool().name);
}

}  // namespace

Ground::Ground(std::span<const Stock* const> of_node, std::span<const Stock* const> of_network,
               Contents contents)
    : contents_(contents), stocks_(of_node.begin(), of_node.end()) {
  if (!of_network.empty()) {
    stocks_.insert(stocks_.end(), of_network.begin(), of_network.end());
    std::inplace_merge(stocks_.begin(),
                       stocks_.begin() + static_cast<std::ptrdiff_t>(of_node.size()), stocks_.end(),
                       ByDriverAndName);
  }
  size_t runs = 0;
  for (const Stock* stock : stocks_) runs += stock->runs().size();
  places_.reserve(runs);
  first_counter_.reserve(stocks_.size());
  for (const Stock* stock : stocks_) Add(*stock);
}

void Ground::Add(const Stock& stock) {
  const auto pool = static_cast<int32_t>(first_counter_.size());
  const auto first = static_cast<int32_t>(places_.size());
  first_counter_.push_back(static_cast<int32_t>(counters_.size()));
  for (const Store& counter : stock.counters()) counters_.push_back(LeftOf(counter));
  for (const Run& run : stock.runs()) {
    const auto index = static_cast<int32_t>(places_.size()) - first;
    places_.push_back({.run = &run,
                       .pool = pool,
                       .index = index,
                       .previous = run.previous < 0 ? -1 : first + run.previous,
                       .free = contents_ == Contents::kAll ? run.total : run.free});
  }
}

}  // namespace outrigger::devices
