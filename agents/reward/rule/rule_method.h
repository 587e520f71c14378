#pragma once

#include <functional>
#include <memory>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/method.h"
#include "common/name_map.h"
#include "pods/counted_ends.h"
#include "pods/pod_changes.h"
#include "pods/pod_history.h"
#include "rule/rule.h"
#include "rule/scoreboard.h"

namespace outrigger::reward {

/// The rule of rule.h.
class RuleMethod final : public Method {
 public:
  /// `draws`: Thompson sampling.
  RuleMethod(const Rule& rule, PodFilter filter, bool draws);

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
  void Draw(const Request& request, std::string_view type, Seconds now,
            std::span<NodeScore> scores) const;

  const Rule rule_;
  const PodFilter filter_;
  const bool draws_;
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
