// Pods that cannot stay on their node: it has a NoExecute taint, or has gone.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "apiserver/controllers/reconcilers.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// Upstream waits 40 to 60 seconds. Here this much is enough for a node that is made anew under its
// name, and for files that have pods before their nodes; and who deletes a node wants to see it.
constexpr std::chrono::seconds kGoneGrace{10};

class Evictions : public Reconciler {
 public:
  Evictions(Desk* desk, WorkQueue* queue)
      : Reconciler(desk, queue), nodes_(desk->KindOf("", "nodes").collection) {}

  std::vector<const Collection*> Watched() const override {
    return {desk_.pods.collection, nodes_};
  }
  void See(const Change& change) override;
  Result Sync(const Collection& collection, const ObjectName& name) override;

 private:
  // A node, or one that pods name.
  struct NodeFacts {
    bool is_here = false;
    Json taints = Json::array();  // NoExecute
    std::set<ObjectName> pods;
  };
  void SeeNode(const Change& change);
  void SeePod(const Change& change);
  Result Evict(const StoredPtr& pod, const char* reason, const std::string& message, bool now);

  const Collection* const nodes_;
  std::unordered_map<std::string, NodeFacts> facts_;
  std::map<ObjectName, WallTime> since_;  // when its time on a tainted or gone node began
};

void Evictions::See(const Change& change) {
  change.collection == nodes_ ? SeeNode(change) : SeePod(change);
}

void Evictions::SeeNode(const Change& change) {
  NodeFacts& node = facts_[change.now->name.name];
  const bool was_here = std::exchange(node.is_here, change.kind != Change::Kind::kDeleted);
  Json taints = Json::array();
  if (node.is_here && change.now->text.find("NoExecute") != std::string::npos) {
    const Json object = change.now->Parse();
    for (const Json& taint : ListAt(object, "spec.taints")) {
      if (taint.value("effect", "") == "NoExecute") taints.push_back(taint);
    }
  }
  if (was_here == node.is_here && taints == node.taints) return;
  node.taints = std::move(taints);
  for (const ObjectName& pod : node.pods) Look(desk_.pods.collection, pod);
  if (!node.is_here && node.pods.empty()) facts_.erase(change.now->name.name);
}

void Evictions::SeePod(const Change& change) {
  const Stored& pod = *change.now;
  const std::string* const name = pod.fields.Find("spec.nodeName");
  if (name == nullptr || name->empty()) return;
  NodeFacts& node = facts_[*name];
  if (change.kind == Change::Kind::kDeleted) {
    node.pods.erase(pod.name);
    since_.erase(pod.name);
    if (!node.is_here && node.pods.empty()) facts_.erase(*name);
    return;
  }
  const bool is_new = node.pods.insert(pod.name).second;
  const bool leaves = !node.is_here || !node.taints.empty();
  if (leaves && is_new) Look(change.collection, pod.name);
}

bool ToleratesTaint(const Json& toleration, const Json& taint) {
  const std::string effect = toleration.value("effect", "");
  const std::string key = toleration.value("key", "");
  if (!effect.empty() && effect != "NoExecute") return false;
  if (!key.empty() && key != taint.value("key", "")) return false;
  const std::string op = toleration.value("operator", "Equal");
  if (op == "Exists") return true;
  return !key.empty() && toleration.value("value", "") == taint.value("value", "");
}

// How long a pod may stay; nothing: for ever.
std::optional<std::chrono::seconds> StayOf(const Json& pod, const Json& taints) {
  std::optional<std::chrono::seconds> stay;
  const Json& tolerations = ListAt(pod, "spec.tolerations");
  for (const Json& taint : taints) {
    bool is_tolerated = false;
    for (const Json& toleration : tolerations) {
      if (!ToleratesTaint(toleration, taint)) continue;
      is_tolerated = true;
      if (!toleration.contains("tolerationSeconds")) continue;
      const std::chrono::seconds own(
          std::max<int64_t>(0, toleration["tolerationSeconds"].get<int64_t>()));
      stay = std::min(stay.value_or(own), own);
    }
    if (!is_tolerated) return std::chrono::seconds(0);
  }
  return stay;
}

Result Evictions::Sync(const Collection& collection, const ObjectName& name) {
  const StoredPtr pod = desk_.store->Get(collection, name);
  if (pod == nullptr) return std::nullopt;
  const std::string* const node_name = pod->fields.Find("spec.nodeName");
  const auto node = node_name == nullptr ? facts_.end() : facts_.find(*node_name);
  if (node == facts_.end() || (node->second.is_here && node->second.taints.empty())) {
    since_.erase(name);
    return std::nullopt;
  }
  const bool is_gone = !node->second.is_here;
  if (!is_gone && pod->deleting) return std::nullopt;
  const WallTime since = since_.try_emplace(name, desk_.wall()).first->second;
  const auto stay = is_gone ? kGoneGrace : StayOf(pod->Parse(), node->second.taints);
  if (!stay) return std::nullopt;
  const auto left = since + *stay - desk_.wall();
  if (left > std::chrono::seconds(0)) {
    LookAfter(&collection, name, left);
    return std::nullopt;
  }
  return is_gone ? Evict(pod, "DeletionByPodGC", "PodGC: node no longer exists", /*now=*/true)
                 : Evict(pod, "DeletionByTaintManager",
                         "Taint manager: deleting due to NoExecute taint",
                         /*now=*/false);
}

// Nobody is left who could end a pod of a node that has gone: it has failed.
Result Evictions::Evict(const StoredPtr& pod, const char* reason, const std::string& message,
                        bool now) {
  const bool is_finished = desk_.FactsOf(pod).IsFinished();
  const auto edit = [&](Json* object) {
    if (now && !is_finished) (*object)["status"]["phase"] = "Failed";
    if (is_finished) return;
    SetCondition(desk_.now_text(),
                 {{"type", "DisruptionTarget"},
                  {"status", "True"},
                  {"reason", reason},
                  {"message", message}},
                 object);
  };
  if (auto failure = desk_.EditStatus(desk_.pods, *pod, pod->Parse(), edit)) return failure;
  return now ? desk_.EraseNow(desk_.pods, *pod) : desk_.Erase(desk_.pods, *pod);
}

}  // namespace

ReconcilerPtr MakeEvictions(Desk* desk, WorkQueue* queue) {
  return std::make_unique<Evictions>(desk, queue);
}

}  // namespace outrigger::apiserver
