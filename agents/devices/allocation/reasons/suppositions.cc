#include "devices/allocation/reasons/suppositions.h"

#include <algorithm>
#include <string>

namespace outrigger::devices {

Stock* Suppositions::CopyOf(size_t stock) {
  return &copies_.try_emplace(stock, *ground_.stocks()[stock]).first->second;
}

bool Suppositions::Fits(const std::vector<const Stock*>& stocks) {
  const Ground supposed(stocks, {}, Contents::kFree);
  return steps_.left > 0 && Search(demand_, supposed).Find(&steps_) == Outcome::kFits;
}

bool Suppositions::FitsWithout(const ClaimNames& claims) {
  std::vector<const Stock*> stocks = ground_.stocks();
  for (size_t i = 0; i < stocks.size(); ++i) {
    const Holdings& holdings = state_.HoldingsOf(stocks[i]->pool().name);
    const bool changes = std::any_of(claims.begin(), claims.end(), [&](const std::string& claim) {
      return holdings.contains(claim);
    });
    if (!changes) continue;
    Stock* copy = CopyOf(i);
    copy->Use(holdings, claims);
    stocks[i] = copy;
  }
  return Fits(stocks);
}

bool Suppositions::FitsWith(const Raise& raise) {
  Stock* copy = CopyOf(raise.stock);
  const auto change = [&](Amount by) {
    if (raise.run.has_value()) {
      copy->RaiseResource(*raise.run, raise.store, by);
    } else {
      copy->RaiseCounter(raise.store, by);
    }
  };
  change(raise.by);
  copy->Use(state_.HoldingsOf(copy->pool().name));
  std::vector<const Stock*> stocks = ground_.stocks();
  stocks[raise.stock] = copy;
  const bool fits = Fits(stocks);
  change(-raise.by);
  return fits;
}

}  // namespace outrigger::devices
