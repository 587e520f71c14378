#pragma once

#include <algorithm>
#include <cstddef>
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
  /// forgets both. Moves nothing if all stay in their order, and little if few are replaced.
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
    if (order_.size() == items->size()) {
      Replace(items);
    } else {
      Move(0, order_.size());
      items->swap(joined_);
    }
    joined_.clear();
    fresh.clear();
    stay.clear();
  }

 private:
  void Move(size_t from, size_t to) {
    joined_.reserve(to - from);
    for (size_t i = from; i < to; ++i) joined_.push_back(std::move(*order_[i]));
  }
  // As many come as go: what is before all of them, and after, stays where it is.
  void Replace(std::vector<T>* items) {
    size_t from = 0;
    size_t to = order_.size();
    while (from < to && order_[from] == &(*items)[from]) ++from;
    while (from < to && order_[to - 1] == &(*items)[to - 1]) --to;
    Move(from, to);
    std::move(joined_.begin(), joined_.end(), items->begin() + static_cast<std::ptrdiff_t>(from));
  }

  std::vector<T*> come_;
  std::vector<T*> order_;
  std::vector<T> joined_;
};

}  // namespace outrigger::plan
