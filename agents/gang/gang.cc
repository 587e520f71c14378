// All or nothing: pods of one group get places together, or none of them does.
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calls/barrier.h"
#include "calls/commit.h"
#include "calls/preempt_call.h"
#include "common/desk_names.h"
#include "eviction/evictor.h"
#include "eviction/reports.h"
#include "fmt/format.h"
#include "gang/plan/call_resources.h"
#include "gang/plan/group.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/page.h"
#include "reports/gang_metrics.h"
#include "reports/held.h"
#include "reports/reports.h"
#include "reports/status_writer.h"
#include "reports/unasked.h"
#include "rounds.h"
#include "sdk/base/dialects.h"
#include "settings.h"

namespace outrigger::gang {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Gang final : public Agent,
                   public Filterer,
                   public Binder,
                   public Preempter,
                   public PageSource,
                   public Controller {
 public:
  static absl::StatusOr<std::unique_ptr<Agent>> Make(const AgentDeps& deps,
                                                     const Settings& settings) {
    auto gang = std::make_unique<Gang>(deps, settings);
    absl::Status joined = gang->Join(deps, settings);
    if (!joined.ok()) return joined;
    return gang;
  }

  static SchedulerWishes Wishes() {
    return {.last = true,
            .every_node = false,
            .quick_retries = false,
            .cycle_resource = plan::kCallResource,
            .bind_resource = plan::kBindCallResource};
  }
  static std::vector<MetricSpec> Metrics() {
    std::vector<MetricSpec> metrics = GangMetrics();
    for (MetricSpec& metric : EvictionMetrics()) metrics.push_back(std::move(metric));
    return metrics;
  }
  static bool TakesCalls(const Settings& settings) {
    return settings.DeskMode() != desk::Mode::kAlone;
  }
  static std::vector<AccessRule> Access(const Settings& settings) {
    std::vector<AccessRule> rules = desk::AccessOf(settings);
    rules.push_back({"", "pods/eviction", {"create"}});
    rules.push_back({"events.k8s.io", "events", {"create", "patch"}});
    for (const DialectRow& row : kDialects) {  // for write-status
      if (row.group.empty()) continue;
      const std::string group(row.group);
      if (row.status_in_object) rules.push_back({group, "podgroups", {"get", "patch"}});
      rules.push_back({group, "podgroups/status", {"patch"}});
    }
    if (!TakesCalls(settings)) return rules;
    rules.push_back({"", "pods", {"get"}});
    rules.push_back({"", "pods/binding", {"create"}});
    return rules;
  }

  Gang(const AgentDeps& deps, const Settings& settings)
      : settings_(settings),
        desk_(Desk::Of(deps)),
        reports_(deps.cluster, deps.metrics, deps.log),
        barriers_(BarrierOptionsOf(settings, deps.scheduler)),
        eviction_reports_(deps.cluster, deps.metrics, deps.log),
        evictor_(deps.cluster, &eviction_reports_, EvictorOptionsFor(settings)),
        recovery_(deps.cluster, &eviction_reports_, RecoveryOptionsOf(settings)),
        statuses_(deps.cluster, deps.log,
                  {.enabled = settings.write_status, .may_write = WhileInCharge()}),
        explainer_([this] { desk_->Nudge(); }),
        unasked_(deps.cluster, deps.metrics, deps.log),
        held_(deps.cluster, deps.metrics, deps.log),
        rounds_({.barriers = &barriers_,
                 .committer = &committer_,
                 .evictor = &evictor_,
                 .recovery = &recovery_,
                 .statuses = &statuses_,
                 .reports = &reports_,
                 .explainer = &explainer_,
                 .unasked = &unasked_,
                 .held = &held_}),
        committer_(deps.cluster, BindTimeoutOf(settings, deps.scheduler), WhileInCharge()) {}

  absl::Status Join(const AgentDeps& deps, const Settings& settings) {
    desk::DeskTerms terms = TermsOf(deps, settings);
    terms.participant = &rounds_;
    return desk_->Join(terms);
  }

  ~Gang() override { Stop(); }

  Needs Reads() const override {
    Needs needs = desk::NeedsOf(settings_);
    return needs.ClusterBudgets();
  }

  absl::Status Start() override {
    evictor_.Start();
    recovery_.Start();
    explainer_.Start();
    statuses_.Start();
    return desk_->Start();
  }
  void Stop() override {
    barriers_.Close("the agent is stopping");
    committer_.Stop();
    // All that write, before another one may be in charge.
    recovery_.Stop();
    evictor_.Stop();
    statuses_.Stop();
    desk_->Stop("gang");
    explainer_.Stop();
  }

  absl::Status Live() const override { return desk_->Live(); }

  absl::Status Filter(const Request& request, std::span<Verdict> verdicts) const override {
    // qos answers for single pods, where it is in the process.
    const bool with_qos = desk_->HasJoined("qos");
    return desk_->Filter(request, with_qos ? desk::Scope::kMembers : desk::Scope::kAll, verdicts);
  }

  absl::Status Bind(const BindRequest& request) override {
    std::optional<MemberSeat> member;
    {
      // A member may wait for minutes: it must not keep the plan of its arrival alive.
      const auto plan = desk_->Plan();
      if (!plan.ok()) return plan.status();
      const Board& board = **plan;
      const BoardPod* seat = board.Find(request.pod_uid);
      const BoardUnit* unit = seat == nullptr ? nullptr : board.UnitOf(*seat);
      if (seat != nullptr && unit == nullptr) return absl::AbortedError(seat->reason);
      if (unit == nullptr || !unit->gang) return BindSingle(board, seat, request);
      if (!desk_->MayBindAt(board, *seat, request.node)) {
        return absl::AbortedError(
            WaitingText(unit->key, fmt::format("its node is no longer {}", request.node)));
      }
      member = MemberSeat{unit->key, seat->role, unit->started_with};
    }
    return BindMember(*member, request);
  }

  absl::Status Preempt(const PreemptRequest& request,
                       std::vector<NodeVictims>* chosen) const override {
    const auto plan = desk_->Plan();
    if (!plan.ok()) return plan.status();
    ChooseVictims(**plan, request, &barriers_, chosen);
    if (chosen->empty()) desk_->OnNoVictims(**plan, request.pod);
    return absl::OkStatus();
  }

  std::vector<PageSpec> Pages() const override { return desk_->PagesOf("gang"); }
  absl::Status FillPage(std::string_view page, PageTable* table) const override {
    return desk_->FillPage(page, table);
  }

 private:
  BarrierOptions BarrierOptionsOf(const Settings& settings, const SchedulerFacts& scheduler) {
    BarrierOptions options;
    // The answer has to be there before the scheduler gives up.
    options.longest = BindTimeoutOf(settings, scheduler) - seconds(2);
    options.patience = PatienceOf(settings, scheduler);
    options.may_commit = [this] {
      absl::Status in_step = desk_->InStep();
      return in_step.ok() ? desk_->MayWrite({}).status() : in_step;
    };
    options.changed = [this] { desk_->Nudge(); };
    options.ended = [this](const plan::UnitKey& gang, BarrierEnd end, milliseconds held) {
      reports_.OnBarrier(gang, end, held);
      if (end == BarrierEnd::kTimeout) desk_->OnGaveUp(gang, held);
    };
    return options;
  }

  EvictorOptions EvictorOptionsFor(const Settings& settings) {
    EvictorOptions options = EvictorOptionsOf(settings);
    options.may_act = [this] {
      absl::Status may = desk_->MayAct({.timeout = seconds(5)});
      // What has been begun is the other one's now.
      if (desk_->AnotherActs()) return absl::FailedPreconditionError(may.message());
      return may;
    };
    options.may_write = WhileInCharge();
    options.changed = [this] { desk_->Nudge(); };
    return options;
  }

  RecoveryOptions RecoveryOptionsOf(const Settings& settings) {
    RecoveryOptions options;
    options.patience = PartialTimeoutOf(settings);
    options.mode = settings.DeskMode();
    options.may_act = [this] { return desk_->MayAct({.timeout = seconds(5)}); };
    options.may_write = WhileInCharge();
    return options;
  }

  MayWrite WhileInCharge() {
    return [this](const CallLimits& limits) { return desk_->MayWrite(limits); };
  }

  /// Where a member may be bound, apart from the plan that says so.
  struct MemberSeat {
    plan::UnitKey gang;
    std::string role;
    int64_t started_with = 1;
  };

  absl::Status BindMember(const MemberSeat& seat, const BindRequest& request) {
    const std::string name = fmt::format("{}/{}", request.pod_namespace, request.pod_name);
    absl::Status may = barriers_.Wait({.gang = seat.gang,
                                       .uid = request.pod_uid,
                                       .name = name,
                                       .node = request.node,
                                       .role = seat.role,
                                       .abandoned = request.abandoned});
    if (!may.ok()) return may;
    absl::Status bound = committer_.CommitMember(request, seat.started_with);
    barriers_.Bound(seat.gang, request.pod_uid, bound.ok());
    desk_->Nudge();
    return bound;
  }

  absl::Status BindSingle(const Board& board, const BoardPod* seat, const BindRequest& request) {
    PodPtr pod = seat == nullptr ? nullptr : seat->pod;
    if (pod == nullptr) {
      auto read = committer_.ReadSingle(board, request);
      if (!read.ok()) return read.status();
      pod = std::make_shared<const Pod>(*std::move(read));
    }
    absl::Status free = CheckCommitting(board, barriers_, *pod, request.node);
    if (!free.ok()) return free;
    return committer_.Commit(request);
  }

  const Settings settings_;
  const std::shared_ptr<Desk> desk_;
  Reports reports_;
  mutable Barriers barriers_;
  EvictionReports eviction_reports_;
  Evictor evictor_;
  Recovery recovery_;
  StatusWriter statuses_;
  Explainer explainer_;
  Unasked unasked_;
  Held held_;
  Rounds rounds_;
  Committer committer_;
};

}  // namespace

OUTRIGGER_AGENT(Gang, Settings)

}  // namespace outrigger::gang
