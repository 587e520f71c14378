#include "cluster/pod_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "builders.h"
#include "equality.h"
#include "random_pod_testing.h"

namespace outrigger::cluster {
namespace {

using ::testing::IsEmpty;
using testing::MakePod;
using testing::Q;
using testing::RandomPod;
using testing::Same;

ResourceList RequestsOf(const PodRecord& record) {
  ResourceList list;
  record.ForEachRequest(
      [&](std::string_view name, const Quantity& quantity) { list.Set(name, quantity); });
  return list;
}

TEST(PodRecord, UnpacksToThePodThatWasPacked) {
  EXPECT_TRUE(rc::check("Of(pod)->Unpack() == pod", [](uint64_t seed) {
    const Pod pod = RandomPod(seed);
    RC_ASSERT(Same(PodRecord::Of(pod)->Unpack(), pod));
  }));
}

TEST(PodRecord, ReadsFieldsWithoutUnpacking) {
  EXPECT_TRUE(rc::check("fields", [](uint64_t seed) {
    const Pod pod = RandomPod(seed);
    const PodPtr record = PodRecord::Of(pod);
    RC_ASSERT(record->name() == pod.name);
    RC_ASSERT(record->namespace_() == pod.namespace_);
    RC_ASSERT(record->uid() == pod.uid);
    RC_ASSERT(record->node_name() == pod.node_name);
    RC_ASSERT(record->phase() == pod.phase);
    RC_ASSERT(record->priority() == pod.priority);
    RC_ASSERT(record->resource_version() == pod.resource_version);
    RC_ASSERT(testing::SameAmounts(RequestsOf(*record), PodRequestsOnNode(pod)));
    RC_ASSERT(record->times().creation == pod.creation_time);
    RC_ASSERT(record->times().scheduled == pod.scheduled_time);
    RC_ASSERT(record->times().start == pod.start_time);
    RC_ASSERT(record->times().end == pod.end_time);
    RC_ASSERT(record->status_reason() == pod.status_reason);
    std::vector<ContainerState> states;
    record->ForEachContainerState([&](const ContainerState& state) { states.push_back(state); });
    RC_ASSERT(states == pod.container_states);
    for (const auto& [key, value] : pod.labels) RC_ASSERT(record->Label(key) == value);
    for (const auto& [key, value] : pod.annotations) RC_ASSERT(record->Annotation(key) == value);
  }));
}

TEST(PodRecord, AbsentLabelIsNullAndEmptyOneIsNot) {
  const PodPtr record = PodRecord::Of(MakePod().Label("here", "").Annotation("note", "x"));
  EXPECT_EQ(record->Label("absent").data(), nullptr);
  EXPECT_EQ(record->Label("note").data(), nullptr);
  EXPECT_NE(record->Label("here").data(), nullptr);
  EXPECT_THAT(record->Label("here"), IsEmpty());
  EXPECT_EQ(record->Annotation("absent").data(), nullptr);
}

TEST(PodRecord, AssumedOneDiffersInTheNodeAlone) {
  EXPECT_TRUE(rc::check("AssumedOn", [](uint64_t seed) {
    Pod pod = RandomPod(seed);
    pod.node_name.clear();
    const PodPtr assumed = PodRecord::Of(pod)->AssumedOn("worker-1");
    RC_ASSERT(assumed->is_assumed());
    pod.node_name = "worker-1";
    RC_ASSERT(Same(assumed->Unpack(), pod));
    RC_ASSERT(!PodRecord::Of(pod)->is_assumed());
  }));
}

TEST(PodRecord, FinishedPodsAreTerminal) {
  Pod pod = MakePod();
  for (const auto& [phase, terminal] : {std::pair{"Succeeded", true},
                                        {"Failed", true},
                                        {"Running", false},
                                        {"Pending", false},
                                        {"", false}}) {
    pod.phase = phase;
    EXPECT_EQ(PodRecord::Of(pod)->is_terminal(), terminal) << phase;
  }
}

TEST(PodRecord, ContentIsWhatIsSaidButForTheResourceVersion) {
  Pod pod = MakePod().Requests({{"cpu", "1"}});
  pod.resource_version = "1";
  const PodPtr one = PodRecord::Of(pod);
  pod.resource_version = "23";
  const PodPtr two = PodRecord::Of(pod);
  EXPECT_TRUE(one->SameContent(*two));
  pod.labels.Set("a", "b");
  EXPECT_FALSE(one->SameContent(*PodRecord::Of(pod)));
  EXPECT_TRUE(one->SameRequests(*PodRecord::Of(pod)));
  pod.containers[0].requests.Set("cpu", Q("2"));
  EXPECT_FALSE(one->SameRequests(*PodRecord::Of(pod)));
  Pod urgent = two->Unpack();
  urgent.priority = 7;
  EXPECT_FALSE(two->SameContent(*PodRecord::Of(urgent)));
}

TEST(PodRecord, SaysWhoForbidsItsNodeToOthers) {
  const auto flags = [](const Pod& pod) {
    const PodPtr record = PodRecord::Of(pod);
    return std::pair{record->has_required_anti_affinity(), record->has_host_ports()};
  };
  EXPECT_EQ(flags(MakePod().RequireNear("zone", "a", "b")), std::pair(false, false));
  EXPECT_EQ(flags(MakePod().RequireApart("zone", "a", "b")), std::pair(true, false));
  EXPECT_EQ(flags(MakePod().AddHostPort(80)), std::pair(false, true));
  const Pod both = MakePod().AddHostPort(80).RequireApart("zone", "a", "b");
  EXPECT_EQ(flags(both), std::pair(true, true));
  const PodPtr assumed = PodRecord::Of(both)->AssumedOn("worker-1");
  EXPECT_TRUE(assumed->has_required_anti_affinity() && assumed->has_host_ports());
}

TEST(PodRecord, SaysWhoNamesAGroupInUpstreamsWay) {
  Pod pod = MakePod();
  EXPECT_FALSE(PodRecord::Of(pod)->has_scheduling_group());
  pod.scheduling_group = "train";
  EXPECT_TRUE(PodRecord::Of(pod)->has_scheduling_group());
  EXPECT_TRUE(PodRecord::Of(pod)->AssumedOn("worker-1")->has_scheduling_group());
}

TEST(PodRecord, EveryRareFieldIsContent) {
  const Pod plain = MakePod();
  const auto with = [&plain](auto change) {
    Pod pod = plain;
    change(&pod);
    return PodRecord::Of(pod);
  };
  const PodPtr changed[] = {
      with([](Pod* pod) { pod->host_ports.resize(1); }),
      with([](Pod* pod) { pod->topology_spread.resize(1); }),
      with([](Pod* pod) { pod->never_preempts = true; }),
      with([](Pod* pod) { pod->scheduling_group = "g"; }),
      with([](Pod* pod) { pod->workload = "w"; }),
      with([](Pod* pod) { pod->claims = {"c"}; }),
      with([](Pod* pod) { pod->resource_claims = {"c"}; }),
  };
  for (const PodPtr& record : changed) {
    EXPECT_FALSE(record->SameContent(*PodRecord::Of(plain))) << &record - changed;
    EXPECT_GT(record->bytes(), PodRecord::Of(plain)->bytes()) << "what is absent takes nothing";
  }
}

TEST(PodRecord, StatesAndTimesAreContentOfTheirOwn) {
  Pod pod = MakePod().Label("a", "b").AddHostPort(80);
  pod.creation_time = 1'768'464'000;
  const PodPtr plain = PodRecord::Of(pod);
  const auto with = [&pod](auto change) {
    Pod changed = pod;
    change(&changed);
    return PodRecord::Of(changed);
  };
  const PodPtr states[] = {
      with([](Pod* changed) { changed->start_time = 1'768'464'002; }),
      with([](Pod* changed) { changed->end_time = 1'768'464'002; }),
      with([](Pod* changed) { changed->status_reason = "Evicted"; }),
      with([](Pod* changed) { changed->container_states.resize(1); }),
  };
  for (const PodPtr& record : states) {
    EXPECT_FALSE(plain->SameContent(*record)) << &record - states;
    EXPECT_TRUE(plain->SameButStates(*record)) << &record - states;
    EXPECT_TRUE(record->SameButStates(*plain)) << &record - states;
  }
  const PodPtr others[] = {
      with([](Pod* changed) { changed->creation_time += 1; }),
      with([](Pod* changed) { changed->scheduled_time = 1'768'464'002; }),
      with([](Pod* changed) { changed->labels.Set("a", "c"); }),
      with([](Pod* changed) { changed->host_ports[0].port = 81; }),
      with([](Pod* changed) { changed->priority = 1; }),
      plain->AssumedOn("worker-1"),
  };
  for (const PodPtr& record : others) {
    EXPECT_FALSE(plain->SameButStates(*record)) << &record - others;
    EXPECT_FALSE(states[3]->SameButStates(*record)) << &record - others;
  }
}

TEST(PodRecord, ComparesButForStatesAsItComparesWithoutThem) {
  EXPECT_TRUE(rc::check("SameButStates", [](uint64_t seed) {
    const Pod pod = RandomPod(seed);
    Pod other = RandomPod(seed % 2 == 0 ? seed : seed + 1);
    other.start_time = static_cast<int64_t>(seed);
    other.end_time = 7;
    other.status_reason = "x";
    other.container_states.resize(seed % 3);
    RC_ASSERT(PodRecord::Of(pod)->SameButStates(*PodRecord::Of(other)) == (seed % 2 == 0));
  }));
}

TEST(PodRecord, TimesTakeFewBytes) {
  Pod pod = MakePod();
  const size_t none = PodRecord::Of(pod)->bytes();
  pod.creation_time = 1'768'464'000;
  pod.scheduled_time = pod.creation_time + 1;
  pod.start_time = pod.creation_time + 1;
  EXPECT_LE(PodRecord::Of(pod)->bytes(), none + 8);
  pod.phase = "Succeeded";
  pod.end_time = pod.creation_time + 86'400;
  EXPECT_LE(PodRecord::Of(pod)->bytes(), none + 24) << "the phase, too";
}

// The figure that the promise of 1.2 KB per pod rests on.
TEST(PodRecord, PodOfUsualSizeTakesLessThanEightHundredBytes) {
  Pod pod = MakePod("storefront-7d9c5b6f48-x2x7k")
                .Label("app.kubernetes.io/name", "storefront")
                .Label("app.kubernetes.io/part-of", "shop")
                .Label("app.kubernetes.io/version", "3.14.2")
                .Label("pod-template-hash", "7d9c5b6f48")
                .Annotation("prometheus.io/scrape", "true")
                .Annotation("prometheus.io/port", "9102")
                .Annotation("kubectl.kubernetes.io/restartedAt", "2026-01-23T16:00:00Z")
                .Requests({{"cpu", "250m"}, {"memory", "512Mi"}});
  pod.uid = "0123456789abcdef0123456789abcdef0123";
  pod.controller = OwnerReference{"ReplicaSet", "storefront-7d9c5b6f48", pod.uid, "apps/v1"};
  pod.node_name = "worker-0001.pool-a.example.internal";
  pod.phase = "Running";
  pod.containers[0].limits = pod.containers[0].requests;
  pod.container_statuses = {{"main", pod.containers[0].requests, pod.containers[0].requests}};
  EXPECT_LT(PodRecord::Of(pod)->bytes(), 800U);
}

}  // namespace
}  // namespace outrigger::cluster
