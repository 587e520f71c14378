#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace outrigger::gang {

/// Pods whose bind call has failed a moment ago. kube-scheduler counts one on its node until it has
/// the answer and has undone the attempt, and names it as a victim until then, though its place
/// becomes free by itself. Not thread-safe.
class LeavingPods {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// The scheduler takes milliseconds, and a second or so where it has too much to do.
  static constexpr std::chrono::seconds kLongest{5};

  /// The bind call of the pod of that UID fails.
  void Add(std::string_view uid, Time now);
  /// A bind call comes for it again.
  void Remove(std::string_view uid);
  /// The UIDs of all that were added no longer ago than kLongest.
  std::set<std::string, std::less<>> At(Time now) const;

 private:
  std::map<std::string, Time, std::less<>> since_;
  Time cleared_;  // when old ones were forgotten
};

}  // namespace outrigger::gang
