// All or nothing: pods of one group get places together, or none of them does.
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "board/reasons.h"
#include "calls/admission.h"
#include "calls/barrier.h"
#include "calls/commit.h"
#include "calls/inbox.h"
#include "calls/preempt_call.h"
#include "eviction/evictor.h"
#include "eviction/reports.h"
#include "fmt/format.h"
#include "leadership/leadership.h"
#include "options.h"
#include "outrigger/agent/agent.h"
#include "outrigger/plan/group.h"
#include "plan_loop.h"
#include "reports/gang_metrics.h"
#include "reports/reports.h"
#include "reports/status_writer.h"
#include "settings.h"

namespace outrigger::gang {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Gang final : public Agent,
                   public Filterer,
                   public Scorer,
                   public Binder,
                   public Preempter,
                   public Controller {
 public:
  static absl::StatusOr<std::unique_ptr<Agent>> Make(const AgentDeps& deps,
                                                     const Settings& settings) {
    if (const auto checks = ReadUnchecked(settings); !checks.ok()) return checks.status();
    auto lease = ReadLeaseName(settings.scheduler_lease);
    if (!lease.ok()) return lease.status();
    lease->host_name = settings.host_name.empty() ? HostName() : settings.host_name;
    if (Names(settings.scheduler_names).empty()) {
      return absl::InvalidArgumentError(
          "scheduler-names: \"\" is not accepted: the names of the scheduler's profiles, "
          "separated by commas");
    }
    return std::make_unique<Gang>(deps, settings, *lease);
  }

  static SchedulerWishes Wishes() {
    return {.last = true, .every_node = true, .quick_retries = true};
  }
  static std::vector<MetricSpec> Metrics() {
    std::vector<MetricSpec> metrics = GangMetrics();
    for (MetricSpec& metric : EvictionMetrics()) metrics.push_back(std::move(metric));
    return metrics;
  }
  static std::vector<AccessRule> Access() {
    return {{"", "pods", {"get"}},
            {"", "pods/binding", {"create"}},
            {"", "pods/eviction", {"create"}},
            {"", "pods/status", {"patch"}},
            {"coordination.k8s.io", "leases", {"get"}},
            {"events.k8s.io", "events", {"create", "patch"}},
            // For write-status. Volcano's PodGroups have no status of their own to patch.
            {"scheduling.k8s.io", "podgroups/status", {"patch"}},
            {"scheduling.sigs.k8s.io", "podgroups/status", {"patch"}},
            {"scheduling.volcano.sh", "podgroups", {"get", "patch"}},
            {"scheduling.volcano.sh", "podgroups/status", {"patch"}},
            {"scheduling.x-k8s.io", "podgroups/status", {"patch"}}};
  }

  Gang(const AgentDeps& deps, const Settings& settings, const Charge::Options& lease)
      : cluster_(deps.cluster),
        reports_(deps.cluster, deps.metrics, deps.log),
        charge_(
            deps.cluster, lease, [this] { loop_.Nudge(); }, deps.warn),
        barriers_(BarrierOptionsOf(settings)),
        eviction_reports_(deps.cluster, deps.metrics, deps.log),
        evictor_(deps.cluster, &eviction_reports_, EvictorOptionsOf(settings)),
        statuses_(deps.cluster, deps.log, {.enabled = settings.write_status}),
        loop_(deps.cluster, &charge_, &barriers_, &inbox_, &evictor_, &statuses_, &reports_,
              LoopOptionsOf(settings)),
        committer_(deps.cluster, seconds(settings.bind_timeout)),
        tentative_(std::chrono::steady_clock::now) {}

  ~Gang() override { Stop(); }

  Needs Reads() const override {
    return Needs()
        .NodeLabels()
        .NodeTaints()
        .NodeAllocatable()
        .PodMetadata()
        .PodResources()
        .PodScheduling()
        .PodStatus()
        .ClusterPods()
        .ClusterGroups()
        .ClusterBudgets()
        .ClusterClaims();
  }

  absl::Status Start() override {
    if (cluster_ == nullptr) {
      return absl::FailedPreconditionError(
          "needs the API server: give --kubeconfig FILE, or run in a pod");
    }
    charge_.Start();
    evictor_.Start();
    statuses_.Start();
    loop_.Start();
    return absl::OkStatus();
  }
  void Stop() override {
    barriers_.Close("the agent is stopping");
    committer_.Stop();
    loop_.Stop();
    evictor_.Stop();
    statuses_.Stop();
    charge_.Stop();
  }

  absl::Status Live() const override { return loop_.pulse().Live(); }

  absl::Status Filter(const Request& request, std::span<Verdict> verdicts) const override {
    inbox_.Called(std::chrono::steady_clock::now());
    const auto answers = loop_.Answer();
    if (absl::Status may = loop_.MayAnswerBy(*answers); !may.ok()) return may;
    const Admission admission = Admit(*answers->board, request, &tentative_, verdicts);
    using Outcome = Admission::Outcome;
    if (admission.outcome == Outcome::kPasses) return absl::OkStatus();
    const Pod& pod = request.pod;
    const bool refused =
        admission.outcome == Outcome::kNotOffered && pod.nominated_node_name == admission.node;
    const bool awaited =
        inbox_.Asked(pod.uid, {.at = std::chrono::steady_clock::now(),
                               .rejected = admission.outcome != Outcome::kReserved});
    if (refused) {
      inbox_.Refused(
          {pod.namespace_ + "/" + pod.name, pod.uid, admission.node, std::string(kNotPassed)});
    }
    if (awaited || admission.outcome == Outcome::kNotOffered) loop_.Nudge();
    return absl::OkStatus();
  }

  absl::Status Score(const Request& request, std::span<NodeScore> scores) const override {
    const auto answers = loop_.Answer();
    if (absl::Status may = loop_.MayAnswerBy(*answers); !may.ok()) return may;
    Steer(*answers->board, request, scores);
    return absl::OkStatus();
  }

  absl::Status Bind(const BindRequest& request) override {
    std::optional<MemberSeat> member;
    {
      // A member may wait for minutes: it must not keep the plan of its arrival alive.
      const auto answers = loop_.Answer();
      if (absl::Status may = loop_.MayAnswerBy(*answers); !may.ok()) return may;
      tentative_.End(request.pod_uid);
      const Board& board = *answers->board;
      const BoardPod* seat = board.Find(request.pod_uid);
      const BoardUnit* unit = seat == nullptr ? nullptr : board.UnitOf(*seat);
      if (seat != nullptr && unit == nullptr) return absl::AbortedError(seat->reason);
      if (unit == nullptr || !unit->gang) return BindSingle(board, seat, request);
      member = MemberSeat{unit->key, seat->role, seat->node, unit->started_with};
    }
    return BindMember(*member, request);
  }

  absl::Status Preempt(const PreemptRequest& request,
                       std::vector<NodeVictims>* chosen) const override {
    const auto answers = loop_.Answer();
    if (absl::Status may = loop_.MayAnswerBy(*answers); !may.ok()) return may;
    ChooseVictims(*answers->board, request, &barriers_, chosen);
    if (chosen->empty()) {
      const bool awaited =
          inbox_.Asked(request.pod.uid, {.at = std::chrono::steady_clock::now(), .rejected = true});
      if (awaited) loop_.Nudge();
      TellIfRefused(*answers->board, request.pod);
    }
    return absl::OkStatus();
  }

 private:
  // It looks for a place by preemption after it has looked at the one for which it was nominated.
  void TellIfRefused(const Board& board, const Pod& pod) const {
    const BoardPod* const seat = board.Find(pod.uid);
    if (seat == nullptr || seat->node.empty() || pod.nominated_node_name != seat->node) return;
    inbox_.Refused({pod.namespace_ + "/" + pod.name, pod.uid, seat->node, std::string(kNotPassed)});
    loop_.Nudge();
  }

  BarrierOptions BarrierOptionsOf(const Settings& settings) {
    BarrierOptions options;
    // The answer has to be there before the scheduler gives up.
    options.longest = seconds(settings.bind_timeout) - seconds(2);
    options.patience = PatienceOf(settings);
    options.may_commit = [this] { return charge_.Ask({.timeout = seconds(5)}); };
    options.changed = [this] { loop_.Nudge(); };
    options.ended = [this](const plan::UnitKey& gang, BarrierEnd end, milliseconds held) {
      reports_.OnBarrier(gang, end, held);
      if (end != BarrierEnd::kTimeout) return;
      inbox_.GaveUp(gang, held);
      loop_.Nudge();
    };
    return options;
  }

  EvictorOptions EvictorOptionsOf(const Settings& settings) {
    EvictorOptions options;
    options.enabled = settings.preempt;
    options.min_run_time = seconds(settings.min_run_time);
    options.may_act = [this] {
      absl::Status may = charge_.Ask({.timeout = seconds(5)});
      // What has been begun is the other one's now.
      if (charge_.IsHeldByAnother()) return absl::FailedPreconditionError(may.message());
      return may;
    };
    options.changed = [this] { loop_.Nudge(); };
    return options;
  }

  /// Where a member may be bound, apart from the plan that says so.
  struct MemberSeat {
    plan::UnitKey gang;
    std::string role;
    std::string node;
    int64_t started_with = 1;
  };

  absl::Status BindMember(const MemberSeat& seat, const BindRequest& request) {
    if (seat.node != request.node) {
      return absl::AbortedError(
          WaitingText(seat.gang, fmt::format("its place is not {} any more", request.node)));
    }
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
    loop_.Nudge();
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

  ClusterAccess* const cluster_;
  mutable Inbox inbox_;
  Reports reports_;
  Charge charge_;
  mutable Barriers barriers_;
  EvictionReports eviction_reports_;
  Evictor evictor_;
  StatusWriter statuses_;
  mutable PlanLoop loop_;
  Committer committer_;
  mutable TentativeUses tentative_;
};

}  // namespace

OUTRIGGER_AGENT(Gang, Settings)

}  // namespace outrigger::gang
