// Disruption budgets: how many of their pods may be taken away now.

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "apiserver/controllers/reconcilers.h"
#include "apiserver/select/field_path.h"
#include "apiserver/select/label_selector.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// An evicted pod that is still there then was not deleted after all.
constexpr std::chrono::minutes kEvictionTime{2};

class Budgets : public Reconciler {
 public:
  Budgets(Desk* desk, WorkQueue* queue)
      : Reconciler(desk, queue), kind_(desk->KindOf("policy", "poddisruptionbudgets")) {}

  std::vector<const Collection*> Watched() const override {
    return {kind_.collection, desk_.pods.collection};
  }
  void See(const Change& change) override;
  Result Sync(const Collection& collection, const ObjectName& name) override;

 private:
  struct Selected {
    Json source = Json::object();  // the selector as written
    LabelSelector selector;
    std::map<ObjectName, StoredPtr> pods;
  };
  struct Numbers {
    int64_t expected = 0;
    int64_t desired = 0;
    int64_t healthy = 0;
    Json disrupted = Json::object();
  };
  void SeeBudget(const Change& change);
  void SeePod(const Change& change, const ObjectName& budget, Selected* selected);
  Result Count(const Json& spec, const Selected& selected, Numbers* numbers);
  Result ExpectedScale(const Selected& selected, int64_t* scale);
  Result ScaleOf(const std::string& namespace_, const Json& controller, std::string* uid,
                 int64_t* scale) const;
  void CountHealthy(const Json& budget, const ObjectName& name, const Selected& selected,
                    Numbers* numbers);

  const Served& kind_;
  std::map<ObjectName, Selected> budgets_;
};

void Budgets::See(const Change& change) {
  if (change.collection == kind_.collection) return SeeBudget(change);
  if (budgets_.empty()) return;
  const std::string& namespace_ = change.now->name.namespace_;
  for (auto at = budgets_.lower_bound({namespace_, ""});
       at != budgets_.end() && at->first.namespace_ == namespace_; ++at) {
    SeePod(change, at->first, &at->second);
  }
}

void Budgets::SeeBudget(const Change& change) {
  const ObjectName& name = change.now->name;
  if (change.kind == Change::Kind::kDeleted) {
    budgets_.erase(name);
    return;
  }
  Look(kind_.collection, name);
  const Json spec = change.now->Parse().value("spec", Json::object());
  Selected& selected = budgets_[name];
  const Json source = spec.value("selector", Json());
  if (selected.source == source) return;
  selected = {.source = source, .selector = ReadLabelSelector(source), .pods = {}};
  for (StoredPtr& pod : desk_.store->List(*desk_.pods.collection, name.namespace_).objects) {
    if (selected.selector.Matches(pod->labels)) selected.pods[pod->name] = std::move(pod);
  }
}

void Budgets::SeePod(const Change& change, const ObjectName& budget, Selected* selected) {
  const StoredPtr& pod = change.now;
  const bool matches =
      change.kind != Change::Kind::kDeleted && selected->selector.Matches(pod->labels);
  const bool was_there = selected->pods.erase(pod->name) > 0;
  if (matches) selected->pods[pod->name] = pod;
  if (matches || was_there) Look(kind_.collection, budget);
}

Result Budgets::Sync(const Collection& collection, const ObjectName& name) {
  const StoredPtr budget = desk_.store->Get(collection, name);
  const auto selected = budgets_.find(name);
  if (budget == nullptr || selected == budgets_.end()) return std::nullopt;
  const Json object = budget->Parse();
  Numbers numbers;
  auto failed = Count(object.value("spec", Json::object()), selected->second, &numbers);
  const auto edit = [&](Json* edited) {
    Json& status = (*edited)["status"];
    // Evictions that came meanwhile count.
    CountHealthy(*edited, name, selected->second, &numbers);
    const int64_t spare = numbers.healthy - numbers.desired;
    const int64_t allowed = failed || numbers.expected <= 0 ? 0 : std::max<int64_t>(spare, 0);
    status["disruptionsAllowed"] = allowed;
    if (!failed) {
      status["currentHealthy"] = numbers.healthy;
      status["desiredHealthy"] = numbers.desired;
      status["expectedPods"] = numbers.expected;
      status["observedGeneration"] = NumberAt(*edited, "metadata.generation");
      status.erase("disruptedPods");
      if (!numbers.disrupted.empty()) status["disruptedPods"] = numbers.disrupted;
    }
    const char* const reason = failed ? "SyncFailed" : "InsufficientPods";
    SetCondition(desk_.now_text(),
                 {{"type", "DisruptionAllowed"},
                  {"status", allowed > 0 ? "True" : "False"},
                  {"reason", allowed > 0 ? "SufficientPods" : reason},
                  {"message", failed ? failed->message : ""},
                  {"observedGeneration", NumberAt(*edited, "metadata.generation")}},
                 edited);
  };
  if (auto failure = desk_.EditStatus(kind_, *budget, object, edit)) return failure;
  return failed;
}

Result Budgets::Count(const Json& spec, const Selected& selected, Numbers* numbers) {
  const Json* const most = ValueAt(spec, "maxUnavailable");
  const Json least = spec.value("minAvailable", Json(1));
  numbers->expected = static_cast<int64_t>(selected.pods.size());
  if (most != nullptr || least.is_string()) {
    if (auto failure = ExpectedScale(selected, &numbers->expected)) return failure;
  }
  numbers->desired =
      most == nullptr
          ? ScaledValue(least, numbers->expected, /*round_up=*/true)
          : std::max<int64_t>(0, numbers->expected - ScaledValue(*most, numbers->expected,
                                                                 /*round_up=*/true));
  return std::nullopt;
}

// What the controllers of the pods want together. Pods of none do not count.
Result Budgets::ExpectedScale(const Selected& selected, int64_t* scale) {
  std::map<std::string, int64_t> scales;
  std::set<std::string> asked;
  for (const auto& [name, pod] : selected.pods) {
    const Json& controller = desk_.FactsOf(pod).controller;
    if (!controller.is_object() || !asked.insert(controller.value("uid", "")).second) continue;
    std::string uid;
    int64_t own = 0;
    if (auto failure = ScaleOf(name.namespace_, controller, &uid, &own)) return failure;
    scales[uid] = own;
  }
  *scale = 0;
  for (const auto& [uid, own] : scales) *scale += own;
  return std::nullopt;
}

// Of a ReplicaSet that a Deployment controls the Deployment's.
Result Budgets::ScaleOf(const std::string& namespace_, const Json& controller, std::string* uid,
                        int64_t* scale) const {
  const ServedPtr served = desk_.KindOf(controller);
  const std::string kind = controller.value("kind", "");
  StoredPtr stored;
  if (served != nullptr && served->HasSubresource("scale")) {
    stored = desk_.store->Get(*served->collection, {namespace_, controller.value("name", "")});
  }
  if (stored == nullptr || stored->uid != controller.value("uid", "")) {
    return Failure{.message = fmt::format("found no controller ref for pod of {} \"{}\"", kind,
                                          controller.value("name", ""))};
  }
  const Json object = stored->Parse();
  const Json above = ControllerOf(object);
  if (kind == "ReplicaSet" && above.is_object()) return ScaleOf(namespace_, above, uid, scale);
  *uid = stored->uid;
  *scale =
      NumberAt(object, served->custom == nullptr ? "spec.replicas"
                                                 : served->custom->spec_replicas_path.substr(1));
  return std::nullopt;
}

void Budgets::CountHealthy(const Json& budget, const ObjectName& name, const Selected& selected,
                           Numbers* numbers) {
  const Json given = budget.value("status", Json::object()).value("disruptedPods", Json::object());
  numbers->healthy = 0;
  numbers->disrupted = Json::object();
  for (const auto& [pod_name, pod] : selected.pods) {
    const PodFacts& facts = desk_.FactsOf(pod);
    if (facts.deleting) continue;
    if (given.contains(pod_name.name)) {
      const Json entry = {{"at", given[pod_name.name]}};
      const auto left = TimeOf(entry, "at") + kEvictionTime - desk_.wall();
      if (left > std::chrono::seconds(0)) {
        numbers->disrupted[pod_name.name] = given[pod_name.name];
        LookAfter(kind_.collection, name, left);
        continue;
      }
    }
    numbers->healthy += facts.ready ? 1 : 0;
  }
}

}  // namespace

ReconcilerPtr MakeBudgets(Desk* desk, WorkQueue* queue) {
  return std::make_unique<Budgets>(desk, queue);
}

}  // namespace outrigger::apiserver
