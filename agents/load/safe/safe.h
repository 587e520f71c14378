#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assessment_cache.h"
#include "measured_nodes.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/page.h"
#include "pod_ledger.h"
#include "settings.h"

namespace outrigger::safe {

/// Keeps nodes from overload, judged by the mean and the standard deviation of their measured load.
///
/// Per resource (cpu, memory) the utilization with the pod is taken as beta-distributed; the risk
/// is the probability that it exceeds Settings::utilization (T).
///   filter    a node fits if the risk is at most max_risk (e), for both resources
///   overload  1 - sqrt(min(risk / e, 1)), cut to tenths; if e is 0, 1 at risk 0 and 0 otherwise
///   balance   1 - (mean + min(margin * deviation^(1/sensitivity), 1)) / 2; margin and sensitivity
///             as in Trimaran's LoadVariationRiskBalancing
/// A node's score is that of its worse resource; a resource without statistics does not count, and
/// a node without any fits and scores no_statistics_score. The agent's own score is the weighted
/// mean of overload and balance.
///
/// Where the cluster is followed, the mean is corrected by what pods that came or went about the
/// time of measuring are expected to use (Correction()). Statistics older than max_age are none; if
/// that is 0, those older than three times the window that their node states.
///
/// Thread-safe.
class Safe final : public Agent, public Filterer, public Scorer, public PageSource {
 public:
  /// InvalidArgument if both weights are 0.
  static absl::StatusOr<std::unique_ptr<Agent>> Make(const AgentDeps& deps,
                                                     const Settings& settings);
  /// Of the original's paths.
  static std::vector<Alias> Aliases();
  static std::vector<MetricSpec> Metrics();
  /// An Event of its own pod.
  static std::vector<AccessRule> Access();

  Needs Reads() const override;
  std::vector<NamedScorer> NamedScorers() const override;
  absl::Status Filter(const Request& request, std::span<Verdict> verdicts) const override;
  absl::Status Score(const Request& request, std::span<NodeScore> scores) const override;
  /// "measured", of the nodes of the cluster: as Filter() and Score() answer about them.
  std::vector<PageSpec> Pages() const override;
  absl::Status FillPage(std::string_view page, PageTable* table) const override;

 private:
  /// One of the two scores by itself.
  class Part final : public Scorer {
   public:
    Part(const Safe* safe, double overload_share) : safe_(safe), overload_share_(overload_share) {}
    absl::Status Score(const Request& request, std::span<NodeScore> scores) const override;

   private:
    const Safe* safe_;
    double overload_share_;
  };

  Safe(const AgentDeps& deps, const Settings& settings, std::unique_ptr<PodLedger> ledger);

  /// Seconds since 1970.
  double Now() const;
  /// Statistics are there, and not too old.
  bool IsMeasured(const Node& node, double now) const;
  /// The cache, without what is no longer right in it.
  AssessmentCache::Session Open(const Request& request, const Question& question) const;
  /// The statistics of the node at `i`, from the cache where it has them.
  Assessment& Assess(const Request& request, size_t i, AssessmentCache::Session* cache) const;
  /// The same without the cache; `stale_at` becomes what StaleAt() says.
  Assessment Read(const Request& request, const Node& node, uint64_t revision,
                  std::optional<double>* stale_at) const;
  /// From when on the statistics are too old, by the window that the node states and the one that
  /// is known of it; nothing: never.
  std::optional<double> StaleAt(const std::optional<Window>& stated,
                                const std::optional<Window>& measured) const;
  /// Adds what is known of the node's pods. The revision is 0 then if that is of another state of
  /// the node, so that it must not be remembered.
  void AddNews(const Node& node, Assessment* assessment) const;
  double RiskOf(Assessment* assessment, Resource resource, double demand) const;
  bool Accepts(Assessment* assessment, Resource resource, double demand) const;
  Verdict Reject(Assessment* assessment, const Amounts& demand) const;

  double OverloadScore(double risk) const;
  double BalanceScore(const Utilization& utilization) const;
  bool Fits(Assessment* assessment, const Amounts& demand) const;
  double OverloadShare() const;
  /// The score with `overload_share` (0..1) of overload and the rest of balance.
  double NodeValue(Assessment* assessment, const Amounts& demand, double overload_share) const;
  std::string Figures(Assessment* assessment, const Amounts& demand) const;
  std::string FiguresOf(Assessment* assessment, Resource resource, double demand) const;
  /// Tells who asked for them how a score came about.
  void Explain(const Request& request, size_t i, const std::string& figures,
               NodeScore* score) const;
  void ScoreAll(const Request& request, double overload_share, std::span<NodeScore> scores) const;

  /// Adds the row of a node to the page. Leaves the cache to the scheduler's calls.
  void AddNode(const Node& node, PageTable* table) const;

  const Settings settings_;
  ClusterReader* const cluster_;  // null: none
  const std::function<void(std::string_view)> log_;
  const std::function<std::chrono::system_clock::time_point()> wall_;
  const std::string remedy_;  // how a reason ends, for pods that ask for nothing and for others
  const std::string remedy_with_request_;
  const Part overload_;
  const Part balance_;
  mutable AssessmentCache cache_;
  mutable MeasuredNodes measured_nodes_;
  const std::unique_ptr<PodLedger> ledger_;  // null: no pods are known
};

/// Defined by OUTRIGGER_AGENT.
AgentFactory MakeFactory();

}  // namespace outrigger::safe
