#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/method.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"
#include "outrigger/k8s/pod.h"
#include "pods/pod_changes.h"

namespace outrigger::reward {

// The arithmetic of the original program (kubeRL), with its faults: --reward.original-arithmetic.
// tests/golden/rl_monitor.json and rl_priority.json were made by that program.

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

/// The original's arithmetic (original.h), fed with each change of a pod that the view shows, as
/// that program was with each event of its watch.
class OriginalMethod final : public Method {
 public:
  /// `most_keys`: for tests.
  explicit OriginalMethod(PodFilter filter, size_t most_keys = OriginalMonitor::kMostKeys)
      : filter_(std::move(filter)), monitor_(most_keys) {}

  std::string_view Key() const override { return "original"; }
  std::vector<std::string> Begin(std::string_view text, Moment now) override;
  std::vector<std::string> Show(std::string_view text, Moment now) override;
  Progress Look(std::shared_ptr<const ClusterSnapshot> snapshot, Moment now) override;
  Progress Tick(Moment /*now*/) override { return {}; }
  std::string Text(size_t most_bytes, size_t* left_out) override;
  absl::Status Score(const Request& request, Seconds now,
                     std::span<NodeScore> scores) const override;
  void FillPage(Seconds now, PageTable* table) const override;
  size_t Pairs() const override;

 private:
  std::vector<Pod> PodsThatChanged(std::shared_ptr<const ClusterSnapshot> snapshot);
  void BeginMonitor(const ClusterSnapshot& snapshot, const std::vector<Pod>& pods)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  /// Once an hour, where something had no room: forgets types without pods and nodes that are gone.
  bool MakeRoom(const ClusterSnapshot& snapshot, Moment now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  /// What a person may want to know; empty: nothing.
  std::string Note() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const PodFilter filter_;
  mutable Mutex mutex_;
  OriginalMonitor monitor_ ABSL_GUARDED_BY(mutex_);
  bool lacks_ones_ ABSL_GUARDED_BY(mutex_) = false;  // the text was written without them
  PodChanges changes_;
  bool is_first_ = true;
  std::optional<Clock::TimePoint> room_made_;
  bool is_noted_ = false;
};

/// The store as a text, "KEY VALUE" by lines, of at most `most_bytes`. Where it would be longer,
/// values of 1 are left out first, but those of a type over all nodes, and its first line says so.
std::string WriteOriginal(const OriginalStore& store, size_t most_bytes, size_t* left_out);
/// Reads such a text; what cannot be used is counted in `unusable`. `lacks_ones`, which may be
/// null, is true where values of 1 were left out.
OriginalStore ReadOriginal(std::string_view text, size_t* unusable, bool* lacks_ones = nullptr);

}  // namespace outrigger::reward
