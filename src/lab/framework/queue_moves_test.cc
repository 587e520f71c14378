// What upstream's scheduling queue does with pods, step by step, and what it sees in changed nodes
// and pods: tables of tests/support/cmd/queue-moves. Ours must do and see the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "golden.h"
#include "lab/framework/cluster_event.h"
#include "lab/framework/scheduling_queue.h"
#include "lab/manual_timers_testing.h"

namespace outrigger::lab {
namespace {

using Json = nlohmann::json;
using Strings = std::vector<std::string>;
using Resource = ClusterEvent::Resource;

Resource ResourceOf(const std::string& name) {
  if (name == "Node") return Resource::kNode;
  if (name == "AssignedPod") return Resource::kAssignedPod;
  EXPECT_EQ(name, "Pod");
  return Resource::kUnscheduledPod;
}

const std::vector<std::pair<std::string, ClusterEvent::Action>> kActions = {
    {"Add", ClusterEvent::kAdd},
    {"Delete", ClusterEvent::kDelete},
    {"UpdateNodeAllocatable", ClusterEvent::kUpdateAllocatable},
    {"UpdateNodeLabel", ClusterEvent::kUpdateNodeLabel},
    {"UpdateNodeTaint", ClusterEvent::kUpdateNodeTaint},
    {"UpdateNodeAnnotation", ClusterEvent::kUpdateNodeAnnotation},
    {"UpdatePodLabel", ClusterEvent::kUpdatePodLabel},
    {"UpdatePodSchedulingGatesEliminated", ClusterEvent::kUpdatePodSchedulingGates},
    {"UpdatePodToleration", ClusterEvent::kUpdatePodToleration},
};

ClusterEvent EventOf(const std::string& resource, const Strings& actions) {
  ClusterEvent event{ResourceOf(resource), 0};
  for (const auto& [name, action] : kActions) {
    if (std::ranges::count(actions, name) != 0) event.actions |= action;
  }
  EXPECT_EQ(static_cast<size_t>(__builtin_popcount(event.actions)), actions.size());
  return event;
}

std::string_view NameOf(SchedulingQueue::Part part) {
  switch (part) {
    case SchedulingQueue::Part::kActive:
      return "active";
    case SchedulingQueue::Part::kBackoff:
      return "backoff";
    case SchedulingQueue::Part::kUnschedulable:
      return "unschedulable";
    case SchedulingQueue::Part::kInFlight:
      return "in flight";
    case SchedulingQueue::Part::kNone:
      break;
  }
  return "";
}

/// As the command has it: at the same time by name, since upstream has no order among equals.
bool Less(const QueuedPod& a, const QueuedPod& b) {
  return std::pair(a.timestamp, a.pod->name) < std::pair(b.timestamp, b.pod->name);
}

/// One row: a queue, and those around it.
class Player {
 public:
  explicit Player(const Json& registered) : queue_(&timers_, Less, OptionsOf(registered)) {}

  void Do(const Json& step) {
    const std::string deed = step.at("do");
    const std::string pod = step.value("pod", "");
    if (deed == "add") {
      Add(pod);
    } else if (deed == "pop") {
      Pop(pod);
    } else if (deed == "fail") {
      QueuedPod failed = std::move(flights_.extract(pod).mapped());
      for (const Json& plugin : step.value("plugins", Json::array())) {
        failed.unschedulable_plugins.insert(plugin.get<std::string>());
      }
      queue_.AddUnschedulable(std::move(failed));
    } else if (deed == "done") {
      flights_.erase(pod);
      queue_.Done(pod);
    } else if (deed == "update") {
      Update(pod, step.at("changes"));
    } else if (deed == "delete" || deed == "bound") {
      queue_.Delete(*pods_.at(pod));
    } else if (deed == "event") {
      queue_.OnEvent(EventOf(step.at("resource"), {step.at("action")}));
    } else {
      ASSERT_EQ(deed, "advance");
      timers_.Advance(std::chrono::milliseconds(step.at("ms").get<int>()));
    }
  }

  /// Where each pod is; those in no part are left out.
  Json Parts() const {
    Json parts = Json::object();
    for (const auto& [uid, pod] : pods_) {
      const std::string_view part = NameOf(queue_.PartOf(uid));
      if (!part.empty()) parts[uid] = part;
    }
    return parts;
  }

 private:
  static QueueOptions OptionsOf(const Json& registered) {
    QueueOptions options;
    for (const Json& row : registered) {
      options.registered[row.at("plugin").get<std::string>()].push_back(
          EventOf(row.at("resource"), row.at("actions")));
    }
    return options;
  }

  void Add(const std::string& uid) {
    Pod pod;
    pod.uid = uid;
    pod.name = uid.substr(0, uid.find_first_of("0123456789"));
    pods_[uid] = std::make_shared<const Pod>(pod);
    queue_.Add(pods_[uid]);
  }

  void Pop(const std::string& expected) {
    ASSERT_TRUE(queue_.HasReady());
    std::optional<QueuedPod> popped = queue_.Pop(std::stop_token());
    ASSERT_TRUE(popped.has_value());
    EXPECT_EQ(popped->pod->uid, expected);
    EXPECT_EQ(popped->pod, pods_.at(expected)) << "the pod as it is now";
    flights_.insert_or_assign(popped->pod->uid, *std::move(popped));
  }

  void Update(const std::string& uid, const Strings& changes) {
    const std::shared_ptr<const Pod> before = pods_.at(uid);
    auto after = std::make_shared<Pod>(*before);
    for (const std::string& change : changes) {
      if (change == "labels") after->labels.Set("l", std::string(before->labels.Get("l")) + "x");
      if (change == "annotations") after->annotations.Set("a", "x");
      if (change == "tolerations") after->tolerations.emplace_back();
    }
    pods_[uid] = after;
    queue_.Update(before, after);
  }

  ManualTimers timers_;
  SchedulingQueue queue_;
  std::map<std::string, std::shared_ptr<const Pod>> pods_;
  std::map<std::string, QueuedPod> flights_;
};

TEST(QueueMoves, AreUpstreams) {
  const Json table = testing::LoadGolden("lab_queue_moves.json");
  std::map<std::string, int> seen;
  for (const Json& row : table.at("rows")) {
    Player player(table.at("registered"));
    for (size_t i = 0; i < row.at("steps").size(); ++i) {
      Json step = row.at("steps")[i];
      const Json expected = std::exchange(step["then"], nullptr);
      SCOPED_TRACE(row.at("name").get<std::string>() + ", step " + std::to_string(i + 1) + ": " +
                   step.dump());
      player.Do(step);
      ASSERT_EQ(player.Parts(), expected);
      for (const auto& [pod, part] : expected.items()) ++seen[part];
    }
  }
  EXPECT_GE(table.at("rows").size(), 300u);
  EXPECT_TRUE(seen["active"] > 300 && seen["backoff"] > 300 && seen["unschedulable"] > 300 &&
              seen["in flight"] > 300);
}

Node NodeFromRow(const Json& object) {
  Node node = testing::NodeFromJson(object);
  node.unschedulable = object.at("spec").value("unschedulable", false);
  for (const Json& taint : object.at("spec").value("taints", Json::array())) {
    node.taints.push_back(
        {taint.at("key"), taint.value("value", ""),
         taint.at("effect") == "NoExecute" ? TaintEffect::kNoExecute : TaintEffect::kNoSchedule});
  }
  return node;
}

Pod PodFromRow(const Json& object) {
  Pod pod = testing::PodFromJson(object);
  const Json& spec = object.at("spec");
  pod.tolerations.resize(spec.value("tolerations", Json::array()).size());
  for (const Json& gate : spec.value("schedulingGates", Json::array())) {
    pod.scheduling_gates.push_back(gate.at("name"));
  }
  return pod;
}

Strings NamesOf(const std::vector<ClusterEvent>& events, Resource resource) {
  Strings names;
  for (const auto& [name, action] : kActions) {
    if (std::ranges::count(events, ClusterEvent{resource, action}) != 0) names.push_back(name);
  }
  EXPECT_EQ(names.size(), events.size());
  return names;
}

TEST(ChangesOfNodes, AreUpstreams) {
  const Json table = testing::LoadGolden("lab_queue_moves.json");
  for (const Json& row : table.at("nodes")) {
    const auto changes = ChangesOf(NodeFromRow(row.at("before")), NodeFromRow(row.at("after")));
    EXPECT_EQ(Json(NamesOf(changes, Resource::kNode)), row.at("actions")) << row.at("name");
  }
  EXPECT_GE(table.at("nodes").size(), 40u);
}

TEST(ChangesOfPods, AreUpstreams) {
  const Json table = testing::LoadGolden("lab_queue_moves.json");
  for (const Json& row : table.at("pods")) {
    const auto changes = ChangesOf(PodFromRow(row.at("before")), PodFromRow(row.at("after")));
    EXPECT_EQ(Json(NamesOf(changes, Resource::kUnscheduledPod)), row.at("actions"))
        << row.at("name");
  }
  EXPECT_GE(table.at("pods").size(), 20u);
}

}  // namespace
}  // namespace outrigger::lab
