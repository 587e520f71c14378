#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace outrigger {

/// Finds entries of keys that are asked for round after round, mostly in the same order: then each
/// costs a look at the next one, and no hash. Entries are owned elsewhere, stay where they are, and
/// live at least until the end of the round after the last one in which they were asked for.
/// Not thread-safe.
template <typename Key, typename Entry>
class InStep {
 public:
  /// The entry of `key`, which `look_up(key)` gives if this does not know it; null: there is none.
  template <typename LookUp>
  Entry* Find(Key key, LookUp look_up) {
    return Find(key, look_up, [](const Entry&) { return true; });
  }
  /// The same where keys are addresses that may come to be those of others. `is_right(entry)` says
  /// if an entry that was found in the last round is still that of `key`.
  template <typename LookUp, typename IsRight>
  Entry* Find(Key key, LookUp look_up, IsRight is_right) {
    const size_t end = std::min(before_.size(), at_ + kAhead);
    for (size_t i = at_; i < end; ++i) {
      if (before_[i].first != key) continue;
      for (; at_ < i; ++at_) skipped_.push_back(before_[at_].second);
      ++at_;
      Entry* const entry = before_[i].second;
      if (entry == nullptr || !is_right(*entry)) break;  // there may be one by now
      return now_.emplace_back(key, entry).second;
    }
    return now_.emplace_back(key, look_up(key)).second;
  }
  /// Ends the round. Calls `visit` once for each entry of the round before that was not asked for,
  /// and for some others. Such entries may go.
  template <typename Visit>
  void EndRound(Visit visit) {
    for (; at_ < before_.size(); ++at_) skipped_.push_back(before_[at_].second);
    // What was asked for twice in a round may be skipped twice.
    std::sort(skipped_.begin(), skipped_.end(), std::less<Entry*>());
    skipped_.erase(std::unique(skipped_.begin(), skipped_.end()), skipped_.end());
    for (Entry* entry : skipped_) {
      if (entry != nullptr) visit(entry);
    }
    before_.swap(now_);
    now_.clear();
    skipped_.clear();
    at_ = 0;
  }

 private:
  // So many may be gone, one after another, before it is out of step, and looks up what follows.
  static constexpr size_t kAhead = 64;

  std::vector<std::pair<Key, Entry*>> before_;  // in the last round, in order
  std::vector<std::pair<Key, Entry*>> now_;
  std::vector<Entry*> skipped_;
  size_t at_ = 0;  // in before_: what is next
};

}  // namespace outrigger
