// The queue: which pod goes first, kept from outside of a stock kube-scheduler.
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "decisions.h"
#include "fmt/format.h"
#include "outrigger/agent/agent.h"
#include "outrigger/desk/desk.h"
#include "outrigger/plan/order.h"
#include "outrigger/plan/queue.h"
#include "queue_metrics.h"
#include "queue_page.h"
#include "queue_watch.h"
#include "settings.h"

namespace outrigger::qos {
namespace {

using desk::Desk;

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
      "{}: managedResources: kube-scheduler asks about members of groups alone, and agent qos "
      "needs calls about all pods; write the file without --members-only, or leave qos out",
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

  std::vector<PageSpec> Pages() const override { return {plan::QueuePage()}; }
  absl::Status FillPage(std::string_view /*page*/, PageTable* table) const override {
    const auto plan = desk_->Plan();
    if (!plan.ok()) return plan.status();
    FillQueuePage(**plan, table);
    return absl::OkStatus();
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
