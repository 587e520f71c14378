#include "gang/plan/planner.h"

#include "cluster/snapshot.h"
#include "gang/plan/nodes/domains.h"
#include "gang/plan/nodes/node_space.h"
#include "gang/plan/round/round.h"
#include "gang/plan/shortfall/shortfall.h"

namespace outrigger::plan {
namespace {

// Shapes and kinds that no pod has any more are forgotten all at once, with what is known of the
// nodes: when there are twice as many as after the first plan, and so many more.
constexpr size_t kMostIdle = 16'384;

}  // namespace

class Planner::State {
 public:
  void Follow(const std::shared_ptr<const cluster::Snapshot>& snapshot,
              const std::shared_ptr<const SchedulerChecks>& checks) {
    const bool outgrown = first_ != 0 && space_->memory() > 2 * first_ + kMostIdle;
    const bool others = TakeChecks(checks);
    if (space_ == nullptr || outgrown || others) {
      Renew();
    }
    space_->Follow(snapshot);
    if (!space_->is_stale()) return;
    Renew();
    space_->Follow(snapshot);
  }

  Plan Run(std::span<const Unit> units, const PlanOptions& options) {
    Round round(space_.get(), domains_.get(), shapes_.get(), options);
    round.Run(units);
    EndRound();
    return round.TakePlan();
  }

  Shortfall Explain(std::span<const Unit> units, size_t index, const PlanOptions& options,
                    const std::stop_token& stop) {
    Shortfall shortfall = FindShortfall(Shop(), units, index, options, stop);
    EndRound();
    return shortfall;
  }

 private:
  Workshop Shop() { return {space_.get(), domains_.get(), shapes_.get()}; }

  // All plans that one call makes are a round.
  void EndRound() {
    shapes_->Sweep();
    if (first_ == 0) first_ = space_->memory();
  }

  void Renew() {
    first_ = 0;
    space_ = std::make_unique<NodeSpace>(checks_);
    domains_ = std::make_unique<DomainTable>(space_.get());
    shapes_ = std::make_unique<ShapeTable>(space_.get());
  }

  // True if they are others than before.
  bool TakeChecks(const std::shared_ptr<const SchedulerChecks>& checks) {
    const bool same =
        checks == nullptr ? checks_->empty() : checks == checks_ || *checks == *checks_;
    if (!same) checks_ = checks == nullptr ? std::make_shared<const SchedulerChecks>() : checks;
    return !same;
  }

  std::shared_ptr<const SchedulerChecks> checks_ = std::make_shared<const SchedulerChecks>();
  std::unique_ptr<NodeSpace> space_;
  std::unique_ptr<DomainTable> domains_;
  std::unique_ptr<ShapeTable> shapes_;
  size_t first_ = 0;  // NodeSpace::memory() after the first plan with it
};

Planner::Planner() : state_(std::make_unique<State>()) {}
Planner::~Planner() = default;

Plan Planner::Run(const std::shared_ptr<const ClusterSnapshot>& snapshot,
                  std::span<const Unit> units, const PlanOptions& options) {
  state_->Follow(cluster::Snapshot::Of(snapshot), options.checks);
  return state_->Run(units, options);
}

Shortfall Planner::Explain(const std::shared_ptr<const ClusterSnapshot>& snapshot,
                           std::span<const Unit> units, size_t index, const PlanOptions& options,
                           const std::stop_token& stop) {
  state_->Follow(cluster::Snapshot::Of(snapshot), options.checks);
  return state_->Explain(units, index, options, stop);
}

}  // namespace outrigger::plan
