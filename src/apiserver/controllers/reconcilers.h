#pragma once

#include <memory>
#include <vector>

#include "apiserver/controllers/desk.h"

namespace outrigger::apiserver {

using ReconcilerPtr = std::unique_ptr<Reconciler>;

ReconcilerPtr MakeReplicaSets(Desk* desk, WorkQueue* queue);
ReconcilerPtr MakeDeployments(Desk* desk, WorkQueue* queue);
ReconcilerPtr MakeJobs(Desk* desk, WorkQueue* queue);
ReconcilerPtr MakeNamespaces(Desk* desk, WorkQueue* queue);
ReconcilerPtr MakeGarbage(Desk* desk, WorkQueue* queue);
ReconcilerPtr MakeNodes(Desk* desk, WorkQueue* queue);
ReconcilerPtr MakeEvictions(Desk* desk, WorkQueue* queue);
ReconcilerPtr MakeBudgets(Desk* desk, WorkQueue* queue);

inline std::vector<ReconcilerPtr> MakeReconcilers(Desk* desk, WorkQueue* queue) {
  std::vector<ReconcilerPtr> all;
  for (auto* make : {MakeReplicaSets, MakeDeployments, MakeJobs, MakeNamespaces, MakeGarbage,
                     MakeNodes, MakeEvictions, MakeBudgets}) {
    all.push_back(make(desk, queue));
  }
  return all;
}

}  // namespace outrigger::apiserver
