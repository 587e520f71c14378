// ReplicaSets: as many pods as they want.

#include <algorithm>
#include <set>
#include <utility>

#include "apiserver/controllers/families.h"
#include "apiserver/controllers/pod_order.h"
#include "apiserver/controllers/reconcilers.h"
#include "apiserver/select/field_path.h"
#include "apiserver/select/label_selector.h"

namespace outrigger::apiserver {
namespace {

class ReplicaSets : public Reconciler {
 public:
  ReplicaSets(Desk* desk, WorkQueue* queue)
      : Reconciler(desk, queue),
        kind_(desk->KindOf("apps", "replicasets")),
        families_(this, desk, kind_, desk->pods, /*adopts=*/true) {}

  std::vector<const Collection*> Watched() const override {
    return {kind_.collection, desk_.pods.collection};
  }
  void See(const Change& change) override {
    if (own_writes_.erase(change.now->version) == 0) families_.See(change);
  }
  Result Sync(const Collection& collection, const ObjectName& name) override;

 private:
  Result SetNumber(const Stored& set, const Json& object, std::vector<Pod>* active);
  Result WriteStatus(const Stored& set, const Json& object, const std::vector<Pod>& active,
                     int64_t terminating, const Result& failed);

  const Served& kind_;
  Families families_;
  std::set<uint64_t> own_writes_;  // versions of status, which are no news
};

Result ReplicaSets::Sync(const Collection& collection, const ObjectName& name) {
  const StoredPtr set = desk_.store->Get(collection, name);
  if (set == nullptr) return std::nullopt;
  if (auto failure = families_.Adopt(*set)) return failure;
  const Json object = set->Parse();
  std::vector<Pod> active;
  int64_t terminating = 0;
  for (Pod& pod : desk_.PodsOf(set->uid)) {
    if (pod.facts->IsFinished()) continue;
    terminating += pod.facts->deleting ? 1 : 0;
    if (!pod.facts->deleting) active.push_back(std::move(pod));
  }
  Result failed;
  if (!set->deleting) failed = SetNumber(*set, object, &active);
  if (auto failure = WriteStatus(*set, object, active, terminating, failed)) return failure;
  return failed;
}

// More than are made or deleted in one look come in the next, which these changes bring.
Result ReplicaSets::SetNumber(const Stored& set, const Json& object, std::vector<Pod>* active) {
  const int64_t missing = NumberAt(object, "spec.replicas") - static_cast<int64_t>(active->size());
  if (missing > 0) {
    const Json pod =
        PodOfTemplate(object.at("spec").at("template"), set, ControllerReference(kind_, set));
    for (int64_t i = 0; i < std::min(missing, kMostPodsPerLook); ++i) {
      if (auto failure = desk_.Add(desk_.pods, pod)) return failure;
    }
    return std::nullopt;
  }
  const auto surplus = static_cast<size_t>(std::min(-missing, kMostPodsPerLook));
  if (surplus > 0 && surplus < active->size()) SortToDelete(active);
  for (size_t i = 0; i < surplus; ++i) {
    if (auto failure = desk_.Erase(desk_.pods, *(*active)[i].stored)) return failure;
  }
  return std::nullopt;
}

Result ReplicaSets::WriteStatus(const Stored& set, const Json& object,
                                const std::vector<Pod>& active, int64_t terminating,
                                const Result& failed) {
  const std::chrono::seconds min_ready(NumberAt(object, "spec.minReadySeconds"));
  LabelSelector wanted;
  wanted.match_labels = LabelsOf(object["spec"]["template"]);
  int64_t labeled = 0;
  int64_t ready = 0;
  int64_t available = 0;
  for (const Pod& pod : active) {
    labeled += wanted.Matches(pod.stored->labels) ? 1 : 0;
    if (!pod.facts->ready) continue;
    ++ready;
    if (pod.facts->IsAvailable(min_ready, desk_.wall())) {
      ++available;
    } else {
      LookAfter(kind_.collection, set.name, pod.facts->ready_since + min_ready - desk_.wall());
    }
  }
  const auto edit = [&](Json* edited) {
    Json& status = (*edited)["status"];
    status["replicas"] = active.size();
    SetCount("fullyLabeledReplicas", labeled, &status);
    SetCount("readyReplicas", ready, &status);
    SetCount("availableReplicas", available, &status);
    status["terminatingReplicas"] = terminating;
    status["observedGeneration"] = object["metadata"].value("generation", int64_t{0});
    if (!failed) return RemoveCondition("ReplicaFailure", edited);
    const bool creates = NumberAt(object, "spec.replicas") > static_cast<int64_t>(active.size());
    SetCondition(desk_.now_text(),
                 {{"type", "ReplicaFailure"},
                  {"status", "True"},
                  {"reason", creates ? "FailedCreate" : "FailedDelete"},
                  {"message", failed->message}},
                 edited);
  };
  uint64_t written = 0;
  auto failure = desk_.EditStatus(kind_, set, object, edit, &written);
  if (written != 0) own_writes_.insert(written);
  return failure;
}

}  // namespace

ReconcilerPtr MakeReplicaSets(Desk* desk, WorkQueue* queue) {
  return std::make_unique<ReplicaSets>(desk, queue);
}

}  // namespace outrigger::apiserver
