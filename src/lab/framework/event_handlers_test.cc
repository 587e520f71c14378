#include "lab/framework/event_handlers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "builders.h"
#include "lab/manual_timers_testing.h"

namespace outrigger::lab {
namespace {

using ::outrigger::testing::MakeNode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Lines = std::vector<std::string>;

std::string NameOf(const ClusterEvent& event) {
  const char* resource = event.resource == ClusterEvent::Resource::kNode          ? "Node/"
                         : event.resource == ClusterEvent::Resource::kAssignedPod ? "AssignedPod/"
                                                                                  : "Pod/";
  switch (event.actions) {
    case ClusterEvent::kAdd:
      return std::string(resource) + "Add";
    case ClusterEvent::kDelete:
      return std::string(resource) + "Delete";
    case ClusterEvent::kUpdateNodeTaint:
      return std::string(resource) + "Taint";
    case ClusterEvent::kUpdateNodeLabel:
    case ClusterEvent::kUpdatePodLabel:
      return std::string(resource) + "Label";
    default:
      return std::string(resource) + std::to_string(event.actions);
  }
}

/// Writes down what it hears.
class ListeningQueue final : public PodQueue {
 public:
  explicit ListeningQueue(Lines* lines) : lines_(lines) {}

  void Add(std::shared_ptr<const Pod> pod) override { lines_->push_back("add " + pod->uid); }
  void Update(const std::shared_ptr<const Pod>& before, std::shared_ptr<const Pod> after) override {
    lines_->push_back("update " + before->uid + " " + before->resource_version + " to " +
                      after->resource_version);
  }
  void Delete(const Pod& pod) override { lines_->push_back("delete " + pod.uid); }
  std::optional<QueuedPod> Pop(const std::stop_token& /*stop*/) override { return std::nullopt; }
  bool HasReady() const override { return false; }
  void AddUnschedulable(QueuedPod /*pod*/) override {}
  void Done(std::string_view /*uid*/) override {}
  void OnEvent(const ClusterEvent& event) override { lines_->push_back(NameOf(event)); }

 private:
  Lines* const lines_;
};

/// A pod that is ours.
struct OurPod : Pod {
  explicit OurPod(const std::string& id, const std::string& version = "1") {
    name = id;
    namespace_ = "default";
    uid = id;
    resource_version = version;
    scheduler_name = "ours";
  }
};

template <typename Change>
Pod With(Pod pod, Change change) {
  change(&pod);
  pod.resource_version += "+";
  return pod;
}

Pod Bound(const Pod& pod, const std::string& node = "n") {
  return With(pod, [&](Pod* to) { to->node_name = node; });
}

class EventHandlersTest : public ::testing::Test {
 protected:
  /// What was heard since the last call.
  Lines Heard() { return std::exchange(lines_, {}); }
  void Wait(const Pod& pod) {
    waiting_.Add(pod, {{"NodeNumber", std::chrono::seconds(10)}},
                 [this](const PluginStatus& status, const std::string& plugin) {
                   lines_.push_back("rejected by \"" + plugin + "\": " + status.reason);
                 });
  }

  Lines lines_;
  ManualTimers timers_;
  NodeCache nodes_;
  ListeningQueue queue_{&lines_};
  WaitingPods waiting_{&timers_};
  EventHandlers handlers_{"ours", /*wakes=*/true, &nodes_, &queue_, &waiting_};
};

TEST_F(EventHandlersTest, ReportANodeThatComesChangesAndGoes) {
  handlers_.OnNode(MakeNode("a"));
  EXPECT_THAT(Heard(), ElementsAre("Node/Add"));
  EXPECT_TRUE(nodes_.Has("a"));
  handlers_.OnNode(MakeNode("a").Unschedulable());
  EXPECT_THAT(Heard(), IsEmpty()) << "a cordon helps no pod";
  EXPECT_TRUE(nodes_.Snapshot()->front()->unschedulable) << "but is known";
  handlers_.OnNode(MakeNode("a").Label("l", "1"));
  EXPECT_THAT(Heard(), ElementsAre("Node/Label", "Node/Taint"));
  handlers_.OnNode(MakeNode("a").Label("l", "1"));
  EXPECT_THAT(Heard(), IsEmpty());
  handlers_.OnNodeGone("a");
  handlers_.OnNodeGone("a");
  EXPECT_THAT(Heard(), ElementsAre("Node/Delete"));
  EXPECT_FALSE(nodes_.Has("a"));
}

TEST_F(EventHandlersTest, AddAPodThatWantsANodeFromUs) {
  handlers_.OnPod(OurPod("a"));
  EXPECT_THAT(Heard(), ElementsAre("add a"));
}

TEST_F(EventHandlersTest, PassOverPodsThatDoNot) {
  const std::vector<Pod> others = {
      With(OurPod("a"), [](Pod* pod) { pod->scheduler_name = "default-scheduler"; }),
      With(OurPod("b"), [](Pod* pod) { pod->being_deleted = true; }),
      With(OurPod("c"), [](Pod* pod) { pod->scheduling_gates = {"gate"}; }),
      With(OurPod("d"), [](Pod* pod) { pod->phase = "Failed"; }),
  };
  for (const Pod& pod : others) {
    handlers_.OnPod(pod);
    handlers_.OnPodGone("default", pod.name);
  }
  EXPECT_THAT(Heard(), IsEmpty());
}

TEST_F(EventHandlersTest, UpdateAPodButNotForTheSameVersion) {
  handlers_.OnPod(OurPod("a", "1"));
  handlers_.OnPod(OurPod("a", "1"));
  EXPECT_THAT(Heard(), ElementsAre("add a"));
  handlers_.OnPod(OurPod("a", "2"));
  EXPECT_THAT(Heard(), ElementsAre("update a 1 to 2"));
}

TEST_F(EventHandlersTest, AddAPodWhoseLastGateIsGone) {
  handlers_.OnPod(With(OurPod("a"), [](Pod* pod) { pod->scheduling_gates = {"gate"}; }));
  EXPECT_THAT(Heard(), IsEmpty());
  handlers_.OnPod(OurPod("a"));
  EXPECT_THAT(Heard(), ElementsAre("add a"));
}

TEST_F(EventHandlersTest, DeleteAPodThatIsGoneOrOnItsWay) {
  handlers_.OnPod(OurPod("a"));
  handlers_.OnPod(OurPod("b"));
  Heard();
  handlers_.OnPodGone("default", "a");
  EXPECT_THAT(Heard(), ElementsAre("delete a"));
  handlers_.OnPod(With(OurPod("b"), [](Pod* pod) { pod->being_deleted = true; }));
  EXPECT_THAT(Heard(), ElementsAre("delete b"));
  handlers_.OnPodGone("default", "b");
  handlers_.OnPodGone("default", "never seen");
  EXPECT_THAT(Heard(), IsEmpty());
}

TEST_F(EventHandlersTest, RejectAPodThatWaitsAtPermitAfterItHasLeftTheQueue) {
  for (const char* uid : {"a", "b", "c"}) {
    handlers_.OnPod(OurPod(uid));
    Wait(OurPod(uid));
  }
  Heard();
  handlers_.OnPodGone("default", "a");
  EXPECT_THAT(Heard(), ElementsAre("delete a", "rejected by \"\": pod was deleted"));
  handlers_.OnPod(With(OurPod("b"), [](Pod* pod) { pod->being_deleted = true; }));
  EXPECT_THAT(Heard(), ElementsAre("delete b", "rejected by \"\": pod was deleted"));
  handlers_.OnPod(Bound(OurPod("c"), "node7"));
  EXPECT_THAT(Heard(), ElementsAre("delete c", "rejected by \"\": pod was bound to node7 by others",
                                   "AssignedPod/Add"));
}

TEST_F(EventHandlersTest, TakeAnotherPodOfTheSameNameForAnother) {
  handlers_.OnPod(OurPod("a", "1"));
  Wait(OurPod("a"));
  Heard();
  handlers_.OnPod(With(OurPod("a", "1"), [](Pod* pod) { pod->uid = "a2"; }));
  EXPECT_THAT(Heard(), ElementsAre("delete a", "rejected by \"\": pod was deleted", "add a2"));
}

TEST_F(EventHandlersTest, ReportPodsThatTakeRoomAndGiveItBack) {
  handlers_.OnPod(OurPod("a"));
  Heard();
  const Pod bound = Bound(OurPod("a"));
  handlers_.OnPod(bound);
  EXPECT_THAT(Heard(), ElementsAre("delete a", "AssignedPod/Add"));
  const Pod labelled = With(bound, [](Pod* pod) { pod->labels.Set("l", "1"); });
  handlers_.OnPod(labelled);
  EXPECT_THAT(Heard(), ElementsAre("AssignedPod/Label"));
  const Pod finished = With(labelled, [](Pod* pod) { pod->phase = "Succeeded"; });
  handlers_.OnPod(finished);
  EXPECT_THAT(Heard(), ElementsAre("AssignedPod/Delete"));
  handlers_.OnPod(finished);
  handlers_.OnPodGone("default", "a");
  EXPECT_THAT(Heard(), IsEmpty()) << "its room was given back already";

  handlers_.OnPod(Bound(With(OurPod("b"), [](Pod* pod) { pod->scheduler_name = "theirs"; })));
  handlers_.OnPodGone("default", "b");
  EXPECT_THAT(Heard(), ElementsAre("AssignedPod/Add", "AssignedPod/Delete")) << "whose ever it is";
}

TEST_F(EventHandlersTest, WithoutWakingReportNoEvent) {
  EventHandlers handlers("ours", /*wakes=*/false, &nodes_, &queue_, &waiting_);
  handlers.OnNode(MakeNode("a"));
  handlers.OnPod(OurPod("a"));
  handlers.OnPod(Bound(OurPod("a")));
  handlers.OnNodeGone("a");
  EXPECT_THAT(Heard(), ElementsAre("add a", "delete a"));
}

}  // namespace
}  // namespace outrigger::lab
