#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace outrigger::plan {

/// Keeps large items in order while some go and others come. Its memory is kept from call to call.
template <typename T>
class Rejoiner {
 public:
  /// Those of the items that stay, as pointers to them.
  std::vector<T*> stay;
  /// What comes to them.
  std::vector<T> fresh;

  /// Makes `items` what stays and what is fresh, in the order of `before`, which must be total, and
  /// forgets both. Moves nothing if all stay in their order.
  template <typename Before>
  void Rejoin(Before before, std::vector<T>* items) {
    const auto comes_first = [&](const T* a, const T* b) { return before(*a, *b); };
    if (!std::is_sorted(stay.begin(), stay.end(), comes_first)) {
      std::sort(stay.begin(), stay.end(), comes_first);
    } else if (fresh.empty() && stay.size() == items->size()) {
      return stay.clear();
    }
    come_.clear();
    come_.reserve(fresh.size());
    for (T& item : fresh) come_.push_back(&item);
    std::sort(come_.begin(), come_.end(), comes_first);
    order_.resize(stay.size() + come_.size());
    std::merge(stay.begin(), stay.end(), come_.begin(), come_.end(), order_.begin(), comes_first);
    joined_.reserve(order_.size());
    for (T* item : order_) joined_.push_back(std::move(*item));
    items->swap(joined_);
    joined_.clear();
    fresh.clear();
    stay.clear();
  }

 private:
  std::vector<T*> come_;
  std::vector<T*> order_;
  std::vector<T> joined_;
};

}  // namespace outrigger::plan
