#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "common/desk_names.h"
#include "events/gang_event.h"
#include "gang/plan/groups.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/metrics.h"

namespace outrigger::gang {

/// Finds members that do not ask for the agent's calls (plan/call_resources.h) where kube-scheduler
/// calls it about those that do, and about no others: it places such a member as a single pod. That
/// is so where pods ask for calls, or one that does not is bound, and no call about another one
/// ever came. Not thread-safe.
class Unasked {
 public:
  using Log = std::function<void(std::string_view line)>;
  /// `cluster` and `metrics` outlive this.
  Unasked(ClusterWriter* cluster, AgentMetrics* metrics, Log log);

  /// Whose pods are planned, before each OnPlan().
  void Prepare(const plan::GroupOptions& options);
  /// Counts those among `pods`, and reports the ones that are new: an Event about the group, and
  /// about each of its first pods. Of those that were bound at the first plan only the count is
  /// known: the scheduler may have been another one. `asks_about_all`: as of Round.
  void OnPlan(const Board& board, std::span<const PodPtr> pods, bool asks_about_all);
  /// Another agent is in charge: the next plan is the first one.
  void Forget();

 private:
  // Those of one group that do not ask for the same, in one plan.
  struct Found {
    std::vector<PodPtr> added;
    size_t all = 0;
  };
  using Kind = std::pair<plan::UnitKey, std::string_view>;  // with what they do not ask for
  struct Look {
    std::map<Kind, Found> found;
    absl::flat_hash_set<std::string> known;
    size_t bound = 0;
    bool is_sure = false;  // kube-scheduler does not call about them
  };
  Look LookAt(const Board& board, std::span<const PodPtr> pods) const;
  bool IsOurs(const Pod& pod) const;
  void Tell(const Board& board, const std::map<Kind, Found>& found);
  void TellGroup(FirstPods* pods, const Kind& kind, const Found& found);
  void Count(size_t waiting, size_t bound);

  // A gang of thousands would say the same thousands of times.
  static constexpr size_t kMostPods = 8;

  ClusterWriter* const cluster_;
  AgentMetrics* const metrics_;
  const Log log_;
  bool first_ = true;
  std::set<std::string, std::less<>> scheduler_names_;
  absl::flat_hash_set<std::string> known_;  // UIDs
};

}  // namespace outrigger::gang
