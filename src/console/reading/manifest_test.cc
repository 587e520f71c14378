#include "console/reading/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "console/explain_testing.h"

namespace outrigger::cli {
namespace {

using ::outrigger::testing::Ran;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Read {
  std::vector<Pod> pods;
  std::vector<std::string> notes;
};

Read ReadGood(const std::string& text) {
  Read read;
  auto pods = ReadManifest("f.yaml", text, &read.notes);
  EXPECT_TRUE(pods.ok()) << pods.status();
  if (pods.ok()) read.pods = *std::move(pods);
  return read;
}

std::vector<std::string> Names(const std::vector<Pod>& pods) {
  std::vector<std::string> names;
  for (const Pod& pod : pods) names.push_back(pod.namespace_ + "/" + pod.name);
  return names;
}

TEST(Manifest, HasAPodForEachTemplate) {
  const Read read = ReadGood(R"(
apiVersion: v1
kind: Pod
metadata: {name: pod, namespace: shop}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}
---
apiVersion: v1
kind: List
items:
- kind: CronJob
  metadata: {name: nightly}
  spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: c}]}}}}}
- kind: PodTemplate
  metadata: {name: template}
  template: {spec: {containers: [{name: c}]}}
- kind: Service
  metadata: {name: web}
)");
  EXPECT_THAT(Names(read.pods), ElementsAre("shop/pod", "shop/web", "/nightly", "/template"));
  EXPECT_EQ(read.pods[1].labels.Get("app"), "web");
  EXPECT_EQ(read.pods[1].containers[0].requests.Get("cpu"), Quantity::FromInt(1));
  EXPECT_EQ(read.notes.back(), "f.yaml: no pods are in 1 Service");
}

TEST(Manifest, TakesRequestsFromLimits) {
  const Read read = ReadGood(R"(
kind: Pod
metadata: {name: big}
spec:
  containers:
  - {name: c, resources: {limits: {cpu: 6, memory: 20Gi, nvidia.com/gpu: 1}, requests: {cpu: 2}}}
  initContainers:
  - {name: i, resources: {limits: {cpu: 1}}}
)");
  const ResourceList& requests = read.pods[0].containers[0].requests;
  EXPECT_EQ(requests.Get("cpu"), Quantity::FromInt(2)) << "a request that is there stays";
  EXPECT_EQ(requests.Get("nvidia.com/gpu"), Quantity::FromInt(1));
  EXPECT_EQ(requests.Get("memory"), Quantity::FromInt(int64_t{20} << 30));
  EXPECT_EQ(read.pods[0].init_containers[0].requests.Get("cpu"), Quantity::FromInt(1));
  EXPECT_THAT(read.notes,
              ElementsAre("pod big: as the API server does: requests of cpu, memory, "
                          "nvidia.com/gpu from limits; QoS class Burstable; tolerations of "
                          "not-ready, unreachable, memory-pressure"));
}

TEST(Manifest, TakesLimitsOfTheWholePodWhereNoContainerAsks) {
  const Read read = ReadGood(R"(
kind: Pod
metadata: {name: whole}
spec:
  resources: {limits: {cpu: 4, memory: 1Gi}}
  containers: [{name: c, resources: {requests: {cpu: 1}}}]
)");
  EXPECT_EQ(read.pods[0].pod_requests->Find("cpu"), nullptr);
  EXPECT_EQ(read.pods[0].pod_requests->Get("memory"), Quantity::FromInt(int64_t{1} << 30));
}

struct QosRow {
  const char* resources;
  const char* expected;
};

TEST(Manifest, GivesTheQosClass) {
  const QosRow rows[] = {
      {"", "BestEffort"},
      {"limits: {nvidia.com/gpu: 1}", "BestEffort"},
      {"requests: {cpu: 1}", "Burstable"},
      {"limits: {cpu: 1}", "Burstable"},
      {"limits: {cpu: 1, memory: 1Gi}", "Guaranteed"},
      {"limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 500m}", "Burstable"},
  };
  for (const QosRow& row : rows) {
    const Read read = ReadGood(std::string("kind: Pod\nmetadata: {name: p}\nspec: {containers: "
                                           "[{name: c, resources: {") +
                               row.resources + "}}]}\n");
    EXPECT_EQ(read.pods[0].qos_class, row.expected) << row.resources;
  }
}

TEST(Manifest, GivesTolerationsThatAreNotThere) {
  const Read read = ReadGood(R"(
kind: Pod
metadata: {name: p}
spec:
  tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists}]
  containers: [{name: c}]
)");
  EXPECT_THAT(read.notes, ElementsAre("pod p: as the API server does: QoS class BestEffort; "
                                      "tolerations of unreachable"));
  EXPECT_EQ(read.pods[0].tolerations.size(), 2U);
}

TEST(Manifest, GivesThePriorityOfABuiltInClass) {
  const Read known =
      ReadGood("kind: Pod\nmetadata: {name: p}\nspec: {priorityClassName: system-node-critical}\n");
  EXPECT_EQ(known.pods[0].priority, 2'000'001'000);
  EXPECT_THAT(known.notes[0], HasSubstr("priority 2000001000 of class system-node-critical"));
  const Read other = ReadGood("kind: Pod\nmetadata: {name: p}\nspec: {priorityClassName: high}\n");
  EXPECT_THAT(other.notes[0], HasSubstr("priority 0, since class high is not looked up"));
}

TEST(Manifest, WhatAnApiServerHasFilledInStays) {
  Pod pod = ReadGood("kind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}]}\n").pods[0];
  EXPECT_EQ(ApplyDefaults(&pod), "");
}

TEST_F(ExplainPod, OfAManifestExplainsEachPod) {
  const Ran ran = Explain({"-f", "-"}, {{}, R"(
kind: Pod
metadata: {name: a}
---
kind: Job
metadata: {name: b}
spec: {template: {spec: {containers: [{name: c, resources: {limits: {cpu: 2}}}]}}}
)"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Pod:       default/a\nRequests:  none\n"));
  EXPECT_THAT(ran.out, HasSubstr("\n\nPod:       default/b\nRequests:  cpu 2\n"));
  EXPECT_THAT(ran.err,
              HasSubstr("note: pod b: as the API server does: requests of cpu from limits"));
}

}  // namespace
}  // namespace outrigger::cli
