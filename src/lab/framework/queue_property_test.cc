// Whatever happens to it: the queue loses no pod, and has each in one place.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lab/framework/scheduling_queue.h"
#include "lab/manual_timers_testing.h"
#include "rapidcheck.h"

namespace outrigger::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using Part = SchedulingQueue::Part;
using Resource = ClusterEvent::Resource;

const std::vector<ClusterEvent> kPossibleEvents = {
    {Resource::kNode, ClusterEvent::kAdd},
    {Resource::kNode, ClusterEvent::kUpdateNodeTaint},
    {Resource::kAssignedPod, ClusterEvent::kDelete},
};

QueueOptions Options() {
  QueueOptions options;
  options.registered = {{"A", {kPossibleEvents[0], kPossibleEvents[1]}},
                        {"B", {kPossibleEvents[2]}}};
  return options;
}

/// What the queue should know: which pods there are, and which of them are in flight.
struct Model {
  ManualTimers timers;
  SchedulingQueue queue{
      &timers, [](const auto& a, const auto& b) { return a.pod->uid < b.pod->uid; }, Options()};
  std::map<std::string, std::shared_ptr<const Pod>> pods;
  std::map<std::string, QueuedPod> flights;
  int last = 0;

  void Add() {
    Pod pod;
    pod.uid = std::to_string(++last);
    pods[pod.uid] = std::make_shared<const Pod>(pod);
    queue.Add(pods[pod.uid]);
  }
  void Pop() {
    if (!queue.HasReady()) return;
    QueuedPod popped = *queue.Pop(std::stop_token());
    const std::string uid = popped.pod->uid;
    RC_ASSERT(pods.contains(uid));
    RC_ASSERT(popped.pod == pods[uid]);
    RC_ASSERT(flights.emplace(uid, std::move(popped)).second);
  }
  void Land(unsigned which, unsigned how) {
    if (flights.empty()) return;
    const auto at = std::next(flights.begin(), which % flights.size());
    QueuedPod queued = std::move(flights.extract(at).mapped());
    if (how % 4 == 0) {
      queue.Done(queued.pod->uid);
      pods.erase(queued.pod->uid);
      return;
    }
    if (how % 4 == 1) queued.unschedulable_plugins = {"A"};
    if (how % 4 == 2) queued.unschedulable_plugins = {"B"};
    queue.AddUnschedulable(std::move(queued));
  }
  void Update(unsigned which, unsigned how) {
    if (pods.empty()) return;
    std::shared_ptr<const Pod>& pod = std::next(pods.begin(), which % pods.size())->second;
    auto after = std::make_shared<Pod>(*pod);
    after->labels.Set("l", std::to_string(how));
    queue.Update(std::exchange(pod, after), after);
  }
  void Delete(unsigned which) {
    if (pods.empty()) return;
    const auto at = std::next(pods.begin(), which % pods.size());
    queue.Delete(*at->second);
    pods.erase(at);
  }
  void Do(unsigned deed, unsigned which, unsigned how) {
    switch (deed) {
      case 0:
        return Add();
      case 1:
      case 2:
        return Pop();
      case 3:
      case 4:
        return Land(which, how);
      case 5:
        return Update(which, how);
      case 6:
        return queue.OnEvent(kPossibleEvents[which % kPossibleEvents.size()]);
      case 7:
        return timers.Advance(milliseconds(how % 8 == 0 ? 100'000 : how % 3000));
      default:
        return Delete(which);
    }
  }
  void Check() const {
    for (const auto& [uid, pod] : pods) {
      const Part part = queue.PartOf(uid);
      RC_ASSERT(part != Part::kNone);
      RC_ASSERT((part == Part::kInFlight) == flights.contains(uid));
    }
  }
};

TEST(QueueProperties, EveryPodComesToItsTurnAgain) {
  EXPECT_TRUE(rc::check("no pod is lost or doubled", [] {
    using Deed = std::tuple<unsigned, unsigned, unsigned>;
    const auto deeds = *rc::gen::container<std::vector<Deed>>(rc::gen::tuple(
        rc::gen::inRange(0u, 9u), rc::gen::inRange(0u, 1000u), rc::gen::inRange(0u, 3000u)));
    Model model;
    for (const auto& [deed, which, how] : deeds) {
      model.Do(deed, which, how);
      model.Check();
    }
    // The last resort, where no event comes: leftovers are flushed, backoffs end.
    while (!model.flights.empty()) model.Land(0, 1);
    model.timers.Advance(minutes(6));
    while (model.queue.HasReady()) model.Pop();
    RC_ASSERT(model.flights.size() == model.pods.size());
  }));
}

}  // namespace
}  // namespace outrigger::lab
