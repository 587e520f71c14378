// Devices of devmgmtproto.k8s.io: which nodes can serve the claims of a pod, and which devices it
// gets.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "calls/binding.h"
#include "calls/judge.h"
#include "calls/preemption.h"
#include "control/custody.h"
#include "control/keeper.h"
#include "control/pool_reports.h"
#include "control/status_writer.h"
#include "control/waker.h"
#include "devices/allocation/allocator.h"
#include "devices/allocation/selectors.h"
#include "devices/dra/reader.h"
#include "fmt/format.h"
#include "outrigger/agent/agent.h"
#include "outrigger/base/mutex.h"
#include "outrigger/base/pace.h"
#include "reports/device_metrics.h"
#include "reports/pool_page.h"
#include "settings.h"
#include "store/device_store.h"
#include "stranded/dra_scorer.h"

namespace outrigger::devices {
namespace agent {
namespace {

using std::chrono::milliseconds;

// What the agent does with kinds of devmgmtproto.k8s.io.
AccessRule RuleOf(const CustomKind& kind, std::vector<std::string> verbs, bool of_status = false) {
  return {std::string(kind.group), fmt::format("{}{}", kind.plural, of_status ? "/status" : ""),
          std::move(verbs)};
}

std::vector<AccessRule> AccessRules() {
  AccessRule lease{"coordination.k8s.io", "leases", {"get", "update"}};
  lease.names = {Settings().lease};
  AccessRule new_lease{"coordination.k8s.io", "leases", {"create"}};
  lease.in_own_namespace = new_lease.in_own_namespace = true;
  return {RuleOf(kPoolKind, {"get", "list", "watch"}),
          RuleOf(kPoolKind, {"patch"}, true),
          RuleOf(kClassKind, {"list", "watch"}),
          RuleOf(kClassKind, {"patch"}, true),
          RuleOf(kDriverKind, {"list", "watch"}),
          RuleOf(kClaimKind, {"get", "list", "watch", "create"}),
          RuleOf(kClaimKind, {"patch"}, true),
          RuleOf(kPrivilegedClaimKind, {"get", "list", "watch"}),
          RuleOf(kPrivilegedClaimKind, {"patch"}, true),
          RuleOf(kNamespaceKind, {"list", "watch"}),
          RuleOf(dra::kSliceKind, {"list", "watch"}),
          RuleOf(dra::kClassKind, {"list", "watch"}),
          RuleOf(dra::kClaimKind, {"list", "watch"}),
          RuleOf(dra::kTaintRuleKind, {"list", "watch"}),
          {"", "pods", {"get"}},
          {"", "pods/status", {"patch"}},
          {"events.k8s.io", "events", {"create", "patch"}},
          lease,
          new_lease};
}

// What expressions of one namespace cost is not to slow others down.
AllocatorOptions WithShares(AllocatorOptions options,
                            const std::function<Clock::TimePoint()>& now) {
  options.now = [now] { return std::chrono::nanoseconds(now().time_since_epoch()); };
  return options;
}

class Devices final : public Agent,
                      public Filterer,
                      public Scorer,
                      public PreBinder,
                      public Preempter,
                      public PageSource,
                      public Controller {
 public:
  static absl::StatusOr<std::unique_ptr<Agent>> Make(const AgentDeps& deps,
                                                     const Settings& settings) {
    auto options = OptionsFrom(settings);
    if (!options.ok()) return options.status();
    return std::make_unique<Devices>(deps, *std::move(options));
  }

  static std::vector<MetricSpec> Metrics() { return DeviceMetrics(); }
  static std::vector<AccessRule> Access() { return AccessRules(); }
  // Of a sample of the nodes none may have devices.
  static SchedulerWishes Wishes() {
    return {.last = false, .every_node = true, .quick_retries = false};
  }

  Devices(const AgentDeps& deps, Options options)
      : deps_(deps),
        options_(std::move(options)),
        selectors_(MakeCelSelectors()),
        allocator_(*selectors_, WithShares(options_.allocator, deps_.clock.now)),
        judge_(store_, allocator_),
        preemption_(store_, judge_, allocator_, deps_.cluster),
        binding_({deps_.cluster,
                  deps_.metrics,
                  {.identity = NewIdentity(),
                   .intent_time = options_.intent_deadline,
                   .binding_time = options_.binding_time,
                   .wall = deps_.clock.wall,
                   .now = deps_.clock.now},
                  deps_.warn},
                 &store_, judge_, allocator_),
        custody_({deps_.cluster, deps_.metrics, deps_.log, deps_.clock}, &store_, &binding_),
        waker_({deps_.cluster, deps_.metrics, deps_.clock, deps_.warn}, &store_, judge_,
               allocator_),
        statuses_({deps_.cluster, deps_.cluster, deps_.metrics, deps_.clock, deps_.warn}, &store_,
                  allocator_, *selectors_),
        reports_({deps_.cluster, deps_.metrics, deps_.clock}),
        keeper_(deps_.clock, store_, &custody_, &statuses_, &reports_) {
    if (options_.dra) {
      dra_ = std::make_unique<DraScorer>(options_.allocator.weights,
                                         options_.allocator.topology_attributes, deps_.clock.now);
    }
    store_.OnChange([this] {
      waking_.Wake();
      keeper_.OnDevices();
    });
  }
  ~Devices() override { Stop(); }

  Needs Reads() const override {
    Needs needs = Needs().PodMetadata().PodScheduling().PodTimes().ClusterPods();
    // Slices choose nodes by their labels.
    return dra_ == nullptr ? needs : needs.NodeLabels();
  }

  absl::Status Start() override {
    if (deps_.cluster == nullptr) {
      return absl::FailedPreconditionError(
          "needs the API server: set --kubeconfig FILE, or run in a pod");
    }
    store_.Follow(deps_.cluster);
    if (dra_ != nullptr) dra_->Follow(deps_.cluster);
    is_started_ = true;
    auto candidacy = deps_.cluster->Stand(
        options_.lease, {.lead = [this](const std::stop_token& term) { keeper_.Lead(term); }});
    if (!candidacy.ok()) return candidacy.status();
    {
      const MutexLock lock(mutex_);
      candidacy_ = *std::move(candidacy);
    }
    changes_ = deps_.cluster->OnChange([this] { keeper_.OnPods(); });
    waker_thread_ = std::jthread([this](const std::stop_token& stop) { KeepWaking(stop); });
    return absl::OkStatus();
  }

  void Stop() override {
    changes_.End();
    std::unique_ptr<Candidacy> ended;
    {
      const MutexLock lock(mutex_);
      ended = std::move(candidacy_);
    }
    ended.reset();
    waker_thread_ = {};
    store_.Stop();
    if (dra_ != nullptr) dra_->Stop();
  }

  absl::Status Filter(const outrigger::Request& request,
                      std::span<Verdict> verdicts) const override {
    bool unresolved = false;
    absl::Status status = judge_.Filter(request, verdicts, &unresolved);
    const auto fits = [](const Verdict& verdict) { return verdict.fits(); };
    const bool none_is_left = std::none_of(verdicts.begin(), verdicts.end(), fits);
    if (status.ok() && none_is_left && is_started_) waker_.OnRejected(request.pod, unresolved);
    return status;
  }
  absl::Status Score(const outrigger::Request& request,
                     std::span<NodeScore> scores) const override {
    absl::Status status = judge_.Score(request, scores);
    return status.ok() && dra_ != nullptr ? dra_->Score(request, scores) : status;
  }

  absl::Status Preempt(const PreemptRequest& request,
                       std::vector<NodeVictims>* chosen) const override {
    return preemption_.Preempt(request, chosen);
  }

  absl::Status PreBind(const BindRequest& request) override { return binding_.PreBind(request); }
  void UndoPreBind(const BindRequest& request, const BindFailure& failure) override {
    binding_.UndoPreBind(request, failure);
  }
  void PostBind(const BindRequest& request) override { binding_.PostBind(request); }

  // One process brings what is written in order before any answers.
  absl::Status Ready() const override {
    absl::Status usable = store_.Usable();
    // Without the kinds no pod has devices, and those that ask for some are answered.
    if (absl::IsNotFound(usable)) return absl::OkStatus();
    if (!usable.ok()) return usable;
    absl::Status recovered = custody_.Recovered();
    if (recovered.ok()) return recovered;
    std::string cause(recovered.message());
    const MutexLock lock(mutex_);
    if (candidacy_ != nullptr && !candidacy_->IsLeader()) {
      if (!candidacy_->Leader().empty()) return absl::OkStatus();
      cause = fmt::format("the Lease {}/{}, which no process holds", options_.lease.namespace_,
                          options_.lease.name);
    }
    return absl::UnavailableError(fmt::format(
        "starting: earlier allocations must be completed or undone first; waiting for {}", cause));
  }

  std::vector<PageSpec> Pages() const override { return {PoolPage()}; }
  absl::Status FillPage(std::string_view /*page*/, PageTable* table) const override {
    const absl::Status usable = store_.Usable();
    if (!usable.ok()) return absl::UnavailableError(usable.message());
    FillPoolPage(store_, table);
    return absl::OkStatus();
  }

 private:
  void KeepWaking(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      waking_.Wait(waker_.waiting() > 0 ? milliseconds(1'000) : milliseconds(60'000), stop);
      waker_.Round(stop);
      (void)deps_.clock.sleep(milliseconds(50), stop);  // changes that come together
    }
  }

  const AgentDeps deps_;
  const Options options_;
  const std::unique_ptr<const Selectors> selectors_;
  const Allocator allocator_;
  DeviceStore store_;
  std::unique_ptr<DraScorer> dra_;  // null: nodes are not scored for ResourceClaims
  const Judge judge_;
  const Preemption preemption_;
  Binding binding_;
  Custody custody_;
  Pace waking_;
  mutable Waker waker_;
  StatusWriter statuses_;
  PoolReports reports_;
  Keeper keeper_;
  std::atomic<bool> is_started_{false};
  mutable Mutex mutex_;
  std::unique_ptr<Candidacy> candidacy_ ABSL_GUARDED_BY(mutex_);  // its thread uses keeper_
  Subscription changes_;
  std::jthread waker_thread_;
};

}  // namespace

OUTRIGGER_AGENT(Devices, Settings)

}  // namespace agent

AgentFactory MakeFactory();
AgentFactory MakeFactory() {
  return agent::MakeFactory();
}

}  // namespace outrigger::devices
