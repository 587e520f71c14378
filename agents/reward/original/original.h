#pragma once

#include <cstddef>
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

inline constexpr std::string_view kNodesPrefix = "/nodes/";
inline constexpr std::string_view kPodsPrefix = "/pods/";
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
/// where its text is not a number; the lowest integer for NaN. `missing`: where there is no value.
int64_t OriginalScore(const OriginalStore& store, std::string_view type, std::string_view node,
                      int64_t missing = 0);
/// True if there is a value of the type on any node.
bool KnowsType(const OriginalStore& store, std::string_view type);
/// All types of which there is a value, in order.
std::vector<std::string> TypesOf(const OriginalStore& store);

/// Keeps the values. Not thread-safe.
class OriginalMonitor {
 public:
  using Writes = std::vector<std::pair<std::string, std::string>>;  // key and text, in order
  using Names = std::set<std::string, std::less<>>;

  /// More keys are not kept, which that program did without a bound: about 60 MB. A type for which
  /// not all keys have room, or a node, is not known.
  static constexpr size_t kMostKeys = 200'000;

  explicit OriginalMonitor(size_t most_keys = kMostKeys) : most_keys_(most_keys) {}

  /// Goes on with `store`: what the nodes and types lack there becomes 1. `writes` may be null.
  void Begin(OriginalStore store, std::span<const std::string> nodes,
             std::span<const std::string> types, Writes* writes = nullptr);
  /// A pod was added or changed. What is deleted is not reported.
  void OnPod(const Pod& pod, Writes* writes = nullptr);

  /// Makes room: forgets all types and nodes but these.
  void KeepOnly(const Names& types, const Names& nodes);

  const OriginalStore& store() const { return store_; }
  size_t most_keys() const { return most_keys_; }
  /// How often something had no room since Begin() or KeepOnly().
  int64_t refused() const { return refused_; }

 private:
  double Read(const std::string& key) const;
  void Write(const std::string& key, double value, Writes* writes);
  void Update(const std::string& key, double reward, Writes* writes);
  /// False if there is no room for it.
  bool AddType(const std::string& type, Writes* writes);
  bool HasRoomForType(const std::string& type) const;
  void AddNode(const std::string& node, Writes* writes);

  const size_t most_keys_;
  int64_t refused_ = 0;
  OriginalStore store_;
  std::map<std::string, double, std::less<>> values_;  // in full precision
  Names nodes_;
  Names types_;
};

}  // namespace outrigger::reward
