#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "outrigger/k8s/pod.h"

// The arithmetic of the original program (kubeRL), with its faults: --reward.original-arithmetic.
// tests/golden/rl_monitor.json and rl_priority.json were made by that program.

namespace outrigger::reward {

/// Values by the keys of that program: "/nodes/<node>", "/pods/<type>/<node>", "/pods/<type>/all";
/// texts as "%f" prints them, or whatever was put there.
using OriginalStore = std::map<std::string, std::string, std::less<>>;

/// What an event of a pod is worth.
struct OriginalReward {
  bool counts = false;  // false: nothing is to be changed
  double value = 0;     // 0, 0.5 or 1
};

/// The reward of a pod in the state that it shows. An end is taken by the seconds of its minute, so
/// that a second end is always worth 0. Exit codes count for nothing.
OriginalReward OriginalRewardOf(const Pod& pod);

/// The score of `node` for pods of `type`: the value times ten, cut to an integer, not clamped; 0
/// where there is no value or its text is not a number; the lowest integer for NaN.
int64_t OriginalScore(const OriginalStore& store, std::string_view type, std::string_view node);

/// Keeps the values. Not thread-safe.
class OriginalMonitor {
 public:
  using Writes = std::vector<std::pair<std::string, std::string>>;  // key and text, in order

  /// Goes on with `store`: what the nodes and types lack there becomes 1. `writes` may be null.
  void Begin(OriginalStore store, std::span<const std::string> nodes,
             std::span<const std::string> types, Writes* writes = nullptr);
  /// A pod was added or changed. What is deleted is not reported.
  void OnPod(const Pod& pod, Writes* writes = nullptr);

  const OriginalStore& store() const { return store_; }

 private:
  double Read(const std::string& key) const;
  void Write(const std::string& key, double value, Writes* writes);
  void Update(const std::string& key, double reward, Writes* writes);
  void AddType(const std::string& type, Writes* writes);

  OriginalStore store_;
  std::map<std::string, double, std::less<>> values_;  // in full precision
  std::set<std::string, std::less<>> nodes_;
  std::set<std::string, std::less<>> types_;
};

}  // namespace outrigger::reward
