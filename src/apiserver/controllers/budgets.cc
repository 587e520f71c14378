// Disruption budgets: how many of their pods may be taken away now.

#include <algorithm>
#include <map>
#include <string>

#include "apiserver/controllers/desk.h"
#include "apiserver/select/field_path.h"
#include "apiserver/select/label_selector.h"

namespace outrigger::apiserver {
namespace {

// An evicted pod that is still there then was not deleted after all.
constexpr std::chrono::minutes kEvictionTime{2};
constexpr Condition kSufficient = {"DisruptionAllowed", "True", "SufficientPods", ""};
constexpr Condition kInsufficient = {"DisruptionAllowed", "False", "InsufficientPods", ""};

class Budgets : public Reconciler {
 public:
  using Reconciler::Reconciler;
  void See(const Change& change) override;
  void Sync(const Collection& collection, const StoredPtr& budget) override;

 private:
  int64_t CountHealthy(const ObjectName& name, const std::vector<StoredPtr>& pods, Json* budget);

  const Served& kind_ = desk_.KindOf("policy", "poddisruptionbudgets");
  std::map<ObjectName, LabelSelector> selectors_;  // of all budgets
};

void Budgets::See(const Change& change) {
  const Stored& now = *change.now;
  if (change.collection == kind_.collection) {
    const Json object = now.Parse();
    const Json* const selector = ValueAt(object, "spec.selector");
    selectors_[now.name] = ReadLabelSelector(selector == nullptr ? Json() : *selector);
    if (change.kind == Change::Kind::kDeleted) selectors_.erase(now.name);
    return Look(kind_.collection, now.name);
  }
  if (change.collection != desk_.pods.collection) return;
  for (auto at = selectors_.lower_bound({now.name.namespace_, ""});
       at != selectors_.end() && at->first.namespace_ == now.name.namespace_; ++at) {
    const bool was_there = change.before != nullptr && at->second.Matches(change.before->labels);
    if (was_there || at->second.Matches(now.labels)) Look(kind_.collection, at->first);
  }
}

// Of the pods that are to stay, whatever their controllers want.
void Budgets::Sync(const Collection& /*collection*/, const StoredPtr& budget) {
  const ObjectName& name = budget->name;
  std::vector<StoredPtr> pods = desk_.store->List(*desk_.pods.collection, name.namespace_).objects;
  std::erase_if(pods, [&](const StoredPtr& pod) {
    return !selectors_[name].Matches(pod->labels) || !desk_.FactsOf(pod).IsActive();
  });
  const Json object = budget->Parse();
  const auto expected = static_cast<int64_t>(pods.size());
  const auto scaled = [&](const Json& value) { return ScaledValue(value, expected, true); };
  const Json* const most = ValueAt(object, "spec.maxUnavailable");
  const int64_t desired = most == nullptr ? scaled(object.at("spec").value("minAvailable", Json(1)))
                                          : std::max<int64_t>(0, expected - scaled(*most));
  desk_.EditStatus(kind_, *budget, object, [&](Json* edited) {
    // Evictions that came meanwhile count.
    const int64_t healthy = CountHealthy(name, pods, edited);
    const int64_t allowed = expected == 0 ? 0 : std::max<int64_t>(healthy - desired, 0);
    Json& status = (*edited)["status"];
    status["disruptionsAllowed"] = allowed;
    status["currentHealthy"] = healthy;
    status["desiredHealthy"] = desired;
    status["expectedPods"] = expected;
    status["observedGeneration"] = NumberAt(*edited, "metadata.generation");
    desk_.SetCondition(allowed > 0 ? kSufficient : kInsufficient, edited);
  });
}

// Pods that were evicted are as good as gone.
int64_t Budgets::CountHealthy(const ObjectName& name, const std::vector<StoredPtr>& pods,
                              Json* budget) {
  const Json evicted = (*budget)["status"].value("disruptedPods", Json::object());
  Json disrupted = Json::object();
  int64_t healthy = 0;
  for (const StoredPtr& pod : pods) {
    const std::string at = evicted.value(pod->name.name, "");
    if (at > TimeText(desk_.wall() - kEvictionTime)) {
      disrupted[pod->name.name] = at;
      Look(kind_.collection, name, kEvictionTime);
    } else if (desk_.FactsOf(pod).ready) {
      ++healthy;
    }
  }
  (*budget)["status"].erase("disruptedPods");
  if (!disrupted.empty()) (*budget)["status"]["disruptedPods"] = disrupted;
  return healthy;
}

}  // namespace

ReconcilerPtr MakeBudgets(Desk* desk) {
  return std::make_unique<Budgets>(desk);
}

}  // namespace outrigger::apiserver
