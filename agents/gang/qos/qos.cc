// The queue: which pod goes first, kept from outside of a stock kube-scheduler.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "gang/desk/board.h"
#include "gang/desk/desk.h"
#include "gang/desk/participant.h"
#include "gang/plan/order.h"
#include "gang/plan/queue.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/metrics.h"
#include "outrigger/agent/page.h"
#include "outrigger/agent/request.h"
#include "settings.h"

namespace outrigger::qos {
namespace {

using desk::Desk;

/// Logs at level debug which of two neighbours in the queue goes first. Thread-safe.
class Decisions {
 public:
  using Log = std::function<void(std::string_view line)>;
  /// `debug`: null if the level is off.
  explicit Decisions(Log debug) : debug_(std::move(debug)) {}

  void OnFilter(const desk::Desk& desk, const Request& request) const;

 private:
  const Log debug_;
};

// "pod default/a (groupPriority 10, priority 0, Guaranteed)".
std::string RankText(std::string_view kind, std::string_view name, const plan::Rank& rank) {
  return fmt::format("{} {} (groupPriority {}, priority {}, {})", kind, name, rank.group_priority,
                     rank.priority, plan::TextOf(rank.qos));
}

std::string TextOf(const desk::BoardUnit& unit) {
  return RankText(unit.gang ? "gang" : "pod", plan::TextOf(unit.key), unit.rank);
}

void Decisions::OnFilter(const desk::Desk& desk, const Request& request) const {
  if (!debug_) return;
  const auto plan = desk.Plan();
  if (!plan.ok()) return;
  const desk::Board& board = **plan;
  const desk::BoardPod* const seat = board.Find(request.pod.uid);
  const desk::BoardUnit* const unit = seat == nullptr ? nullptr : board.UnitOf(*seat);
  const std::string name = request.pod.namespace_ + "/" + request.pod.name;
  const plan::Rank rank = unit == nullptr ? board.RankOfUnseen(request.pod) : unit->rank;
  const std::string self = unit == nullptr ? RankText("pod", name, rank) : TextOf(*unit);
  const desk::BoardUnit* const front = board.InFrontOf(rank);
  debug_(front == nullptr ? fmt::format("{} goes first", self)
                          : fmt::format("{} goes before {}", TextOf(*front), self));
}

namespace metric {

constexpr std::string_view kLeading = "outrigger_qos_leading";
constexpr std::string_view kLength = "outrigger_qos_queue_length";
constexpr std::string_view kHeadAge = "outrigger_qos_head_age_seconds";
constexpr std::string_view kHeld = "outrigger_qos_held";
constexpr std::string_view kInversions = "outrigger_qos_inversions_total";

}  // namespace metric

/// Counts what becomes of the queue with each plan, and logs what is wrong with pods' labels where
/// no other agent does. Of the planning thread.
class QueueWatch final : public desk::Participant {
 public:
  using Log = std::function<void(std::string_view line)>;
  using UnixTime = std::function<int64_t()>;
  /// `metrics` and what the functions need outlive this. `is_alone`: no other agent of the process
  /// plans. `unix_time`: seconds since 1970; null: the system's.
  QueueWatch(AgentMetrics* metrics, Log log, std::function<bool()> is_alone,
             UnixTime unix_time = nullptr);

  void OnPlan(const desk::Round& round) override;
  void OnActing(const absl::Status& acting) override;
  void Pause(desk::Time now, bool another_acts) override;

 private:
  void CountHeld(const desk::Board& board);
  void CountInversions(const desk::Round& round);
  void CountInversionsOn(std::string_view node, const plan::Rank& first,
                         const ClusterSnapshot& snapshot);

  AgentMetrics* const metrics_;
  const Log log_;
  const std::function<bool()> is_alone_;
  const UnixTime unix_time_;
  std::map<std::string, size_t> held_;         // by cause, as last counted
  std::shared_ptr<const desk::Board> before_;  // of the last round
  absl::Status acting_;
};

MetricSpec Spec(MetricSpec::Kind kind, std::string_view name, std::string_view help,
                std::string_view label = "") {
  return {kind, std::string(name), std::string(help), std::string(label), {}};
}

int64_t SystemSeconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// What they are.
std::vector<MetricSpec> QueueMetrics() {
  using Kind = MetricSpec::Kind;
  return {
      Spec(Kind::kGauge, metric::kLeading, "1 while this process is in charge, else 0."),
      Spec(Kind::kGauge, metric::kLength, "Waiting units: gangs and single pods."),
      Spec(Kind::kGauge, metric::kHeadAge,
           "Seconds since the first unit of the queue was created; 0: the queue is empty."),
      Spec(Kind::kGauge, metric::kHeld, "Units without nodes, by what they lack.", "cause"),
      Spec(Kind::kCounter, metric::kInversions,
           "Pods bound to a node that an earlier unit of the queue was to get."),
  };
}

QueueWatch::QueueWatch(AgentMetrics* metrics, Log log, std::function<bool()> is_alone,
                       UnixTime unix_time)
    : metrics_(metrics),
      log_(std::move(log)),
      is_alone_(std::move(is_alone)),
      unix_time_(unix_time ? std::move(unix_time) : SystemSeconds) {}

void QueueWatch::OnActing(const absl::Status& acting) {
  metrics_->Set(metric::kLeading, "", acting.ok() ? 1 : 0);
  if (acting == acting_) return;
  acting_ = acting;
  if (!is_alone_()) return;
  log_(acting.ok() ? "in charge" : std::string(acting.message()));
}

// By the next plan much may have happened, and in which order is not known.
void QueueWatch::Pause(desk::Time /*now*/, bool /*another_acts*/) {
  before_ = nullptr;
}

void QueueWatch::OnPlan(const desk::Round& round) {
  const desk::Board& board = *round.board;
  metrics_->Set(metric::kLength, "", static_cast<double>(board.units().size()));
  const desk::BoardUnit* const head = board.units().size() == 0 ? nullptr : &board.units()[0];
  const bool is_known = head != nullptr && head->rank.created != 0;
  const int64_t age = is_known ? std::max<int64_t>(unix_time_() - head->rank.created, 0) : 0;
  metrics_->Set(metric::kHeadAge, "", static_cast<double>(age));
  CountHeld(board);
  CountInversions(round);
  before_ = round.board;
  if (!is_alone_()) return;
  for (const plan::Note& note : round.notes) log_(fmt::format("{}: {}", note.about, note.text));
}

void QueueWatch::CountHeld(const desk::Board& board) {
  for (auto& [cause, count] : held_) count = 0;
  // One cause after another is mostly the same.
  auto last = held_.end();
  for (const desk::BoardUnit& unit : board.units()) {
    if (unit.fits) continue;
    if (last == held_.end() || last->first != unit.label)
      last = held_.try_emplace(unit.label).first;
    ++last->second;
  }
  for (const plan::GroupState& group : board.groups()) {
    if (desk::Waits(group)) ++held_[std::string(TextOf(group.cause))];
  }
  for (const auto& [cause, count] : held_) {
    metrics_->Set(metric::kHeld, cause, static_cast<double>(count));
  }
}

// Units that lose their places are few, so that the pods of few nodes are looked at.
void QueueWatch::CountInversions(const desk::Round& round) {
  if (before_ == nullptr) return;
  // The first of the units that had their places on a node at the last plan and have none now.
  std::map<std::string_view, const plan::Rank*> lost;
  before_->ForEachPod([&](const desk::BoardPod& seat) {
    if (seat.node.empty()) return;
    const desk::BoardPod* const now = round.board->Find(seat.pod->uid);
    if (now != nullptr && now->node.empty()) lost.try_emplace(seat.node, &seat.unit->rank);
  });
  for (const auto& [node, first] : lost) CountInversionsOn(node, *first, *round.view.snapshot);
}

void QueueWatch::CountInversionsOn(std::string_view node, const plan::Rank& first,
                                   const ClusterSnapshot& snapshot) {
  for (const PodView pod : snapshot.PodsOn(node)) {
    const desk::BoardPod* const seat = before_->Find(pod.Uid());
    if (seat == nullptr || seat->unit == nullptr || !(first < seat->unit->rank)) continue;
    metrics_->Add(metric::kInversions, "", 1);
    log_(
        fmt::format("pod {}/{} was bound to {} ahead of an earlier gang or pod in the queue, which "
                    "was to get that room",
                    pod.Namespace(), pod.Name(), node));
  }
}

desk::DeskTerms TermsOf(const AgentDeps& deps, const Settings& settings) {
  desk::DeskTerms terms = desk::TermsOf("qos", deps, settings);
  terms.adjust = [settings](desk::PlanningOptions* options) {
    options->hold = true;
    options->groups.order_by_pod_priority = settings.pod_priority;
  };
  return terms;
}

// Single pods, too, have to be asked about.
absl::Status CheckCalls(const AgentDeps& deps, const Settings& settings) {
  const bool called = settings.DeskMode() == desk::Mode::kExtender;
  if (!called || !deps.scheduler.members_only.value_or(false)) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "{}: managedResources: kube-scheduler calls only for members of groups, but agent qos needs "
      "calls for all pods; write the file without --members-only, or leave out qos",
      deps.scheduler.file));
}

class Qos final : public Agent,
                  public Filterer,
                  public Preempter,
                  public PageSource,
                  public Controller {
 public:
  static absl::StatusOr<std::unique_ptr<Agent>> Make(const AgentDeps& deps,
                                                     const Settings& settings) {
    absl::Status called = CheckCalls(deps, settings);
    if (!called.ok()) return called;
    auto qos = std::make_unique<Qos>(deps, settings);
    desk::DeskTerms terms = TermsOf(deps, settings);
    terms.participant = &qos->watch_;
    absl::Status joined = qos->desk_->Join(terms);
    if (!joined.ok()) return joined;
    return qos;
  }

  static SchedulerWishes Wishes() {
    return {.last = true, .every_node = true, .quick_retries = true};
  }
  static std::vector<MetricSpec> Metrics() { return QueueMetrics(); }
  static bool TakesCalls(const Settings& settings) {
    return settings.DeskMode() != desk::Mode::kAlone;
  }
  static std::vector<AccessRule> Access(const Settings& settings) {
    return desk::AccessOf(settings);
  }

  Qos(const AgentDeps& deps, const Settings& settings)
      : settings_(settings),
        desk_(Desk::Of(deps)),
        watch_(deps.metrics, deps.log, [this] { return IsAlone(); }),
        decisions_(deps.debug) {}
  ~Qos() override { Stop(); }

  Needs Reads() const override { return desk::NeedsOf(settings_); }

  absl::Status Start() override { return desk_->Start(); }
  void Stop() override { desk_->Stop("qos"); }
  absl::Status Live() const override { return desk_->Live(); }

  // gang answers for members of groups, where it is in the process.
  absl::Status Filter(const Request& request, std::span<Verdict> verdicts) const override {
    const desk::Scope scope = IsAlone() ? desk::Scope::kAll : desk::Scope::kSingles;
    absl::Status filtered = desk_->Filter(request, scope, verdicts);
    if (filtered.ok()) decisions_.OnFilter(*desk_, request);
    return filtered;
  }

  absl::Status Preempt(const PreemptRequest& request,
                       std::vector<NodeVictims>* chosen) const override {
    const auto plan = desk_->Plan();
    if (!plan.ok()) return plan.status();
    Desk::ChooseVictims(**plan, request, chosen);
    if (chosen->empty()) desk_->OnNoVictims(**plan, request.pod);
    return absl::OkStatus();
  }

  std::vector<PageSpec> Pages() const override { return desk_->PagesOf("qos"); }
  absl::Status FillPage(std::string_view page, PageTable* table) const override {
    return desk_->FillPage(page, table);
  }

 private:
  bool IsAlone() const { return !desk_->HasJoined("gang"); }

  const Settings settings_;
  const std::shared_ptr<Desk> desk_;
  QueueWatch watch_;
  const Decisions decisions_;
};

}  // namespace

OUTRIGGER_AGENT(Qos, Settings)

}  // namespace outrigger::qos
