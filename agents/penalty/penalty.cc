// Priority classes that pay for winning: a class loses value when work under it starts and
// completes, and recovers with time.
#include <algorithm>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "keeper.h"
#include "outrigger/agent/agent.h"
#include "penalty/classes/journal_maps.h"
#include "penalty/classes/mapping.h"
#include "penalty/classes/pages.h"
#include "penalty_metrics.h"
#include "preempt.h"
#include "settings.h"

namespace outrigger::penalty {
namespace {

// A change of a class is a few calls; it is waited for when the process ends.
constexpr std::chrono::seconds kFinish{5};

std::vector<AccessRule> AccessRules(const Settings& settings) {
  const Settings defaults;
  AccessRule maps{"", "configmaps", {"get", "update", "delete"}};
  maps.names = JournalMapNames();
  AccessRule lease{"coordination.k8s.io", "leases", {"get", "update"}};
  lease.names = {defaults.lease};
  std::vector<AccessRule> in_namespace = {
      maps, {"", "configmaps", {"create"}}, lease, {"coordination.k8s.io", "leases", {"create"}}};
  if (settings.replacement == "mapped") in_namespace.push_back({"", "pods", {"create"}});
  for (AccessRule& rule : in_namespace) rule.in_own_namespace = true;
  std::vector<AccessRule> rules = {
      {"scheduling.k8s.io", "priorityclasses", {"get", "create", "delete"}},
      {std::string(kQueueKind.group), "podgroups", {"patch"}},
      {std::string(kQueueKind.group), "queues", {"list", "watch"}},
      {"", "namespaces", {"list", "watch"}},
      {"events.k8s.io", "events", {"create", "patch"}}};
  if (settings.replacement == "mapped") {
    rules.push_back({"", "resourcequotas", {"list", "watch"}});
  }
  rules.insert(rules.end(), in_namespace.begin(), in_namespace.end());
  return rules;
}

class Penalty final : public Agent, public Preempter, public PageSource, public Controller {
 public:
  static absl::StatusOr<std::unique_ptr<Agent>> Make(const AgentDeps& deps,
                                                     const Settings& settings) {
    auto options = OptionsFrom(settings);
    if (!options.ok()) return options.status();
    return std::make_unique<Penalty>(deps, *std::move(options));
  }

  static std::vector<MetricSpec> Metrics() { return PenaltyMetrics(); }
  static std::vector<AccessRule> Access(const Settings& settings) { return AccessRules(settings); }

  Penalty(const AgentDeps& deps, Options options)
      : deps_(deps),
        options_(std::move(options)),
        keeper_(deps.cluster == nullptr ? nullptr : std::make_unique<Keeper>(deps, options_)) {}
  ~Penalty() override { Stop(); }

  Needs Reads() const override {
    return Needs()
        .PodMetadata()
        .PodScheduling()
        .ClusterPods()
        .ClusterGroups()
        .ClusterGroupStatus()
        .ClusterPriorityClasses();
  }

  absl::Status Start() override {
    if (keeper_ == nullptr) {
      return absl::FailedPreconditionError(
          "needs the API server: set --kubeconfig FILE, or run in a pod");
    }
    if (!options_.selector) {
      deps_.warn(
          "no class is penalised: --penalty.class-selector is empty. Set a label selector, and "
          "label the classes");
    }
    if (options_.dry_run) return StartDryRun();
    auto candidacy = deps_.cluster->Stand(
        options_.claim, {.lead = [this](const std::stop_token& term) { keeper_->Lead(term); }});
    if (!candidacy.ok()) return candidacy.status();
    candidacy_ = *std::move(candidacy);
    return absl::OkStatus();
  }

  // The change of a class that is under way is ended before the term.
  void Stop() override {
    if (keeper_ != nullptr) keeper_->Finish(kFinish);
    candidacy_.reset();
    dry_run_ = {};
  }

  absl::Status Preempt(const PreemptRequest& request,
                       std::vector<NodeVictims>* chosen) const override {
    const auto view = deps_.cluster->Take();
    if (!view.ok()) return view.status();
    const std::vector<PriorityClass>& classes = view->objects->classes;
    const auto find = [&](std::string_view name) -> const PriorityClass* {
      const auto at = std::lower_bound(
          classes.begin(), classes.end(), name,
          [](const PriorityClass& one, std::string_view sought) { return one.name < sought; });
      return at != classes.end() && at->name == name ? &*at : nullptr;
    };
    const auto penalised_as = [&](std::string_view name) {
      const PriorityClass* there = find(name);
      if (there != nullptr && !StandsFor(*there).empty()) {
        name = StandsFor(*there);
        there = find(name);
      }
      // For a moment a class that gets another value is not there.
      const bool is_penalised = there != nullptr ? IsPenalisedClass(*there, options_)
                                                 : view->objects->priority_classes.contains(name);
      return std::string(is_penalised ? name : "");
    };
    const size_t left_out = ChooseVictims(request, *view->snapshot, penalised_as, chosen);
    deps_.metrics->Add(metric::kDropped, "", static_cast<double>(left_out));
    return absl::OkStatus();
  }

  std::vector<PageSpec> Pages() const override { return PenaltyPages(); }
  absl::Status FillPage(std::string_view page, PageTable* table) const override {
    if (keeper_ == nullptr) return absl::UnavailableError("there is no cluster");
    return keeper_->FillPage(page, table);
  }

 private:
  // Nothing is written, so no Lease is needed.
  absl::Status StartDryRun() {
    deps_.log("dry run: no classes, PodGroups or journal are written");
    dry_run_ = std::jthread([this](const std::stop_token& stop) { keeper_->Lead(stop); });
    return absl::OkStatus();
  }

  const AgentDeps deps_;
  const Options options_;
  const std::unique_ptr<Keeper> keeper_;
  std::unique_ptr<Candidacy> candidacy_;  // its thread uses keeper_
  std::jthread dry_run_;                  // as well
};

}  // namespace

OUTRIGGER_AGENT(Penalty, Settings)

}  // namespace outrigger::penalty
