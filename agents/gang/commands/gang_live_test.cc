// `outrigger explain gang` on an API server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "console/program_testing.h"
#include "fmt/format.h"
#include "kube/raw_server_testing.h"

namespace outrigger::cli {
namespace {

using kube::RawPeer;
using kube::RawServer;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Ran;
using testing::RunProgram;
using testing::TempFile;

std::string List(const std::string& kind, const std::string& items, const std::string& next = "") {
  return kube::Answer(
      200,
      fmt::format(
          R"({{"kind":"{}List","metadata":{{"resourceVersion":"7","continue":"{}"}},"items":[{}]}})",
          kind, next, items));
}

std::string Refusal(int code, const std::string& message) {
  return kube::Answer(
      code, fmt::format(R"({{"kind":"Status","code":{},"message":"{}"}})", code, message));
}

std::string PodOf(const std::string& name, const std::string& labels) {
  return fmt::format(
      R"({{"metadata":{{"name":"{}","namespace":"shop","uid":"{}","labels":{{{}}}}},"spec":{{}}}})",
      name, name, labels);
}

/// Answers by the first text that a request's head has; what has no answer is not found.
class ExplainLiveGang : public ::testing::Test {
 protected:
  Ran Explain(const std::vector<std::string>& more) {
    const RawServer server([this](RawPeer& peer, size_t) {
      for (std::string request = peer.ReadRequest(); !request.empty();
           request = peer.ReadRequest()) {
        peer.Send(AnswerTo(request));
      }
    });
    const TempFile file(
        fmt::format("clusters: [{{name: c, cluster: {{server: \"{}\"}}}}]\n"
                    "users: [{{name: u, user: {{}}}}]\n"
                    "contexts: [{{name: x, context: {{cluster: c, user: u, namespace: shop}}}}]\n"
                    "current-context: x\n",
                    server.url()),
        "config");
    std::vector<std::string> arguments = {"explain", "gang", "--kubeconfig", file.path()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunProgram(arguments);
  }

  std::vector<std::pair<std::string, std::string>> answers_ = {
      {"/api/v1/nodes?",
       List("Node", R"({"metadata":{"name":"n1"},"status":{"allocatable":{"pods":"9"}}})")},
      {"continue=more", List("Pod", PodOf("b", R"("scheduling.x-k8s.io/pod-group":"train")"))},
      {"/api/v1/pods?",
       List("Pod", PodOf("a", R"("scheduling.x-k8s.io/pod-group":"train")"), "more")},
      {"/apis/scheduling.x-k8s.io/v1alpha1/podgroups?",
       List("PodGroup",
            R"({"metadata":{"name":"train","namespace":"shop"},"spec":{"minMember":2}})")},
      {"/priorityclasses?", List("PriorityClass", R"({"metadata":{"name":"high"},"value":9})")},
  };

 private:
  std::string AnswerTo(const std::string& request) const {
    for (const auto& [text, answer] : answers_) {
      if (request.substr(0, request.find('\n')).find(text) != std::string::npos) return answer;
    }
    return Refusal(404, "the server could not find the requested resource");
  }
};

TEST_F(ExplainLiveGang, ReadsWhatThereIs) {
  const Ran ran = Explain({"train"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("Gang:      shop/train\nDialect:   scheduling.x-k8s.io\n"));
  EXPECT_THAT(ran.out, HasSubstr("a       placed  n1\nb       placed  n1\n"));
}

TEST_F(ExplainLiveGang, ReadsVolumesAndClaims) {
  answers_[2].second = List(
      "Pod",
      R"({"metadata":{"name":"a","namespace":"shop","labels":{"podGroup":"far","minAvailable":"1"}},)"
      R"("spec":{"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}]}})");
  answers_.emplace_back(
      "/persistentvolumes?",
      List("PersistentVolume",
           R"({"metadata":{"name":"pv"},"spec":{"nodeAffinity":{"required":{"nodeSelectorTerms":[)"
           R"({"matchExpressions":[{"key":"host","operator":"In","values":["n2"]}]}]}}}})"));
  answers_.emplace_back(
      "/persistentvolumeclaims?",
      List("PersistentVolumeClaim", R"({"metadata":{"name":"data","namespace":"shop"},)"
                                    R"("spec":{"volumeName":"pv"}})"));
  EXPECT_THAT(Explain({"far"}).out, HasSubstr("waits: nodes of volumes and claims\n"));
}

TEST_F(ExplainLiveGang, ADialectThatIsNotInstalledIsNotServed) {
  answers_.erase(answers_.begin() + 3);
  const Ran ran = Explain({"train"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("waits: PodGroups are not served\n"));
}

std::string Versions(const std::string& version) {
  return kube::Answer(200, fmt::format(R"({{"versions":[{{"version":"{}"}}]}})", version));
}

const char* const kResources = R"({"resources":[{"name":"podgroups"}]})";

TEST_F(ExplainLiveGang, NamesAVersionThatIsNotKnown) {
  answers_.erase(answers_.begin() + 3);
  answers_.emplace_back("/apis/scheduling.x-k8s.io/v9 ", kube::Answer(200, kResources));
  answers_.emplace_back("/apis/scheduling.x-k8s.io ", Versions("v9"));
  const Ran ran = Explain({"train"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(
      ran.out,
      HasSubstr("waits: the version of PodGroups is not known\nWhy:       the API server serves "
                "podgroups.scheduling.x-k8s.io in version v9, which is not supported\n"));
}

TEST_F(ExplainLiveGang, ReadsUpstreamsPodGroupsInTheVersionThatIsServed) {
  answers_[2].second = List("Pod", R"({"metadata":{"name":"a","namespace":"shop"},)"
                                   R"("spec":{"schedulingGroup":{"podGroupName":"far"}}})");
  answers_.emplace_back("/apis/scheduling.k8s.io/v1alpha2 ", kube::Answer(200, kResources));
  answers_.emplace_back("/apis/scheduling.k8s.io ", Versions("v1alpha2"));
  answers_.emplace_back(
      "/apis/scheduling.k8s.io/v1alpha2/podgroups?",
      List("PodGroup", R"({"metadata":{"name":"far","namespace":"shop"},)"
                       R"("spec":{"schedulingPolicy":{"gang":{"minCount":2}}}})"));
  const Ran ran = Explain({"far"});
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("Why:       1 of 2 members exist\n"));
}

TEST_F(ExplainLiveGang, TellsWhatMayNotBeRead) {
  answers_[3].second = Refusal(403, "podgroups is forbidden: no rights");
  const Ran ran = Explain({"train"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("note: podgroups.scheduling.x-k8s.io are treated as absent: "));
  EXPECT_THAT(ran.err, HasSubstr("podgroups is forbidden: no rights"));
  answers_[0].second = Refusal(403, "nodes is forbidden: no rights");
  EXPECT_THAT(Explain({"train"}).err, HasSubstr("nodes is forbidden: no rights"));
}

std::string EventOf(const std::string& note, const std::string& time, const std::string& more) {
  return fmt::format(
      R"({{"metadata":{{"name":"e","namespace":"shop"}},"reason":"GangWaiting","note":"{}",)"
      R"("eventTime":"{}"{}}})",
      note, time, more);
}

TEST_F(ExplainLiveGang, QuotesWhatTheAgentHasLastTold) {
  answers_.emplace_back(
      "/apis/events.k8s.io/v1/namespaces/shop/events?limit=500&fieldSelector="
      "reportingController%3Doutrigger",
      List("Event",
           EventOf("gang shop/train waits: refused on n1: taints", "2026-11-24T03:00:00.5Z",
                   R"(,"series":{"count":3,"lastObservedTime":"2026-11-24T03:20:00.123456Z"})") +
               "," + EventOf("gang shop/train waits: older", "2026-11-24T03:20:00.023456Z", "") +
               "," + EventOf("gang shop/train-2 waits: another", "2026-11-24T03:30:00Z", "")));
  EXPECT_THAT(
      Explain({"train"}).out,
      HasSubstr("Told:      waits: refused on n1: taints (GangWaiting, 2026-11-24T03:20:00Z)\n"));
  EXPECT_THAT(Explain({"train", "-o", "json"}).out, HasSubstr("\"told\": {\n"));
  EXPECT_THAT(Explain({}).out, Not(HasSubstr("refused")));
}

// Its PodGroup was made again, under the same name.
TEST_F(ExplainLiveGang, QuotesNothingThatWasToldOfAFormerPodGroup) {
  answers_[3].second =
      List("PodGroup",
           R"({"metadata":{"name":"train","namespace":"shop","uid":"u2"},"spec":{"minMember":2}})");
  const auto of = [](const std::string& uid) {
    return fmt::format(R"(,"regarding":{{"kind":"PodGroup","uid":"{}"}})", uid);
  };
  answers_.emplace_back(
      "/events?",
      List("Event",
           EventOf("gang shop/train gave up its places", "2026-11-24T03:20:00Z", of("u1")) + "," +
               EventOf("gang shop/train waits: as it is", "2026-11-24T03:10:00Z", of("u2")) + "," +
               EventOf("gang shop/train waits: for its PodGroup", "2026-11-24T03:30:00Z", "")));
  EXPECT_THAT(Explain({"train"}).out, HasSubstr("Told:      waits: as it is (GangWaiting, "));
}

// Its pods were made again, by the next run of a Job; those of the last one are still there.
TEST_F(ExplainLiveGang, QuotesNothingThatWasToldBeforeItsPodsWereMade) {
  const auto pod = [](const std::string& name, const std::string& created,
                      const std::string& status) {
    return fmt::format(R"({{"metadata":{{"name":"{0}","namespace":"shop","uid":"{0}",)"
                       R"("creationTimestamp":"{1}","labels":{{"podGroup":"far",)"
                       R"("minAvailable":"2"}}}},"spec":{{}},"status":{{{2}}}}})",
                       name, created, status);
  };
  answers_[2].second = List("Pod", pod("a", "2026-11-24T03:20:00Z", "") + "," +
                                       pod("b", "2026-11-23T01:00:00Z", R"("phase":"Succeeded")"));
  answers_.emplace_back(
      "/events?", List("Event", EventOf("gang shop/far gave up", "2026-11-24T03:19:54Z", "")));
  EXPECT_THAT(Explain({"far"}).out, Not(HasSubstr("Told:")));
  answers_.back().second =
      List("Event", EventOf("gang shop/far waits: here", "2026-11-24T03:19:57.5Z", ""));
  EXPECT_THAT(Explain({"far"}).out, HasSubstr("Told:      waits: here")) << "clocks differ";
}

TEST_F(ExplainLiveGang, SaysSoIfItMayNotReadWhatTheAgentHasTold) {
  answers_.emplace_back("/events?", Refusal(403, "events is forbidden: no rights"));
  const Ran ran = Explain({"train"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("note: the agent's Events are not shown: "));
  EXPECT_THAT(ran.err, HasSubstr("events is forbidden: no rights"));
  EXPECT_THAT(ran.out, Not(HasSubstr("Told:")));
}

TEST_F(ExplainLiveGang, LooksInTheNamespaceOfTheContext) {
  answers_[2].second =
      List("Pod", R"({"metadata":{"name":"a","namespace":"lab","labels":{"podGroup":"far",)"
                  R"("minAvailable":"1"}},"spec":{}})");
  EXPECT_THAT(Explain({"far"}).err,
              HasSubstr("no gang far in namespace shop; there is one in namespace lab"));
  EXPECT_THAT(Explain({}).out, HasSubstr("lab        far"));
  EXPECT_THAT(Explain({"-n", "shop"}).out, Not(HasSubstr("far")));
}

}  // namespace
}  // namespace outrigger::cli
