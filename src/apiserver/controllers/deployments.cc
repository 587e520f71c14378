// Deployments: a ReplicaSet for each template that they have had. rollout.h does the work.

#include "apiserver/controllers/families.h"
#include "apiserver/controllers/reconcilers.h"
#include "apiserver/controllers/rollout.h"

namespace outrigger::apiserver {
namespace {

class Deployments : public Reconciler {
 public:
  Deployments(Desk* desk, WorkQueue* queue)
      : Reconciler(desk, queue),
        kind_(desk->KindOf("apps", "deployments")),
        sets_(desk->KindOf("apps", "replicasets")),
        families_(this, desk, kind_, sets_, /*adopts=*/true) {}

  std::vector<const Collection*> Watched() const override {
    return {kind_.collection, sets_.collection, desk_.pods.collection};
  }
  void See(const Change& change) override;
  Result Sync(const Collection& collection, const ObjectName& name) override;

 private:
  const Served& kind_;
  const Served& sets_;
  Families families_;
  std::set<ObjectName> recreating_;  // wait for the end of old pods
};

void Deployments::See(const Change& change) {
  if (change.collection != desk_.pods.collection) return families_.See(change);
  if (recreating_.empty()) return;
  for (const ObjectName& name : recreating_) {
    if (name.namespace_ == change.now->name.namespace_) Look(kind_.collection, name);
  }
}

Result Deployments::Sync(const Collection& collection, const ObjectName& name) {
  recreating_.erase(name);
  const StoredPtr deployment = desk_.store->Get(collection, name);
  if (deployment == nullptr) return std::nullopt;
  if (auto failure = families_.Adopt(*deployment)) return failure;
  Rollout rollout(&desk_, deployment);
  auto failure = rollout.Run();
  if (rollout.waits_for_pods()) recreating_.insert(name);
  if (rollout.next()) LookAfter(kind_.collection, name, *rollout.next());
  return failure;
}

}  // namespace

ReconcilerPtr MakeDeployments(Desk* desk, WorkQueue* queue) {
  return std::make_unique<Deployments>(desk, queue);
}

}  // namespace outrigger::apiserver
