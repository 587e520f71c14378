#include "apiserver/controllers/owners.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "apiserver/select/cells.h"
#include "apiserver/select/field_path.h"

namespace outrigger::apiserver {
namespace {

constexpr int64_t kMostPodsPerLook = 500;

bool IsLesserLoss(const Pod& one, const Pod& other) {
  const PodFacts& a = *one.facts;
  const PodFacts& b = *other.facts;
  return std::tie(a.placed, a.ready, b.created) < std::tie(b.placed, b.ready, a.created);
}

}  // namespace

void Owners::See(const Change& change) {
  const Stored& now = *change.now;
  if (change.collection == owners_.collection) {
    names_[now.uid] = now.name;
    if (change.kind == Change::Kind::kDeleted) names_.erase(now.uid);
    Look(change.collection, now.name);
  } else if (change.collection == children_.collection) {
    for (const StoredPtr& child : {change.now, change.before}) {
      for (const std::string& uid : child == nullptr ? now.owners : child->owners) {
        const auto owner = names_.find(uid);
        if (owner != names_.end()) Look(owners_.collection, owner->second);
      }
    }
  }
}

Json Owners::ChildOf(const Stored& owner, const Json& template_) const {
  Json child = {{"spec", template_.at("spec")}};
  const Json metadata = template_.value("metadata", Json::object());
  for (const char* key : {"labels", "annotations", "finalizers"}) {
    if (metadata.contains(key)) child["metadata"][key] = metadata[key];
  }
  child["metadata"]["namespace"] = owner.name.namespace_;
  child["metadata"]["generateName"] = owner.name.name + "-";
  child["metadata"]["ownerReferences"] = Json::array({{{"apiVersion", owners_.GroupVersion()},
                                                       {"kind", owners_.kind},
                                                       {"name", owner.name.name},
                                                       {"uid", owner.uid},
                                                       {"controller", true},
                                                       {"blockOwnerDeletion", true}}});
  return child;
}

void Owners::KeepPods(int64_t wanted, const Making& make, std::vector<Pod>* active) {
  const int64_t missing = wanted - static_cast<int64_t>(active->size());
  for (int64_t i = 0; i < std::min(missing, kMostPodsPerLook); ++i) {
    if (!desk_.Add(desk_.pods, make())) return;
  }
  if (missing >= 0) return;
  std::stable_sort(active->begin(), active->end(), IsLesserLoss);
  const auto end = active->begin() + std::min(-missing, kMostPodsPerLook);
  for (auto pod = active->begin(); pod != end; ++pod) {
    // Nothing that a Job would count.
    const bool is_free =
        !pod->facts->is_tracked || desk_.RemoveFinalizer(desk_.pods, *pod->stored, kJobTracking);
    if (is_free) desk_.Erase(desk_.pods, *pod->stored);
  }
  active->erase(active->begin(), end);
}

void Owners::SetFailure(Json* owner) const {
  if (desk_.failure()) {
    const std::string& message = desk_.failure()->message;
    desk_.SetCondition({"ReplicaFailure", "True", "FailedCreate", message.c_str()}, owner);
  } else if (!ConditionOf(*owner, "ReplicaFailure").empty()) {
    desk_.SetCondition({"ReplicaFailure", "False", "Created", ""}, owner);
  }
}

namespace {

// As many pods as they want.
class ReplicaSets : public Owners {
 public:
  explicit ReplicaSets(Desk* desk)
      : Owners(desk, desk->KindOf("apps", "replicasets"), desk->pods) {}
  void Sync(const Collection& collection, const StoredPtr& set) override;
};

void ReplicaSets::Sync(const Collection& /*collection*/, const StoredPtr& set) {
  const Json object = set->Parse();
  std::vector<Pod> active;
  int64_t terminating = 0;
  int64_t ready = 0;
  for (Pod& pod : desk_.PodsOf(set->uid)) {
    if (pod.facts->IsFinished()) continue;
    terminating += pod.facts->deleting ? 1 : 0;
    ready += pod.facts->IsActive() && pod.facts->ready ? 1 : 0;
    if (pod.facts->IsActive()) active.push_back(std::move(pod));
  }
  if (!set->deleting) {
    Json pod = ChildOf(*set, object.at("spec").at("template"));
    const Making make = [&] { return pod; };
    KeepPods(NumberAt(object, "spec.replicas"), make, &active);
  }
  desk_.EditStatus(owners_, *set, object, [&](Json* edited) {
    Json& status = (*edited)["status"];
    status["replicas"] = active.size();
    SetCount("readyReplicas", ready, &status);
    SetCount("availableReplicas", ready, &status);
    status["terminatingReplicas"] = terminating;
    status["observedGeneration"] = NumberAt(object, "metadata.generation");
    SetFailure(edited);
  });
}

}  // namespace

ReconcilerPtr MakeReplicaSets(Desk* desk) {
  return std::make_unique<ReplicaSets>(desk);
}

}  // namespace outrigger::apiserver
