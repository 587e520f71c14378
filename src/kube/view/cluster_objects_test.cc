#include <atomic>
#include <thread>

#include "cluster/change_listeners.h"
#include "gmock/gmock.h"
#include "kube/errors.h"
#include "kube/resource.h"
#include "kube/scripted_paths_testing.h"
#include "kube/view/cluster_actor.h"
#include "kube/view/cluster_watch.h"
#include "kube/watch/reflect_testing.h"

namespace outrigger::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kGroups = "/apis/scheduling.x-k8s.io/v1alpha1/podgroups";
constexpr const char* kVolumesPath = "/api/v1/persistentvolumes";
constexpr const char* kClaims = "/api/v1/persistentvolumeclaims";
constexpr const char* kStorage = "/apis/storage.k8s.io/v1/storageclasses";
constexpr const char* kDevices = "/apis/resource.k8s.io/v1/resourceclaims";
constexpr const char* kDeviceClassesPath = "/apis/resource.k8s.io/v1/deviceclasses";
// Nodes, pods, PodGroups of four dialects, PriorityClasses, PodDisruptionBudgets, volumes, their
// claims and classes, and claims of devices and their classes.
constexpr int kKinds = 13;

std::string Group(std::string_view name, std::string_view uid, int64_t version,
                  std::string_view minimum, std::string_view phase = "") {
  return fmt::format(
      R"({{"metadata":{{"name":"{}","namespace":"d","uid":"{}","resourceVersion":"{}"}},)"
      R"("spec":{{"minMember":{}}},"status":{{"phase":"{}"}}}})",
      name, uid, version, minimum, phase);
}

std::string VolumeOn(std::string_view node, int64_t version) {
  return fmt::format(
      R"({{"metadata":{{"name":"pv","resourceVersion":"{}"}},"spec":{{"nodeAffinity":{{"required":)"
      R"({{"nodeSelectorTerms":[{{"matchExpressions":[{{"key":"host","operator":"In",)"
      R"("values":["{}"]}}]}}]}}}}}}}})",
      version, node);
}

std::string ClaimOf(std::string_view volume, int64_t version) {
  return fmt::format(
      R"({{"metadata":{{"name":"data","namespace":"d","resourceVersion":"{}","annotations":)"
      R"({{"pv.kubernetes.io/bind-completed":"yes"}}}},"spec":{{"volumeName":"{}"}}}})",
      version, volume);
}

std::string DeviceOf(std::string_view allocation, int64_t version) {
  return fmt::format(R"({{"metadata":{{"name":"gpu","namespace":"d","resourceVersion":"{}"}},)"
                     R"("status":{{"allocation":{}}}}})",
                     version, allocation);
}

absl::Status NoSuchKind() {
  return ErrorOfAnswer(404, "404 page not found", "");
}

/// A cluster with everything but what is called a group, and an agent that looks at it.
class ObjectsOfACluster : public ::testing::Test {
 protected:
  ObjectsOfACluster() : cluster_(ClusterOptions()), watch_(&api_, &cluster_, WatchOptions()) {
    for (const char* path :
         {"/api/v1/nodes", "/api/v1/pods", "/apis/scheduling.sigs.k8s.io/v1alpha1/podgroups"}) {
      api_.Answer(path, InitialEnd(5));
    }
    api_.Answer(
        "/apis/policy/v1/poddisruptionbudgets",
        EventOf("ADDED", R"({"metadata":{"name":"web","namespace":"d","resourceVersion":"3"},)"
                         R"("spec":{"selector":{"matchLabels":{"app":"web"},"matchExpressions":)"
                         R"([{"key":"tier","operator":"In","values":["a"]}]}},)"
                         R"("status":{"disruptionsAllowed":2}})") +
            InitialEnd(5));
    api_.Answer(kVolumesPath, EventOf("ADDED", VolumeOn("n1", 3)) + InitialEnd(5));
    api_.Answer(kClaims, EventOf("ADDED", ClaimOf("pv", 4)) + InitialEnd(5));
    api_.Answer(kStorage, InitialEnd(5));
    api_.Answer("/apis/scheduling.volcano.sh/v1beta1/podgroups", "", NoSuchKind());
    api_.Answer("/apis/scheduling.k8s.io/v1beta1/podgroups", "", NoSuchKind());
    api_.Answer(
        "/apis/scheduling.k8s.io/v1/priorityclasses",
        EventOf("ADDED", R"({"metadata":{"name":"high","resourceVersion":"4"},"value":1000})") +
            InitialEnd(5));
  }
  ~ObjectsOfACluster() override { watch_.Stop(); }

  cluster::ClusterOptions ClusterOptions() {
    cluster::ClusterOptions options;
    options.changed = [this] { changes_.Notify(); };
    return options;
  }
  ClusterWatchOptions WatchOptions() {
    ClusterWatchOptions options;
    options.max_staleness = std::chrono::hours(24);
    options.reflector.timing = time_.timing();
    options.reflector.report = [this](const ObjectProblem& problem) {
      problems_.push_back(fmt::format("{} {}", problem.resource, problem.name));
    };
    options.changed = [this] { changes_.Notify(); };
    return options;
  }
  static Needs All() {
    return Needs().ClusterPods().ClusterGroups().ClusterBudgets().ClusterClaims();
  }
  void Start() {
    if (!devices_served_) api_.Answer(kDevices, "", NoSuchKind());
    if (!classes_served_) api_.Answer(kDeviceClassesPath, "", NoSuchKind());
    watch_.Start(needs_);
    Settle();
  }
  void Settle() { ASSERT_TRUE(api_.AwaitIdle(kKinds)); }
  ClusterObjects Take() {
    const auto view = actor_.Take();
    EXPECT_TRUE(view.ok()) << view.status();
    return view.ok() ? *view->objects : ClusterObjects();
  }
  /// "name uid minimum" of each.
  std::vector<std::string> Groups() {
    std::vector<std::string> texts;
    for (const PodGroup& group : Take().pod_groups) {
      texts.push_back(fmt::format("{} {} {}", group.name, group.uid, group.min_member));
    }
    return texts;
  }

  /// The node that the only claim of a volume asks for.
  std::string NodeOfTheClaim() {
    const auto claims = Take().claims;
    const auto found = claims->volumes.find({"d", "data"});
    if (found == claims->volumes.end() || found->second.nodes.empty()) return "";
    return found->second.nodes[0].terms[0].match_expressions[0].values[0];
  }

  Needs needs_ = All();
  bool devices_served_ = false;
  bool classes_served_ = false;
  VirtualTime time_;
  ScriptedPaths api_;
  cluster::ChangeListeners changes_;
  std::vector<std::string> problems_;
  cluster::Cluster cluster_;
  ClusterWatch watch_;
  CustomWatch custom_{&api_, {}};
  ClusterActor actor_{&api_, &cluster_, &watch_, &custom_, &changes_};
};

TEST_F(ObjectsOfACluster, AreTakenOnceAllAreKnown) {
  EXPECT_EQ(actor_.Take().status().message(), "the cluster is not watched yet");
  api_.Answer(kDevices, "", NoSuchKind());
  api_.Answer(kDeviceClassesPath, "", NoSuchKind());
  watch_.Start(All());
  EXPECT_EQ(actor_.Take().status().code(), absl::StatusCode::kUnavailable);
  api_.Answer(kGroups, EventOf("ADDED", Group("train", "u1", 4, "3")) + InitialEnd(5));
  Settle();
  const ClusterObjects objects = Take();
  EXPECT_THAT(Groups(), ElementsAre("train u1 3"));
  EXPECT_EQ(objects.pod_groups[0].dialect, Dialect::kSchedulerPlugins);
  EXPECT_THAT(objects.priority_classes, ElementsAre(Pair("high", 1000)));
  ASSERT_EQ(objects.budgets.size(), 1U);
  EXPECT_EQ(objects.budgets[0].namespace_ + "/" + objects.budgets[0].name, "d/web");
  EXPECT_EQ(objects.budgets[0].allowed, 2);
  ASSERT_TRUE(objects.budgets[0].selector.has_value());
  EXPECT_EQ(objects.budgets[0].selector->match_labels.Get("app"), "web");
  EXPECT_EQ(objects.budgets[0].selector->match_expressions.size(), 1U);
  EXPECT_TRUE(objects.served.Has(Dialect::kSchedulerPlugins));
  EXPECT_TRUE(objects.served.Has(Dialect::kKoordinator));
  EXPECT_FALSE(objects.served.Has(Dialect::kVolcano));
  EXPECT_FALSE(objects.served.Has(Dialect::kUpstream));
}

TEST_F(ObjectsOfACluster, AreTheSameUntilSomethingChanges) {
  api_.Answer(kGroups, EventOf("ADDED", Group("train", "u1", 4, "3")) + InitialEnd(5));
  Start();
  const auto before = actor_.Take();
  api_.Answer(kGroups, EventOf("MODIFIED", Group("train", "u1", 6, "3", "Scheduling")));
  Settle();
  EXPECT_EQ(actor_.Take()->objects, before->objects) << "a status changes nothing";
  api_.Answer(kGroups, EventOf("MODIFIED", Group("train", "u1", 7, "4")));
  Settle();
  EXPECT_THAT(Groups(), ElementsAre("train u1 4"));
  EXPECT_GT(Take().version, before->objects->version);
}

TEST_F(ObjectsOfACluster, AppearWithTheirDefinitionAndGoWithIt) {
  api_.Answer(kGroups, "", NoSuchKind());
  Start();
  EXPECT_FALSE(Take().served.Has(Dialect::kSchedulerPlugins));
  std::atomic<int> told = 0;
  std::atomic<int> also = 0;
  const Subscription changes = actor_.OnChange([&] { ++told; });
  Subscription others = actor_.OnChange([&] { ++also; });
  api_.Answer(kGroups, InitialEnd(9));
  Settle();
  EXPECT_TRUE(Take().served.Has(Dialect::kSchedulerPlugins));
  EXPECT_GT(told.exchange(0), 0) << "though there is no object";
  EXPECT_GT(also.exchange(0), 0) << "each listener";
  others.End();
  api_.Answer(kGroups, EventOf("ADDED", Group("train", "u1", 10, "3")));
  Settle();
  EXPECT_THAT(Groups(), ElementsAre("train u1 3"));
  EXPECT_GT(told.exchange(0), 0);
  api_.Answer(kGroups, "", NoSuchKind());
  Settle();
  EXPECT_FALSE(Take().served.Has(Dialect::kSchedulerPlugins));
  EXPECT_THAT(Groups(), IsEmpty());
  EXPECT_GT(told, 0);
  EXPECT_EQ(also, 0) << "its subscription has ended";
}

TEST_F(ObjectsOfACluster, ThatAreCreatedAgainAreOthers) {
  api_.Answer(kGroups, EventOf("ADDED", Group("train", "u1", 4, "3")) + InitialEnd(5));
  Start();
  api_.Answer(kGroups, EventOf("DELETED", Group("train", "u1", 6, "3")));
  Settle();
  EXPECT_THAT(Groups(), IsEmpty());
  api_.Answer(kGroups, EventOf("ADDED", Group("train", "u2", 7, "3")));
  Settle();
  EXPECT_THAT(Groups(), ElementsAre("train u2 3"));
}

TEST_F(ObjectsOfACluster, ThatCannotBeReadStayAsTheyWere) {
  api_.Answer(kGroups, EventOf("ADDED", Group("train", "u1", 4, "3")) + InitialEnd(5));
  Start();
  api_.Answer(kGroups, EventOf("MODIFIED", Group("train", "u1", 6, "\"many\"")));
  Settle();
  EXPECT_THAT(Groups(), ElementsAre("train u1 3"));
  EXPECT_THAT(problems_, ElementsAre("podgroups.scheduling.x-k8s.io train"));
}

TEST_F(ObjectsOfACluster, ThatMayNotBeListedAreNotTakenForNone) {
  for (int i = 0; i < 2; ++i) api_.Answer(kGroups, "", Refused(403, "Forbidden", "no"));
  Start();
  const absl::Status status = actor_.Take().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(MessageOf(status)),
              HasSubstr("the podgroups.scheduling.x-k8s.io of the cluster are not known yet: the "
                        "API server answered 403 Forbidden: no"));
}

TEST_F(ObjectsOfACluster, OfPriorityAreForgottenWithTheirClass) {
  api_.Answer(kGroups, InitialEnd(5));
  Start();
  api_.Answer(
      "/apis/scheduling.k8s.io/v1/priorityclasses",
      EventOf("MODIFIED", R"({"metadata":{"name":"high","resourceVersion":"6"},"value":7})"));
  Settle();
  EXPECT_THAT(Take().priority_classes, ElementsAre(Pair("high", 7)));
  api_.Answer(
      "/apis/scheduling.k8s.io/v1/priorityclasses",
      EventOf("DELETED", R"({"metadata":{"name":"high","resourceVersion":"7"},"value":7})"));
  Settle();
  // Time goes on as soon as anything waits.
  while (!Take().priority_classes.empty()) std::this_thread::yield();
}

TEST_F(ObjectsOfACluster, TellOnWhichNodesClaimsMayBeUsed) {
  api_.Answer(kGroups, InitialEnd(5));
  Start();
  EXPECT_EQ(NodeOfTheClaim(), "n1");
  const auto before = actor_.Take();
  api_.Answer(kClaims, EventOf("MODIFIED", ClaimOf("pv", 6)));
  Settle();
  EXPECT_EQ(actor_.Take()->objects, before->objects) << "only its version has changed";
  api_.Answer(kVolumesPath, EventOf("MODIFIED", VolumeOn("n2", 7)));
  Settle();
  EXPECT_EQ(NodeOfTheClaim(), "n2");
  api_.Answer(kVolumesPath, EventOf("DELETED", VolumeOn("n2", 8)));
  Settle();
  EXPECT_EQ(NodeOfTheClaim(), "");
  api_.Answer(kClaims, EventOf("DELETED", ClaimOf("pv", 9)));
  Settle();
  EXPECT_THAT(Take().claims->volumes, IsEmpty());
}

TEST_F(ObjectsOfACluster, TellOfWhichClassClaimsAreBoundLate) {
  api_.Answer(kGroups, InitialEnd(5));
  Start();
  const auto refused = [this] { return Take().claims->volumes.at({"d", "data"}).refused; };
  EXPECT_EQ(refused(), "");
  api_.Answer(kClaims,
              EventOf("MODIFIED", R"({"metadata":{"name":"data","namespace":"d",)"
                                  R"("resourceVersion":"6"},"spec":{"storageClassName":"late"}})"));
  Settle();
  EXPECT_EQ(refused(), "is not bound, and its StorageClass late is not known");
  const auto of = [](int version) {
    return fmt::format(R"({{"metadata":{{"name":"late","resourceVersion":"{}"}},)"
                       R"("volumeBindingMode":"WaitForFirstConsumer"}})",
                       version);
  };
  api_.Answer(kStorage, EventOf("ADDED", of(7)));
  Settle();
  EXPECT_EQ(refused(), "");
  api_.Answer(kStorage, EventOf("DELETED", of(8)));
  Settle();
  EXPECT_NE(refused(), "");
}

TEST_F(ObjectsOfACluster, TellWhichDevicesAreAllocated) {
  devices_served_ = true;
  api_.Answer(kGroups, InitialEnd(5));
  api_.Answer(kDevices, EventOf("ADDED", DeviceOf("null", 4)) + InitialEnd(5));
  Start();
  EXPECT_TRUE(Take().claims->device_claims_served);
  ASSERT_TRUE(Take().claims->devices.contains({"d", "gpu"}));
  EXPECT_TRUE(Take().claims->devices.at({"d", "gpu"}).open);
  api_.Answer(kDevices, EventOf("MODIFIED", DeviceOf("{}", 6)));
  Settle();
  EXPECT_EQ(Take().claims->devices.at({"d", "gpu"}), ClaimWish()) << "it may be used everywhere";
  api_.Answer(kDevices,
              EventOf("MODIFIED", DeviceOf("null", 7)) + EventOf("DELETED", DeviceOf("null", 8)));
  Settle();
  EXPECT_THAT(Take().claims->devices, IsEmpty());
}

// kube-scheduler sets right what is planned without them.
TEST_F(ObjectsOfACluster, AreUsedWithoutClaimsThatMayNotBeListed) {
  devices_served_ = true;
  api_.Answer(kGroups, InitialEnd(5));
  for (int i = 0; i < 2; ++i) api_.Answer(kDevices, "", Refused(403, "Forbidden", "no"));
  Start();
  EXPECT_TRUE(actor_.Take().ok()) << actor_.Take().status();
  EXPECT_EQ(NodeOfTheClaim(), "n1");
}

// Where a claim that is not there holds a gang, one that cannot be seen must not.
TEST_F(ObjectsOfACluster, AreNotUsedWithoutClaimsThatHaveToBeFresh) {
  devices_served_ = true;
  needs_.ClusterFreshClaims();
  api_.Answer(kGroups, InitialEnd(5));
  for (int i = 0; i < 2; ++i) api_.Answer(kDevices, "", Refused(403, "Forbidden", "no"));
  Start();
  EXPECT_THAT(std::string(actor_.Take().status().message()), HasSubstr("resourceclaims"));
}

TEST_F(ObjectsOfACluster, AreUsedWithoutClaimsOfDevicesThatAreNotServed) {
  needs_.ClusterFreshClaims();
  api_.Answer(kGroups, InitialEnd(5));
  Start();
  ASSERT_TRUE(actor_.Take().ok()) << actor_.Take().status();
  EXPECT_FALSE(Take().claims->device_claims_served);
}

// An agent that reads nothing of pods but that they are there must not take all for pending.
TEST_F(ObjectsOfACluster, ComeWithPodsThatHaveTheirPlaceWhateverElseIsRead) {
  api_.Answer(kGroups, InitialEnd(5));
  Start();
  api_.Answer(
      "/api/v1/pods",
      EventOf("ADDED", R"({"metadata":{"name":"p","namespace":"d","resourceVersion":"7",)"
                       R"("uid":"u","labels":{"a":"b"}},"spec":{"nodeName":"n1",)"
                       R"("priority":5,"schedulerName":"s"},"status":{"phase":"Failed"}})"));
  Settle();
  const auto view = actor_.Take();
  ASSERT_TRUE(view.ok()) << view.status();
  const auto pod = view->snapshot->FindPod("d", "p");
  ASSERT_TRUE(pod.has_value());
  EXPECT_EQ(pod->NodeName(), "n1");
  EXPECT_EQ(pod->Phase(), "Failed");
  EXPECT_EQ(pod->Priority(), 5);
  EXPECT_EQ(pod->Label("a").data(), nullptr) << "nobody reads it";
  EXPECT_EQ(view->snapshot->PendingPodCount(), 0U);
}

TEST_F(ObjectsOfACluster, AreNotFollowedWhereNobodyAsks) {
  watch_.Start(Needs().NodeLabels());
  EXPECT_EQ(watch_.States().size(), 1U);
}

TEST_F(ObjectsOfACluster, HaveTheResourcesThatDeviceClassesServe) {
  classes_served_ = true;
  api_.Answer(kGroups, InitialEnd(5));
  api_.Answer(
      kDeviceClassesPath,
      EventOf("ADDED", R"({"metadata":{"name":"gpu","resourceVersion":"6"},)"
                       R"("spec":{"extendedResourceName":"example.com/gpu"}})") +
          EventOf("ADDED", R"({"metadata":{"name":"nic","resourceVersion":"7"},"spec":{}})") +
          InitialEnd(8));
  Start();
  EXPECT_THAT(Take().device_resources,
              ElementsAre("deviceclass.resource.kubernetes.io/gpu",
                          "deviceclass.resource.kubernetes.io/nic", "example.com/gpu"));
  api_.Answer(kDeviceClassesPath,
              EventOf("DELETED", R"({"metadata":{"name":"gpu","resourceVersion":"9"}})"));
  Settle();
  EXPECT_THAT(Take().device_resources, ElementsAre("deviceclass.resource.kubernetes.io/nic"));
}

}  // namespace
}  // namespace outrigger::kube
