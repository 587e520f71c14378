#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/method.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/base/mutex.h"
#include "pods/counted_ends.h"
#include "pods/pod_changes.h"
#include "pods/pod_history.h"
#include "pods/pod_type.h"
#include "rule/experience.h"
#include "rule/rule.h"

namespace outrigger::reward {

/// What is known of a type at a moment. Immutable.
struct TypeScores {
  Sums all;
  Seconds at = 0;
  uint64_t revision = 0;  // Experience::Revision() of then
  /// Empty where the type has failed on no node: all score 1.
  NameMap<Experience::Pair> nodes;
};

/// The experience, and what follows from it for the types that were asked for last. Thread-safe.
class Scoreboard {
 public:
  /// Scores are worked out again after so many seconds, because of decay and of what has changed.
  static constexpr Seconds kFresh = 1;
  static constexpr Seconds kDecays = 30;
  static constexpr size_t kRememberedTypes = 64;

  explicit Scoreboard(const Rule& rule) : experience_(rule) {}

  /// Never null. Waits for Use() only where the type was not asked for lately.
  std::shared_ptr<const TypeScores> ScoresOf(std::string_view type, Seconds now) const;
  /// Takes `experience` in the place of what there was.
  void Replace(Experience experience);
  /// Reads or changes the experience; calls of the scheduler may wait for it.
  void Use(absl::FunctionRef<void(Experience* experience)> use);
  void Read(absl::FunctionRef<void(const Experience& experience)> read) const;

 private:
  std::shared_ptr<const TypeScores> Remembered(std::string_view type) const;
  void Remember(std::string_view type, std::shared_ptr<const TypeScores> scores) const;

  mutable Mutex mutex_;
  Experience experience_ ABSL_GUARDED_BY(mutex_);
  mutable Mutex remembered_mutex_;
  mutable NameMap<std::shared_ptr<const TypeScores>> remembered_ ABSL_GUARDED_BY(remembered_mutex_);
};

/// The rule of rule.h.
class RuleMethod final : public Method {
 public:
  /// `draws`: Thompson sampling. `type_label`: as TypeOf() has it. `cluster`, which may be null,
  /// has the pods of which the outcome is not known yet.
  RuleMethod(const Rule& rule, PodFilter filter, bool draws, std::string type_label = "",
             ClusterReader* cluster = nullptr);

  std::string_view Key() const override { return "pairs"; }
  std::vector<std::string> Begin(std::string_view text, Moment now) override;
  std::vector<std::string> Show(std::string_view text, Moment now) override;
  Progress Look(std::shared_ptr<const ClusterSnapshot> snapshot, Moment now) override;
  Progress Tick(Moment now) override;
  std::string Text(size_t most_bytes, size_t* left_out) override;
  absl::Status Score(const Request& request, Seconds now,
                     std::span<NodeScore> scores) const override;
  void FillPage(Seconds now, PageTable* table) const override;
  size_t Pairs() const override;

 private:
  struct KnownPod {
    std::string type;
    std::string node;
    PodHistory history;
    Seconds due = 0;       // in due_; 0: it is not
    bool is_left = false;  // its labels have changed: not counted for now
  };
  struct PodOutcome {
    std::string type;
    std::string node;
    Outcome outcome;
  };
  using Due = std::pair<Seconds, std::string>;  // when, and the UID

  reward::Look LookAt(Moment now) const;
  /// What the clock did; empty: nothing worth a word.
  std::string OnClock(Moment now);
  void OnPod(const PodView& view, const reward::Look& look);
  void OnDue(const reward::Look& look);
  void Take(const std::string& uid, const reward::Look& look, KnownPod* pod);
  Progress Finish(Moment now);
  /// Null: the cluster is not known.
  std::shared_ptr<const ClusterSnapshot> Snapshot() const;
  /// How many pods with name and namespace of the type on the node are younger than mttf and run,
  /// or will.
  double PendingOn(const ClusterSnapshot* snapshot, std::string_view node, const TypeParts& type,
                   Seconds now) const;

  const Rule rule_;
  const PodFilter filter_;
  const bool draws_;
  const std::string type_label_;
  ClusterReader* const cluster_;
  Scoreboard board_;

  // Of the thread that counts.
  CountedEnds counted_;
  PodChanges changes_;
  NameMap<KnownPod> pods_;  // by UID
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::vector<Outcome> outcomes_;  // of one pod
  std::vector<PodOutcome> news_;   // of one look
  Moment last_;                    // look
  Seconds counted_until_ = 0;
  Seconds paid_until_ = CountedEnds::kNever;
  bool is_first_ = true;
};

}  // namespace outrigger::reward
