#include "lab/nodes/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "kube/watch/reflect_testing.h"
#include "lab/nodes/nodes_testing.h"

namespace outrigger::lab {
namespace {

constexpr const char* kPods = "/api/v1/pods";

std::string BoundPodJson(std::string_view name, std::string_view annotations = "{}") {
  return fmt::format(
      R"({{"kind":"Pod","metadata":{{"name":"{0}","namespace":"d","uid":"u-{0}",)"
      R"("resourceVersion":"2","annotations":{1}}},"spec":{{"nodeName":"node-0000","containers":)"
      R"([{{"name":"main","image":"pause:1","resources":{{"requests":{{"cpu":"1"}}}}}}]}},)"
      R"("status":{{"phase":"Pending"}}}})",
      name, annotations);
}

/// Whether `condition` comes true within a minute.
template <typename Condition>
bool Soon(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  return condition();
}

TEST(NodeSimulator, RunsPodsOfItsNodes) {
  FakeClusterApi api;
  api.objects.Put("/api/v1/namespaces/d/pods/p", {{"metadata", {{"name", "p"}}}});
  api.objects.Put("/api/v1/namespaces/d/pods/q", {{"metadata", {{"name", "q"}}}});
  api.streams.Answer(
      kPods,
      kube::EventOf("ADDED", BoundPodJson("p", R"({"lab.outrigger.dev/duration":"10ms"})")) +
          kube::EventOf("ADDED", BoundPodJson("q", R"({"lab.outrigger.dev/duration":"later"})")) +
          kube::InitialEnd(5));
  NodeSimulatorOptions options;
  options.writers = 2;
  const auto simulator = NodeSimulator::Start(&api, MustNodes("20,cpu=2"), std::move(options));
  EXPECT_TRUE(simulator->AwaitReady({}));
  EXPECT_TRUE(
      Soon([&] { return api.At("/api/v1/namespaces/d/pods/p", "/status/phase") == "Succeeded"; }));
  EXPECT_TRUE(
      Soon([&] { return api.At("/api/v1/namespaces/d/pods/q", "/status/phase") == "Running"; }));
  EXPECT_EQ(api.At("/api/v1/namespaces/d/pods/q", "/status/containerStatuses/0/image"), "pause:1");
  const NodeSimulatorStats stats = simulator->stats();
  EXPECT_EQ(stats.nodes_ready, 20U);
  EXPECT_EQ(stats.pods_running, 1U);
  EXPECT_EQ(stats.pods.ended, 1U);
  EXPECT_TRUE(simulator->States().front().synced);
  EXPECT_TRUE(Soon([&] {
    return api.Count("POST /apis/events.k8s.io/v1/namespaces/d/events") == 1;
  })) << "about the annotation of q";
  simulator->Stop();
  simulator->Stop();
}

TEST(NodeSimulator, EndsWhileNothingCanBeWritten) {
  FakeClusterApi api;
  api.objects.before = [](const kube::ApiRequest&) { return absl::UnavailableError("no route"); };
  const auto simulator = NodeSimulator::Start(&api, MustNodes("50"), {});
  EXPECT_EQ(simulator->stats().nodes_ready, 0U);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(simulator->AwaitReady(stop.get_token()));
}

}  // namespace
}  // namespace outrigger::lab
