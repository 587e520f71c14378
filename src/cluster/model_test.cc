// Random operations against a naive model: maps of whole objects from which everything is computed
// anew. Snapshots taken on the way must in the end still equal the model as it was.

#include <rapidcheck.h>

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "cluster_testing.h"
#include "equality.h"

namespace outrigger::cluster {
namespace {

using testing::MakeNode;
using testing::Q;
using testing::Same;
using testing::SameAmounts;

struct Model {
  struct Assumed {
    std::string node;
    std::chrono::steady_clock::time_point until;
  };

  std::map<std::string, Node> nodes;
  std::map<std::string, Pod> pods;  // as the watch shows them, by name: all in one namespace
  std::map<std::string, Assumed> assumed;

  std::string NodeOf(const Pod& pod) const {
    const auto at = assumed.find(pod.name);
    return at == assumed.end() ? pod.node_name : at->second.node;
  }
  static bool IsTerminal(const Pod& pod) {
    return pod.phase == "Succeeded" || pod.phase == "Failed";
  }

  void Upsert(const Pod& pod) {
    const auto at = pods.find(pod.name);
    const bool ends =
        at == pods.end() || at->second.uid != pod.uid || !pod.node_name.empty() || IsTerminal(pod);
    if (ends) assumed.erase(pod.name);
    pods[pod.name] = pod;
  }
  bool Assume(const std::string& name, const std::string& uid, const std::string& node,
              std::chrono::steady_clock::time_point until) {
    const auto at = pods.find(name);
    if (at == pods.end() || at->second.uid != uid || IsTerminal(at->second)) return false;
    const std::string there = NodeOf(at->second);
    if (!there.empty() && there != node) return false;
    if (at->second.node_name.empty()) assumed[name] = {node, until};
    return true;
  }
  void Expire(std::chrono::steady_clock::time_point now) {
    std::erase_if(assumed, [now](const auto& entry) { return entry.second.until <= now; });
  }
};

void ExpectNode(const Snapshot& snapshot, const Model& model, const Node& expected) {
  const NodeState* state = snapshot.FindNode(expected.name);
  RC_ASSERT(state != nullptr);
  RC_ASSERT(snapshot.NodeAt(state->index) == state);
  Node shown = *state->node;
  RC_ASSERT(shown.revision != 0U);
  shown.revision = 0;
  RC_ASSERT(Same(shown, expected));

  ResourceList requested;
  std::vector<std::string> names;
  for (const auto& [name, pod] : model.pods) {
    if (Model::IsTerminal(pod) || model.NodeOf(pod) != expected.name) continue;
    requested.Add(PodRequestsOnNode(pod));
    names.push_back(name);
  }
  requested.Set(kPods, Quantity::FromInt(static_cast<int64_t>(names.size())));
  RC_ASSERT(SameAmounts(state->requested, requested));
  RC_ASSERT(PodsOn(snapshot, expected.name) == names);
}

void ExpectPods(const Snapshot& snapshot, const Model& model) {
  std::vector<std::string> pending;
  std::map<std::string, std::vector<std::string>> groups;
  for (const auto& [name, pod] : model.pods) {
    const PodRecord* record = snapshot.FindPod("default", name);
    RC_ASSERT(record != nullptr);
    Pod expected = pod;
    expected.node_name = model.NodeOf(pod);
    RC_ASSERT(Same(record->Unpack(), expected));
    RC_ASSERT(record->is_assumed() == (model.assumed.count(name) == 1));
    if (expected.node_name.empty() && !Model::IsTerminal(pod)) pending.push_back(name);
    if (pod.labels.Contains("group")) groups[std::string(pod.labels.Get("group"))].push_back(name);
  }
  RC_ASSERT(Pending(snapshot) == pending);
  RC_ASSERT(snapshot.pending_count() == pending.size());
  for (const char* group : {"0", "1", "2"}) {
    RC_ASSERT(PodsOf(snapshot, std::string("default/") + group) == groups[group]);
  }
  std::set<std::string> all;
  snapshot.ForEachPod([&](const PodPtr& pod) { all.emplace(pod->name()); });
  RC_ASSERT(all.size() == model.pods.size() && snapshot.pod_count() == model.pods.size());
}

void ExpectEqual(const Snapshot& snapshot, const Model& model) {
  RC_ASSERT(snapshot.node_count() == model.nodes.size());
  size_t occupied = 0;
  for (size_t i = 0; i < snapshot.node_slots(); ++i) occupied += snapshot.NodeAt(i) != nullptr;
  RC_ASSERT(occupied == model.nodes.size());
  for (const auto& [name, node] : model.nodes) ExpectNode(snapshot, model, node);
  ExpectPods(snapshot, model);
}

std::string Number(int bound) {
  return std::to_string(*rc::gen::inRange(0, bound));
}

Pod AnyPod() {
  Pod pod = PodOn("pod-" + Number(8), *rc::gen::arbitrary<bool>() ? "node-" + Number(5) : "",
                  *rc::gen::element("1", "250m", "0", "33n"));
  pod.uid = "uid-" + Number(2);
  pod.resource_version = Number(3);
  if (*rc::gen::inRange(0, 5) == 0) pod.phase = *rc::gen::element("Succeeded", "Failed");
  if (*rc::gen::arbitrary<bool>()) pod.labels.Set("group", Number(3));
  return pod;
}

/// Both sides of one random operation.
class Pair {
 public:
  Pair() : cluster_(clock_.Options()) {}

  void Step() {
    switch (*rc::gen::inRange(0, 14)) {
      case 0:
      case 1:
      case 2: {
        Node node = MakeNode("node-" + Number(5)).Label("v", Number(2));
        node.resource_version = Number(3);
        cluster_.UpsertNode(node);
        model_.nodes[node.name] = node;
        return;
      }
      case 3: {
        const std::string name = "node-" + Number(5);
        cluster_.RemoveNode(name);
        model_.nodes.erase(name);
        return;
      }
      case 4:
        return RemovePod("pod-" + Number(8));
      case 5:
      case 6:
      case 7:
        return Assume();
      case 8: {
        const std::string name = "pod-" + Number(8);
        const std::string uid = "uid-" + Number(2);
        cluster_.ForgetPod("default", name, uid);
        if (model_.assumed.count(name) == 1 && model_.pods[name].uid == uid) {
          model_.assumed.erase(name);
        }
        return;
      }
      case 9:
        clock_.now += std::chrono::seconds(*rc::gen::inRange(1, 20));
        model_.Expire(clock_.now);
        return;
      default:
        return UpsertPod(AnyPod());
    }
  }

  void Keep() { kept_.emplace_back(cluster_.Take(), model_); }
  void Check() const {
    for (const auto& [snapshot, model] : kept_) ExpectEqual(*snapshot, model);
    for (size_t i = 1; i < kept_.size(); ++i) {
      RC_ASSERT(kept_[i - 1].first->generation() <= kept_[i].first->generation());
    }
  }

 private:
  void UpsertPod(const Pod& pod) {
    cluster_.UpsertPod(pod);
    model_.Upsert(pod);
  }
  void RemovePod(const std::string& name) {
    cluster_.RemovePod("default", name);
    model_.pods.erase(name);
    model_.assumed.erase(name);
  }
  void Assume() {
    const std::string name = "pod-" + Number(8);
    const std::string uid = "uid-" + Number(2);
    const std::string node = "node-" + Number(5);
    RC_ASSERT(cluster_.AssumePod("default", name, uid, node).ok() ==
              model_.Assume(name, uid, node, clock_.now + std::chrono::seconds(30)));
  }

  Clock clock_;
  Cluster cluster_;
  Model model_;
  std::vector<std::pair<std::shared_ptr<const Snapshot>, Model>> kept_;
};

TEST(ClusterModel, EverySnapshotStaysEqualToTheModelAtItsTime) {
  EXPECT_TRUE(rc::check("snapshots equal the model", [] {
    Pair pair;
    for (int steps = *rc::gen::inRange(1, 120); steps > 0; --steps) {
      pair.Step();
      if (*rc::gen::inRange(0, 4) == 0) pair.Keep();
    }
    pair.Keep();
    pair.Check();
  }));
}

}  // namespace
}  // namespace outrigger::cluster
