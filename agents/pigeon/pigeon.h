#pragma once

#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "demand/book.h"
#include "demand/keeper.h"
#include "judge.h"
#include "original_model.h"
#include "outrigger/agent/agent.h"
#include "scene.h"
#include "settings.h"

namespace outrigger::pigeon {

/// Places pods so that nodes vary in use as pods vary in what they ask for: adaptive bin packing
/// (A_BINPACK), or by the balance of one resource (LOAD_BALANCE, CONSOLIDATE).
///
///   filter  a node fits if what the pod asks for of each resource that counts fits into what is
///           free of it
///   score   the value of the objective over the whole cluster with the pod on the node, drawn out
///           to 1..10 over the nodes of the call; see Judge for the formulas
///
/// Every pod that fits a node is counted once as demand (DemandBook), which a DemandKeeper keeps
/// over restarts. With original-arithmetic the OriginalModel answers instead.
///
/// Thread-safe.
class Pigeon final : public Agent, public Filterer, public Scorer, public Controller {
 public:
  static absl::StatusOr<std::unique_ptr<Agent>> Make(const AgentDeps& deps,
                                                     const Settings& settings);
  static std::vector<Alias> Aliases();
  static std::vector<MetricSpec> Metrics();
  static std::vector<AccessRule> Access();
  ~Pigeon() override { Stop(); }

  Needs Reads() const override;
  absl::Status Filter(const Request& request, std::span<Verdict> verdicts) const override;
  absl::Status Score(const Request& request, std::span<NodeScore> scores) const override;

  absl::Status Start() override;
  void Stop() override;
  bool IsNeededToAnswer() const override { return false; }

 private:
  Pigeon(const AgentDeps& deps, const Settings& settings, Options options);

  /// Unless it is there, or nothing is to be kept.
  absl::Status MakeKeeper();
  bool HasModel() const { return model_ != nullptr; }
  /// Where there is a model, the cluster as it is now.
  absl::StatusOr<std::shared_ptr<const ClusterSnapshot>> TakeSnapshot() const;
  /// Counts the pod where it fits one of the nodes of the call.
  void Learn(const Request& request, const Amounts& asked, Scene* scene) const;
  static bool Fits(const Candidate& node, const Amounts& asked);
  Verdict Check(const Candidate& node, const Amounts& asked) const;
  std::string Why(const Judge& judge, const Judgement& judgement, const Demand& demand,
                  size_t nodes) const;

  const AgentDeps deps_;
  const Settings settings_;
  const Options options_;
  const std::unique_ptr<SharedModel> model_;       // null: the nodes of a call are the cluster
  const std::unique_ptr<OriginalModel> original_;  // null: not asked for
  mutable DemandBook book_;
  std::unique_ptr<DemandKeeper> keeper_;  // null: not made yet; the original forgets
  std::jthread keeping_;
};

/// Defined by OUTRIGGER_AGENT.
AgentFactory MakeFactory();

}  // namespace outrigger::pigeon
