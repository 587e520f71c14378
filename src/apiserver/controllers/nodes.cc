// Nodes: their taints follow their conditions, one whose Lease is not renewed is unknown, and pods
// leave those that have a NoExecute taint or have gone.

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "apiserver/controllers/desk.h"
#include "apiserver/select/cells.h"
#include "apiserver/select/field_path.h"

namespace outrigger::apiserver {
namespace {

constexpr std::chrono::seconds kLeaseGrace{40};  // as upstream's --node-monitor-grace-period
constexpr const char* kLeaseNamespace = "kube-node-lease";
// Upstream waits 40 to 60 seconds. Here this much is enough for a node that is made anew under its
// name, and for files that have pods before their nodes; and who deletes a node wants to see it.
constexpr std::chrono::seconds kGoneGrace{10};

// A taint that a condition of this status brings; "": cordoned.
struct ConditionTaint {
  const char* condition;
  const char* status;
  const char* taint;
  const char* effect;
};
constexpr ConditionTaint kConditionTaints[] = {
    {"Ready", "False", "node.kubernetes.io/not-ready", "NoSchedule"},
    {"Ready", "False", "node.kubernetes.io/not-ready", "NoExecute"},
    {"Ready", "Unknown", "node.kubernetes.io/unreachable", "NoSchedule"},
    {"Ready", "Unknown", "node.kubernetes.io/unreachable", "NoExecute"},
    {"MemoryPressure", "True", "node.kubernetes.io/memory-pressure", "NoSchedule"},
    {"DiskPressure", "True", "node.kubernetes.io/disk-pressure", "NoSchedule"},
    {"PIDPressure", "True", "node.kubernetes.io/pid-pressure", "NoSchedule"},
    {"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable", "NoSchedule"},
    {"", "", "node.kubernetes.io/unschedulable", "NoSchedule"},
};

class Nodes : public Reconciler {
 public:
  using Reconciler::Reconciler;
  void See(const Change& change) override;
  void Sync(const Collection& collection, const StoredPtr& object) override;

 private:
  void SyncNode(const Stored& node);
  void SyncPod(const Stored& pod);

  const Served& kind_ = desk_.KindOf("", "nodes");
  const Collection* const leases_ = desk_.KindOf("coordination.k8s.io", "leases").collection;
  std::map<std::string, Clock::TimePoint> renewed_;   // by the node's name
  std::map<std::string, std::set<ObjectName>> pods_;  // by their node's name
  std::map<ObjectName, WallTime> leaving_;  // pods: since when their node is tainted or gone
};

bool Evicts(const StoredPtr& node) {
  return node != nullptr && node->text.find("NoExecute") != std::string::npos;
}

std::string NodeOf(const Stored& pod) {
  return std::string(pod.fields.Get("spec.nodeName"));
}

void Nodes::See(const Change& change) {
  const ObjectName& name = change.now->name;
  const bool is_gone = change.kind == Change::Kind::kDeleted;
  if (change.collection == desk_.pods.collection) {
    const std::string node = NodeOf(*change.now);
    if (node.empty()) return;
    if (!is_gone && pods_[node].insert(name).second) Look(change.collection, name);
    if (is_gone && pods_[node].erase(name) > 0) leaving_.erase(name);
  } else if (change.collection == leases_ && name.namespace_ == kLeaseNamespace) {
    renewed_[name.name] = desk_.now();
    if (is_gone) renewed_.erase(name.name);
    Look(kind_.collection, {"", name.name}, kLeaseGrace);
  } else if (change.collection == kind_.collection) {
    Look(kind_.collection, name);
    if (!is_gone && !Evicts(change.before) && !Evicts(change.now)) return;
    for (const ObjectName& pod : pods_[name.name]) Look(desk_.pods.collection, pod);
  }
}

void Nodes::Sync(const Collection& collection, const StoredPtr& object) {
  &collection == kind_.collection ? SyncNode(*object) : SyncPod(*object);
}

// A taint that is there keeps its time.
void SetTaints(const std::string& now, Json* node) {
  Json taints = ListAt(*node, "spec.taints");
  for (const ConditionTaint& one : kConditionTaints) {
    const bool wanted = *one.condition == '\0' ? IsTrueAt(*node, "spec.unschedulable")
                                               : ConditionOf(*node, one.condition) == one.status;
    const auto found = std::find_if(taints.begin(), taints.end(), [&](const Json& taint) {
      return TextAt(taint, "key") == one.taint && TextAt(taint, "effect") == one.effect;
    });
    if (wanted && found == taints.end()) {
      taints.push_back({{"key", one.taint}, {"effect", one.effect}, {"timeAdded", now}});
    } else if (!wanted && found != taints.end()) {
      taints.erase(found);
    }
  }
  if (taints == ListAt(*node, "spec.taints")) return;
  Json& spec = (*node)["spec"];
  spec.erase("taints");
  if (!taints.empty()) spec["taints"] = std::move(taints);
}

void SetUnknown(const Desk& desk, Json* node) {
  for (const char* type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}) {
    desk.SetCondition(
        {type, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."}, node);
  }
}

void Nodes::SyncNode(const Stored& node) {
  const Json object = node.Parse();
  if (const auto renewed = renewed_.find(node.name.name); renewed != renewed_.end()) {
    const auto left = renewed->second + kLeaseGrace - desk_.now();
    if (left <= Clock::Duration(0)) {
      desk_.EditStatus(kind_, node, object, [&](Json* one) { SetUnknown(desk_, one); });
    } else {
      Look(kind_.collection, node.name, left);
    }
  }
  const std::string now = desk_.now_text();
  Json edited = object;
  SetTaints(now, &edited);
  if (edited == object) return;
  desk_.Edit(kind_, node, Part::kMain, [&](Json* one) { SetTaints(now, one); });
}

bool ToleratesTaint(const Json& toleration, const Json& taint) {
  const std::string& effect = TextAt(toleration, "effect");
  const std::string& key = TextAt(toleration, "key");
  if (!effect.empty() && effect != "NoExecute") return false;
  if (!key.empty() && key != TextAt(taint, "key")) return false;
  if (TextAt(toleration, "operator") == "Exists") return true;
  return !key.empty() && TextAt(toleration, "value") == TextAt(taint, "value");
}

// How long a pod may stay; nothing: for ever.
std::optional<std::chrono::seconds> StayOf(const Json& pod, const Json& node) {
  std::optional<std::chrono::seconds> stay;
  for (const Json& taint : ListAt(node, "spec.taints")) {
    if (TextAt(taint, "effect") != "NoExecute") continue;
    bool is_tolerated = false;
    for (const Json& toleration : ListAt(pod, "spec.tolerations")) {
      if (!ToleratesTaint(toleration, taint)) continue;
      is_tolerated = true;
      if (!toleration.contains("tolerationSeconds")) continue;
      const std::chrono::seconds own(
          std::max<int64_t>(0, NumberAt(toleration, "tolerationSeconds")));
      stay = std::min(stay.value_or(own), own);
    }
    if (!is_tolerated) return std::chrono::seconds(0);
  }
  return stay;
}

// Nobody is left who could end a pod of a node that has gone: it goes at once.
void Nodes::SyncPod(const Stored& pod) {
  const StoredPtr node = desk_.store->Get(*kind_.collection, {"", NodeOf(pod)});
  std::optional<std::chrono::seconds> stay;
  Deletion deletion;
  if (node == nullptr) {
    stay = kGoneGrace;
    deletion.grace = 0;
  } else if (Evicts(node) && !pod.deleting) {
    stay = StayOf(pod.Parse(), node->Parse());
  }
  if (!stay) {
    leaving_.erase(pod.name);
    return;
  }
  const auto since = leaving_.try_emplace(pod.name, desk_.wall()).first->second;
  const auto left = since + *stay - desk_.wall();
  if (left > Clock::Duration(0)) return Look(desk_.pods.collection, pod.name, left);
  desk_.Erase(desk_.pods, pod, deletion);
}

}  // namespace

ReconcilerPtr MakeNodes(Desk* desk) {
  return std::make_unique<Nodes>(desk);
}

}  // namespace outrigger::apiserver
