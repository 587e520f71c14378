#include "pod_from_testing.h"

// What pods do to each other, and what their claims ask of a node.

namespace outrigger::json {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Pod Scheduled(std::string_view json) {
  std::vector<MalformedValue> malformed;
  Pod pod = PodFrom(json, Needs().PodScheduling(), &malformed);
  EXPECT_THAT(malformed, IsEmpty());
  return pod;
}

std::vector<std::string> PortsOf(const Pod& pod) {
  std::vector<std::string> ports;
  for (const HostPort& port : pod.host_ports) {
    ports.push_back(port.ip + "/" + port.protocol + "/" + std::to_string(port.port));
  }
  return ports;
}

TEST(PodSpec, HostPortsAreThoseOfWhatKeepsRunning) {
  const Pod pod = Scheduled(R"({"spec":{"containers":[
      {"name":"a","ports":[{"containerPort":80,"hostPort":8080},{"containerPort":81},
        {"hostPort":53,"hostIP":"127.0.0.1","protocol":"UDP"},{"hostPort":0},{"hostPort":-1}]},
      null,{"name":"b","ports":[null,{"hostPort":90,"protocol":"","hostIP":""}]}],
    "initContainers":[{"ports":[{"hostPort":1}]},
      {"ports":[{"hostPort":2}],"restartPolicy":"Always"}]}})");
  EXPECT_THAT(PortsOf(pod), ElementsAre("/TCP/2", "/TCP/8080", "127.0.0.1/UDP/53", "/TCP/90"));
  EXPECT_THAT(pod.containers, IsEmpty());  // they are asked for by PodResources()
}

TEST(PodSpec, TopologySpreadHasUpstreamsDefaults) {
  const Pod pod = Scheduled(R"({"spec":{"topologySpreadConstraints":[
      {"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"},
      {"maxSkew":3,"topologyKey":"host","whenUnsatisfiable":"ScheduleAnyway","minDomains":4,
       "labelSelector":{"matchLabels":{"a":"b"}},"nodeAffinityPolicy":"Ignore",
       "nodeTaintsPolicy":"Honor","matchLabelKeys":["x","y"]}]}})");
  ASSERT_EQ(pod.topology_spread.size(), 2U);
  const TopologySpreadConstraint& bare = pod.topology_spread[0];
  EXPECT_TRUE(bare.max_skew == 1 && bare.topology_key == "zone" && bare.hard);
  EXPECT_TRUE(!bare.label_selector.has_value() && !bare.min_domains.has_value());
  EXPECT_TRUE(bare.honor_affinity && !bare.honor_taints && bare.match_label_keys.empty());
  const TopologySpreadConstraint& full = pod.topology_spread[1];
  EXPECT_TRUE(full.max_skew == 3 && full.topology_key == "host" && !full.hard);
  EXPECT_EQ(full.min_domains, 4);
  EXPECT_TRUE(full.label_selector->Matches({{"a", "b"}}));
  EXPECT_TRUE(!full.honor_affinity && full.honor_taints);
  EXPECT_THAT(full.match_label_keys, ElementsAre("x", "y"));
}

TEST(PodSpec, ClaimsAreThoseOfItsVolumes) {
  const Pod pod = Scheduled(R"({"spec":{"volumes":[
      {"name":"data","persistentVolumeClaim":{"claimName":"data-web-0"}},
      {"name":"tmp","emptyDir":{}},{"name":"scratch","ephemeral":{"volumeClaimTemplate":{}}},
      {"name":"both","ephemeral":{},"persistentVolumeClaim":{"claimName":"c"}},null]},
    "metadata":{"name":"web-0"}})");
  EXPECT_THAT(pod.claims, ElementsAre("data-web-0", "web-0-scratch", "c"));
}

TEST(PodSpec, ClaimsOfTemplatesAreNamedByTheStatus) {
  const Pod pod =
      Scheduled(R"({"status":{"resourceClaimStatuses":[{"name":"unused","resourceClaimName":"u"},
      {"name":"gpu","resourceClaimName":"web-gpu-x"},{"name":"gpu","resourceClaimName":"later"},
      {"name":"own","resourceClaimName":"not this"},{"name":"none"}]},
    "spec":{"resourceClaims":[{"name":"own","resourceClaimName":"mine"},
      {"name":"gpu","resourceClaimTemplateName":"t"},{"name":"none","resourceClaimTemplateName":"t"},
      {"name":"not yet","resourceClaimTemplateName":"t"}]}})");
  EXPECT_THAT(pod.resource_claims, ElementsAre("mine", "web-gpu-x"));
}

TEST(PodSpec, PreemptionPolicyAndSchedulingGroup) {
  const Pod pod = Scheduled(
      R"({"spec":{"preemptionPolicy":"Never","schedulingGroup":{"podGroupName":"train"}}})");
  EXPECT_TRUE(pod.never_preempts);
  EXPECT_EQ(pod.scheduling_group, "train");
  const Pod other = Scheduled(R"({"spec":{"preemptionPolicy":"PreemptLowerPriority"}})");
  EXPECT_FALSE(other.never_preempts);
}

TEST(PodSpec, WorkloadRefOfKubernetes135) {
  const Pod pod = Scheduled(
      R"({"spec":{"workloadRef":{"name":"w","podGroup":"workers","podGroupReplicaKey":"1"}}})");
  EXPECT_EQ(pod.workload, "w");
  EXPECT_EQ(Scheduled(R"({"spec":{"workloadRef":null}})").workload, "");
}

TEST(PodSpec, ImagesAreThoseOfAllContainers) {
  std::vector<MalformedValue> malformed;
  const Pod pod = PodFrom(R"({"spec":{"containers":[{"name":"a","image":"web:2"},{"name":"b"},
      {"image":"proxy:1"}],"initContainers":[{"image":"setup:1"},{"image":"web:2"}]}})",
                          Needs().PodImages(), &malformed);
  EXPECT_THAT(pod.images, ElementsAre("proxy:1", "setup:1", "web:2"));
}

TEST(PodSpec, IsSkippedUnlessNeeded) {
  std::vector<MalformedValue> malformed;
  const Pod pod = PodFrom(R"({"spec":{"preemptionPolicy":"Never",
      "containers":[{"name":"a","ports":[{"hostPort":1}]}],"resourceClaims":[{"resourceClaimName":"c"}],
      "topologySpreadConstraints":[{}],"schedulingGroup":{"podGroupName":"g"},"workloadRef":{"name":"w"},
      "volumes":[{"persistentVolumeClaim":{"claimName":"c"}}]}})",
                          Needs().PodMetadata().PodResources().PodStatus(), &malformed);
  EXPECT_EQ(pod.containers.size(), 1U);
  EXPECT_TRUE(pod.host_ports.empty() && pod.topology_spread.empty() && !pod.never_preempts);
  EXPECT_TRUE(pod.claims.empty() && pod.resource_claims.empty() && pod.scheduling_group.empty());
  EXPECT_EQ(pod.workload, "");
}

}  // namespace
}  // namespace outrigger::json
