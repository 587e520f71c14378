// PodGroups whose API group is served in one version or another.
#include "cluster/change_listeners.h"
#include "gmock/gmock.h"
#include "kube/resource.h"
#include "kube/scripted_paths_testing.h"
#include "kube/view/cluster_actor.h"
#include "kube/view/cluster_watch.h"
#include "kube/watch/reflect_testing.h"
#include "kube/watch/served_versions.h"

namespace outrigger::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string PathOfVersion(std::string_view version) {
  return fmt::format("/apis/scheduling.k8s.io/{}/podgroups", version);
}

std::string Gang(int64_t minimum, int64_t version) {
  return fmt::format(
      R"({{"metadata":{{"name":"train","namespace":"d","uid":"u","resourceVersion":"{}"}},)"
      R"("spec":{{"schedulingPolicy":{{"gang":{{"minCount":{}}}}}}}}})",
      version, minimum);
}

absl::Status Gone() {
  return ErrorOfAnswer(404, "404 page not found", "");
}

/// An agent that looks at PodGroups, of which only upstream's are served.
class GroupVersions : public ::testing::Test {
 protected:
  GroupVersions() : cluster_({}), watch_(&api_, &cluster_, WatchOptions()) {
    for (const char* path : {"/api/v1/nodes", "/apis/scheduling.k8s.io/v1/priorityclasses"}) {
      api_.Answer(path, InitialEnd(5));
    }
    for (const char* group : {"scheduling.x-k8s.io/v1alpha1", "scheduling.sigs.k8s.io/v1alpha1",
                              "scheduling.volcano.sh/v1beta1"}) {
      api_.Answer(fmt::format("/apis/{}/podgroups", group), "", Gone());
    }
    api_.AnswerCalls("/apis/scheduling.k8s.io/v1", std::string(R"({"resources":[]})"));
  }
  ~GroupVersions() override { watch_.Stop(); }

  ClusterWatchOptions WatchOptions() {
    ClusterWatchOptions options;
    options.max_staleness = std::chrono::hours(24);
    options.reflector.timing = time_.timing();
    return options;
  }
  /// PodGroups are served in these versions, and PriorityClasses in v1.
  void Serve(const std::vector<std::string>& versions) {
    std::string list = R"({"version":"v1"})";
    for (const std::string& version : versions) {
      list += fmt::format(R"(,{{"version":"{}"}})", version);
      api_.AnswerCalls("/apis/scheduling.k8s.io/" + version,
                       std::string(R"({"resources":[{"name":"podgroups"}]})"));
    }
    api_.AnswerCalls("/apis/scheduling.k8s.io", fmt::format(R"({{"versions":[{}]}})", list));
  }
  void Start() {
    watch_.Start(Needs().ClusterGroups());
    Settle();
  }
  void Settle() { ASSERT_TRUE(api_.AwaitIdle(6)); }
  std::vector<int64_t> Minimums() {
    std::vector<int64_t> minimums;
    for (const PodGroup& group : watch_.Objects()->pod_groups) minimums.push_back(group.min_member);
    return minimums;
  }
  bool IsServed() { return watch_.Objects()->served.Has(Dialect::kUpstream); }

  VirtualTime time_;
  ScriptedPaths api_;
  cluster::Cluster cluster_;
  ClusterWatch watch_;
  CustomWatch custom_{&api_, {}};
};

TEST_F(GroupVersions, AnOlderVersionIsReadWhereTheNewestIsMissing) {
  Serve({"v1alpha2"});
  api_.Answer(PathOfVersion("v1beta1"), "", Gone());
  api_.Answer(PathOfVersion("v1alpha2"), EventOf("ADDED", Gang(4, 3)) + InitialEnd(5));
  Start();
  EXPECT_TRUE(IsServed());
  EXPECT_THAT(Minimums(), ElementsAre(4));
  EXPECT_EQ(watch_.VersionOf(Dialect::kUpstream), "v1alpha2");
}

TEST_F(GroupVersions, AMinimumThatChangesIsFollowed) {
  api_.Answer(PathOfVersion("v1beta1"), EventOf("ADDED", Gang(4, 3)) + InitialEnd(5));
  Start();
  EXPECT_THAT(Minimums(), ElementsAre(4));
  api_.Answer(PathOfVersion("v1beta1"), EventOf("MODIFIED", Gang(2, 6)));
  Settle();
  EXPECT_THAT(Minimums(), ElementsAre(2));
}

TEST_F(GroupVersions, AVersionThatGoesGivesWayToTheOneThatComes) {
  Serve({"v1alpha2"});
  api_.Answer(PathOfVersion("v1beta1"), "", Gone());
  api_.Answer(PathOfVersion("v1alpha2"), EventOf("ADDED", Gang(4, 3)) + InitialEnd(5));
  Start();
  Serve({"v1beta1"});
  api_.Answer(PathOfVersion("v1beta1"), EventOf("ADDED", Gang(5, 7)) + InitialEnd(8));
  api_.Answer(PathOfVersion("v1alpha2"), "", Gone());
  Settle();
  EXPECT_EQ(watch_.VersionOf(Dialect::kUpstream), "v1beta1");
  EXPECT_THAT(Minimums(), ElementsAre(5));
}

TEST_F(GroupVersions, OfWhichAnswersContradictEachOtherStay) {
  Serve({"v1beta1"});
  api_.Answer(PathOfVersion("v1beta1"), EventOf("ADDED", Gang(4, 3)) + InitialEnd(5));
  Start();
  // One of several API servers does not have the version yet; another one answers discovery.
  api_.Answer(PathOfVersion("v1beta1"), "", Gone());
  Settle();
  EXPECT_TRUE(IsServed());
  EXPECT_THAT(Minimums(), ElementsAre(4));
}

TEST_F(GroupVersions, ANewerVersionThatComesToAnOlderOneIsReadFromTheNextWatchOn) {
  Serve({"v1alpha3"});
  api_.Answer(PathOfVersion("v1beta1"), "", Gone());
  api_.Answer(PathOfVersion("v1alpha3"), EventOf("ADDED", Gang(4, 3)) + InitialEnd(5));
  Start();
  EXPECT_EQ(watch_.VersionOf(Dialect::kUpstream), "v1alpha3");
  Serve({"v1beta1", "v1alpha3"});
  time_.Advance(std::chrono::seconds(30));
  api_.Answer(PathOfVersion("v1beta1"), EventOf("ADDED", Gang(5, 7)) + InitialEnd(8));
  api_.Answer(PathOfVersion("v1alpha3"), EventOf("MODIFIED", Gang(2, 7)));
  Settle();
  EXPECT_EQ(watch_.VersionOf(Dialect::kUpstream), "v1beta1");
  EXPECT_THAT(Minimums(), ElementsAre(5));
}

TEST_F(GroupVersions, StatusAndEventsAreOfTheVersionThatIsRead) {
  Serve({"v1alpha2"});
  api_.Answer(PathOfVersion("v1beta1"), "", Gone());
  api_.Answer(PathOfVersion("v1alpha2"), EventOf("ADDED", Gang(4, 3)) + InitialEnd(5));
  const std::string status = "/apis/scheduling.k8s.io/v1alpha2/namespaces/d/podgroups/train/status";
  const std::string events = "/apis/events.k8s.io/v1/namespaces/d/events";
  api_.AnswerCalls(status, std::string(R"({"metadata":{"uid":"u"}})"));
  api_.AnswerCalls(events, std::string("{}"));
  Start();
  cluster::ChangeListeners changes;
  ClusterActor actor(&api_, &cluster_, &watch_, &custom_, &changes,
                     {.events = {.controller = "c"}});
  PodGroup group;
  group.dialect = Dialect::kUpstream;
  group.namespace_ = "d";
  group.name = "train";
  group.uid = "u";
  EXPECT_EQ(actor.WriteStatus(group, PodGroupStatus(), CallLimits()), absl::OkStatus());
  EXPECT_THAT(api_.BodyOf(status), HasSubstr(R"("type":"PodGroupScheduled")"));
  actor.Record({.api_version = "scheduling.k8s.io/v1beta1",
                .kind = "PodGroup",
                .namespace_ = "d",
                .name = "train",
                .uid = "u",
                .warning = true,
                .reason = "GangWaiting",
                .action = "Scheduling",
                .note = "waits"});
  actor.FlushEvents();
  EXPECT_THAT(api_.BodyOf(events), HasSubstr("scheduling.k8s.io/v1alpha2"));
}

TEST_F(GroupVersions, AVersionThatIsNotKnownIsNamed) {
  Serve({"v2"});
  api_.Answer(PathOfVersion("v1beta1"), "", Gone());
  Start();
  EXPECT_FALSE(IsServed());
  EXPECT_TRUE(watch_.Usable().ok()) << watch_.Usable();
  EXPECT_THAT(watch_.Objects()->unknown_versions, ElementsAre(Pair(Dialect::kUpstream, "v2")));
  Serve({"v2", "v1alpha3"});
  api_.Answer(PathOfVersion("v1alpha3"), InitialEnd(9));
  api_.Answer(PathOfVersion("v1beta1"), "", Gone());
  Settle();
  EXPECT_TRUE(IsServed());
  EXPECT_THAT(watch_.Objects()->unknown_versions, IsEmpty());
}

TEST_F(GroupVersions, AreTriedOneAfterTheOtherWithoutTheRightToDiscover) {
  api_.AnswerCalls("/apis/scheduling.k8s.io", ErrorOfAnswer(403, "no", ""));
  api_.Answer(PathOfVersion("v1beta1"), "", Gone());
  api_.Answer(PathOfVersion("v1alpha3"), "", Gone());
  api_.Answer(PathOfVersion("v1alpha2"), EventOf("ADDED", Gang(4, 3)) + InitialEnd(5));
  Start();
  EXPECT_TRUE(IsServed());
  EXPECT_THAT(Minimums(), ElementsAre(4));
}

TEST_F(GroupVersions, OfAServerThatAnswersNonsenseAreNone) {
  for (const char* path : {"V%201", ""}) {
    api_.AnswerCalls(fmt::format("/apis/scheduling.k8s.io/{}", path),
                     std::string(R"({"resources":[{"name":"podgroups"}]})"));
  }
  for (const char* text : {"", "[]", "{\"versions\":7}", R"({"versions":[{"version":7},8]})",
                           R"({"versions":[{"version":"V 1"},{"version":""}]})"}) {
    api_.AnswerCalls("/apis/scheduling.k8s.io", std::string(text));
    const auto served =
        FindServedVersions(api_, *PodGroupsOf(Dialect::kUpstream), kUpstreamVersions);
    ASSERT_TRUE(served.ok()) << served.status();
    EXPECT_EQ(served->known, "") << text;
    EXPECT_EQ(served->unknown, "") << text;
  }
}

}  // namespace
}  // namespace outrigger::kube
