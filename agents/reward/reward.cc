// Prefers nodes where pods of the same type have run well: learns from failures, exits and time.
#include <atomic>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/method.h"
#include "keeper.h"
#include "original/original_method.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/state_store.h"
#include "reward_metrics.h"
#include "rule/rule_method.h"
#include "settings.h"

namespace outrigger::reward {
namespace {

std::unique_ptr<Method> MakeMethod(const Options& options, ClusterReader* cluster) {
  if (options.is_original) return std::make_unique<OriginalMethod>(options.filter);
  return std::make_unique<RuleMethod>(options.rule, options.filter, options.draws,
                                      options.type_label, cluster);
}

class Reward final : public Agent, public Scorer, public PageSource, public Controller {
 public:
  static absl::StatusOr<std::unique_ptr<Agent>> Make(const AgentDeps& deps,
                                                     const Settings& settings) {
    auto options = OptionsFrom(settings);
    if (!options.ok()) return options.status();
    // Without either it cannot be started, but it can be asked what it needs.
    if (deps.cluster == nullptr && options->store.file.empty()) {
      return std::make_unique<Reward>(deps, *std::move(options), nullptr);
    }
    auto store = MakeStateStore(options->store, deps);
    if (!store.ok()) return store.status();
    return std::make_unique<Reward>(deps, *std::move(options), *std::move(store));
  }

  static std::vector<Alias> Aliases() {
    return {{"/scheduler/priorities/rl-priority", Alias::Verb::kPrioritize, ""}};
  }
  // The scheduler's own scores would outweigh a node's failures.
  static SchedulerWishes Wishes() { return {.weight = 10}; }
  static std::vector<MetricSpec> Metrics() { return RewardMetrics(); }
  static std::vector<AccessRule> Access() {
    AccessRule lease{"coordination.k8s.io", "leases", {"get", "update"}};
    lease.names = {Settings().lease};
    AccessRule new_lease{"coordination.k8s.io", "leases", {"create"}};
    lease.in_own_namespace = new_lease.in_own_namespace = true;
    std::vector<AccessRule> rules = StateStoreAccess(kConfigMap);
    rules.insert(rules.end(), {lease, new_lease});
    return rules;
  }

  Reward(const AgentDeps& deps, Options options, std::unique_ptr<StateStore> store)
      : deps_(deps),
        options_(std::move(options)),
        method_(MakeMethod(options_, deps_.cluster)),
        store_(std::move(store)),
        keeper_(store_ == nullptr ? nullptr
                                  : std::make_unique<Keeper>(deps_, method_.get(), store_.get())) {}
  ~Reward() override { Stop(); }

  Needs Reads() const override {
    return Needs().PodMetadata().PodStatus().PodImages().PodContainerStates();
  }

  absl::Status Start() override {
    if (keeper_ == nullptr) {
      return absl::FailedPreconditionError(
          "needs the API server: give --kubeconfig FILE, or run in a pod");
    }
    is_started_ = true;
    follower_ = std::jthread([this](const std::stop_token& stop) { keeper_->Follow(stop); });
    if (deps_.cluster == nullptr) return absl::OkStatus();  // scores by the file
    if (!options_.store.file.empty()) {                     // which is this process' own
      leader_ = std::jthread([this](const std::stop_token& stop) { keeper_->Lead(stop); });
      return absl::OkStatus();
    }
    auto candidacy = deps_.cluster->Stand(
        options_.claim, {.lead = [this](const std::stop_token& term) { keeper_->Lead(term); }});
    if (!candidacy.ok()) return candidacy.status();
    candidacy_ = *std::move(candidacy);
    return absl::OkStatus();
  }

  void Stop() override {
    candidacy_.reset();
    leader_ = {};
    follower_ = {};
  }

  absl::Status Score(const Request& request, std::span<NodeScore> scores) const override {
    if (request.explaining) ReadWhereNotStarted();
    return method_->Score(request, NowOf(deps_.clock).wall, scores);
  }

  std::vector<PageSpec> Pages() const override {
    using Type = PageColumn::Type;
    return {
        {"reward",
         "pairs of a pod type and a node of which something is known, the worst first",
         {{"namespace", Type::kText,
           "namespace of the type's pods; none with the original's arithmetic"},
          {"type", Type::kText,
           "name of the type: of a label of the pod, of its controller, or of the pod"},
          {"image", Type::kText, "images of the type; none with the original's arithmetic"},
          {"node", Type::kText, "name of the node"},
          {"score", Type::kNumber,
           "what the node gets for pods of the type, 0 to 1, without regard to pods whose outcome "
           "is not known yet"},
          {"value", Type::kNumber,
           "successes here against those that another node would have had; below 1 it is the "
           "score"},
          {"successes", Type::kNumber,
           "pods that ran for mttf and containers that ended well, as far as not forgotten"},
          {"failures", Type::kNumber,
           "failed containers and starts, and evictions, as far as not forgotten: each counts 0.5 "
           "to 1"},
          {"failuresLastHour", Type::kInteger, "failures of the last hour, at most 8"},
          {"lastFailureAgeSeconds", Type::kInteger,
           "since the last failure; none: no failure is known"}}}};
  }
  absl::Status FillPage(std::string_view /*page*/, PageTable* table) const override {
    method_->FillPage(NowOf(deps_.clock).wall, table);
    return absl::OkStatus();
  }

 private:
  // `outrigger explain` starts no agent, whether it has a cluster or not: what is known is in the
  // file.
  void ReadWhereNotStarted() const {
    if (is_started_ || options_.store.file.empty()) return;
    std::call_once(read_once_, [this] {
      const absl::Status read = keeper_->ReadAgain({});
      if (!read.ok()) deps_.warn(std::string(read.message()));
    });
  }

  const AgentDeps deps_;
  const Options options_;
  const std::unique_ptr<Method> method_;
  const std::unique_ptr<StateStore> store_;
  const std::unique_ptr<Keeper> keeper_;  // null: there is neither a cluster nor a file
  std::atomic<bool> is_started_{false};
  mutable std::once_flag read_once_;
  std::unique_ptr<Candidacy> candidacy_;  // its thread uses keeper_
  std::jthread leader_;                   // as well
  std::jthread follower_;                 // as well
};

}  // namespace

OUTRIGGER_AGENT(Reward, Settings)

}  // namespace outrigger::reward
