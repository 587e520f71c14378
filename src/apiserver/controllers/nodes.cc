// Nodes: their taints follow their conditions, and one whose Lease is not renewed is unknown.

#include <map>
#include <string>
#include <utility>

#include "apiserver/controllers/reconcilers.h"
#include "apiserver/select/field_path.h"

namespace outrigger::apiserver {
namespace {

constexpr std::chrono::seconds kLeaseGrace{40};  // as upstream's --node-monitor-grace-period
constexpr const char* kLeaseNamespace = "kube-node-lease";

// A taint that a condition of this status brings.
struct ConditionTaint {
  const char* condition;
  const char* status;
  const char* taint;
  bool evicts;
};
constexpr ConditionTaint kConditionTaints[] = {
    {"Ready", "False", "node.kubernetes.io/not-ready", true},
    {"Ready", "Unknown", "node.kubernetes.io/unreachable", true},
    {"MemoryPressure", "True", "node.kubernetes.io/memory-pressure", false},
    {"DiskPressure", "True", "node.kubernetes.io/disk-pressure", false},
    {"PIDPressure", "True", "node.kubernetes.io/pid-pressure", false},
    {"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable", false},
};
constexpr const char* kUnschedulable = "node.kubernetes.io/unschedulable";

class Nodes : public Reconciler {
 public:
  Nodes(Desk* desk, WorkQueue* queue)
      : Reconciler(desk, queue),
        kind_(desk->KindOf("", "nodes")),
        leases_(desk->KindOf("coordination.k8s.io", "leases").collection) {}

  std::vector<const Collection*> Watched() const override { return {kind_.collection, leases_}; }
  void See(const Change& change) override;
  Result Sync(const Collection& collection, const ObjectName& name) override;

 private:
  Result SetUnknown(const Stored& node, const Json& object) const;

  const Served& kind_;
  const Collection* const leases_;
  std::map<std::string, Clock::TimePoint> renewed_;  // by the node's name
};

void Nodes::See(const Change& change) {
  const ObjectName& name = change.now->name;
  if (change.collection == kind_.collection) return Look(kind_.collection, name);
  if (name.namespace_ != kLeaseNamespace) return;
  if (change.kind == Change::Kind::kDeleted) {
    renewed_.erase(name.name);
    return;
  }
  renewed_[name.name] = desk_.clock.now();
  LookAfter(kind_.collection, {"", name.name}, kLeaseGrace);
}

// Adds or removes a taint; one that is there keeps its time.
void SetTaint(const char* key, const char* effect, bool wanted, const std::string& now,
              Json* taints) {
  Json kept = Json::array();
  for (Json& taint : *taints) {
    const bool is_it = taint.value("key", "") == key && taint.value("effect", "") == effect;
    if (!is_it || wanted) kept.push_back(std::move(taint));
    wanted &= !is_it;
  }
  if (wanted) kept.push_back({{"key", key}, {"effect", effect}, {"timeAdded", now}});
  *taints = std::move(kept);
}

void SetTaints(const std::string& now, Json* node) {
  Json taints = ListAt(*node, "spec.taints");
  for (const ConditionTaint& one : kConditionTaints) {
    const Json* const condition = FindCondition(*node, one.condition);
    const bool wanted = condition != nullptr && TextAt(*condition, "status") == one.status;
    SetTaint(one.taint, "NoSchedule", wanted, now, &taints);
    if (one.evicts) SetTaint(one.taint, "NoExecute", wanted, now, &taints);
  }
  SetTaint(kUnschedulable, "NoSchedule", IsTrueAt(*node, "spec.unschedulable"), now, &taints);
  if (taints.empty()) {
    if (node->contains("spec")) (*node)["spec"].erase("taints");
  } else {
    (*node)["spec"]["taints"] = std::move(taints);
  }
}

Result Nodes::Sync(const Collection& collection, const ObjectName& name) {
  const StoredPtr node = desk_.store->Get(collection, name);
  if (node == nullptr) return std::nullopt;
  const Json object = node->Parse();
  if (const auto renewed = renewed_.find(name.name); renewed != renewed_.end()) {
    const auto left = renewed->second + kLeaseGrace - desk_.clock.now();
    if (left <= Clock::Duration(0)) {
      if (auto failure = SetUnknown(*node, object)) return failure;
    } else {
      LookAfter(kind_.collection, name, left);
    }
  }
  const std::string now = desk_.now_text();
  Json edited = object;
  SetTaints(now, &edited);
  if (edited == object) return std::nullopt;
  return desk_.Edit(kind_, *node, Part::kMain, [&](Json* one) { SetTaints(now, one); });
}

Result Nodes::SetUnknown(const Stored& node, const Json& object) const {
  const std::string now = desk_.now_text();
  return desk_.EditStatus(kind_, node, object, [&](Json* edited) {
    for (const char* type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}) {
      const Json* const old = FindCondition(*edited, type);
      if (old != nullptr && TextAt(*old, "status") == "Unknown") continue;
      Json condition = {{"type", type},
                        {"status", "Unknown"},
                        {"reason", "NodeStatusUnknown"},
                        {"message", "Kubelet stopped posting node status."}};
      if (old != nullptr && old->contains("lastHeartbeatTime")) {
        condition["lastHeartbeatTime"] = (*old)["lastHeartbeatTime"];
      }
      SetCondition(now, std::move(condition), edited);
    }
  });
}

}  // namespace

ReconcilerPtr MakeNodes(Desk* desk, WorkQueue* queue) {
  return std::make_unique<Nodes>(desk, queue);
}

}  // namespace outrigger::apiserver
