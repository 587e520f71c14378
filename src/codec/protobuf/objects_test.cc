// Nodes and pods that upstream has written in both forms are read the same from both.
#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "codec/json/object_readers.h"
#include "codec/json/parser.h"
#include "codec/protobuf/object_readers.h"
#include "equality.h"
#include "protobuf_testing.h"

namespace outrigger::protobuf {
namespace {

using json::MalformedValue;

struct NamedNeeds {
  const char* name;
  Needs needs;
};

const std::vector<NamedNeeds>& AllNeeds() {
  static const auto& needs = *new std::vector<NamedNeeds>{
      {"All", Needs::All()},
      {"None", Needs()},
      {"NodeLabels", Needs().NodeLabels()},
      {"NodeTaints", Needs().NodeTaints()},
      {"NodeAllocatable", Needs().NodeAllocatable()},
      {"NodeCapacity", Needs().NodeCapacity()},
      {"NodeAnnotations", Needs().NodeAnnotations()},
      {"TwoAnnotations", Needs().NodeAnnotations({"mean-free-cpu", "example.com/key-7"})},
      {"NodeVersion", Needs().NodeVersion()},
      {"PodMetadata", Needs().PodMetadata()},
      {"PodResources", Needs().PodResources()},
      {"PodScheduling", Needs().PodScheduling()},
      {"PodStatus", Needs().PodStatus()},
      {"ClusterPods", Needs().ClusterPods()},
      {"NodeAddresses", Needs().NodeAddresses()},
      {"NodeReady", Needs().NodeReady()},
      {"PodTimes", Needs().PodTimes()},
      {"PodContainerStates", Needs().PodContainerStates()},
      {"PodImages", Needs().PodImages()},
  };
  return needs;
}

// What a reader made of an object.
template <typename T>
struct Outcome {
  std::string status;
  T object;
  std::vector<std::tuple<std::string, std::string, std::string, std::string>> malformed;
};

template <typename T>
void Fill(const absl::Status& status, const std::vector<MalformedValue>& malformed,
          Outcome<T>* outcome) {
  outcome->status = status.ToString();
  outcome->malformed.clear();
  for (const MalformedValue& value : malformed) {
    outcome->malformed.emplace_back(value.node, value.field, value.value, value.accepted);
  }
  std::sort(outcome->malformed.begin(), outcome->malformed.end());
}

absl::Status ReadJson(json::Object object, const json::Path& at, const Needs& needs, Node* node) {
  return json::ReadNode(object, at, needs, node);
}
absl::Status ReadJson(json::Object object, const json::Path& at, const Needs& needs, Pod* pod) {
  return json::ReadPod(object, at, needs, pod);
}
absl::Status ReadProtobuf(std::string_view bytes, const json::Path& at, const Needs& needs,
                          Node* node) {
  return ReadNode(bytes, at, needs, node);
}
absl::Status ReadProtobuf(std::string_view bytes, const json::Path& at, const Needs& needs,
                          Pod* pod) {
  return ReadPod(bytes, at, needs, pod);
}

// Both read into what the outcome holds, so that leftovers of the object before show.
template <typename T>
void FromJson(const Pair& pair, const Needs& needs, Outcome<T>* outcome) {
  const std::string text = pair.json.dump();
  const std::string body = text + std::string(json::kPadding, ' ');
  std::vector<MalformedValue> malformed;
  const json::ParserLease parser;
  json::Object root;
  absl::Status status = parser->Open({body.data(), text.size()}, &root);
  const json::Path at("object", &malformed);
  if (status.ok()) status = ReadJson(root, at.AsObject(), needs, &outcome->object);
  if (status.ok()) status = parser->Close();
  Fill(status, malformed, outcome);
}

template <typename T>
void FromProtobuf(const Pair& pair, const Needs& needs, Outcome<T>* outcome) {
  std::vector<MalformedValue> malformed;
  const json::Path at("object", &malformed);
  const ExactBytes bytes(ObjectOf(pair));
  Fill(ReadProtobuf(bytes, at.AsObject(), needs, &outcome->object), malformed, outcome);
}

struct Counts {
  size_t refused = 0;
  size_t with_malformed = 0;
};

template <typename T>
Counts ExpectSame(const std::string& section) {
  const std::vector<Pair> pairs = PairsOf(section);
  EXPECT_GT(pairs.size(), 50U);
  Counts counts;
  for (const NamedNeeds& row : AllNeeds()) {
    Outcome<T> json;
    Outcome<T> protobuf;
    for (const Pair& pair : pairs) {
      SCOPED_TRACE(pair.name + " for " + row.name);
      FromJson(pair, row.needs, &json);
      FromProtobuf(pair, row.needs, &protobuf);
      EXPECT_EQ(protobuf.status, json.status);
      EXPECT_EQ(protobuf.malformed, json.malformed);
      counts.with_malformed += json.malformed.empty() ? 0 : 1;
      if (json.status == "OK") {
        EXPECT_TRUE(testing::Same(protobuf.object, json.object));
      } else {
        ++counts.refused;
      }
    }
  }
  return counts;
}

TEST(ProtobufObjects, NodesAreReadAsTheirJson) {
  const Counts counts = ExpectSame<Node>("nodes");
  EXPECT_EQ(counts.refused, 0U);
  EXPECT_GT(counts.with_malformed, 10U);
}

TEST(ProtobufObjects, PodsAreReadAsTheirJson) {
  const Counts counts = ExpectSame<Pod>("pods");
  EXPECT_GT(counts.refused, 0U);  // an operator of a selector that nobody knows
  EXPECT_GT(counts.with_malformed, 10U);
}

// The table is no proof of a field that no row has.
TEST(ProtobufObjects, TheTableHasEveryFieldOfStates) {
  Pod all;
  ContainerState states;
  const auto keep = [](std::optional<ContainerEnd>* kept, const std::optional<ContainerEnd>& read) {
    const bool whole = read && read->exit_code != 0 && !read->reason.empty() && read->started > 0 &&
                       read->finished > 0;
    if (whole) *kept = read;
  };
  for (const Pair& pair : PairsOf("pods")) {
    Pod pod;
    const json::Path at("object");
    if (!ReadPod(ObjectOf(pair), at, Needs::All(), &pod).ok()) continue;
    all.start_time = std::max(all.start_time, pod.start_time);
    all.end_time = std::max(all.end_time, pod.end_time);
    all.status_reason += pod.status_reason;
    for (const ContainerState& state : pod.container_states) {
      states.name += state.name;
      states.init |= state.init;
      states.restarts = std::max(states.restarts, state.restarts);
      states.running_since = std::max(states.running_since, state.running_since);
      states.waiting_reason += state.waiting_reason;
      keep(&states.end, state.end);
      keep(&states.last_end, state.last_end);
    }
  }
  EXPECT_TRUE(all.start_time > 0 && all.end_time > 0 && !all.status_reason.empty());
  EXPECT_TRUE(!states.name.empty() && states.init && !states.waiting_reason.empty());
  EXPECT_TRUE(states.restarts > 0 && states.running_since > 0);
  EXPECT_TRUE(states.end.has_value() && states.last_end.has_value());
}

TEST(ProtobufObjects, TheTableHasEveryReadyAndAddresses) {
  std::set<ConditionStatus> seen;
  size_t addresses = 0;
  for (const Pair& pair : PairsOf("nodes")) {
    Node node;
    const json::Path at("object");
    ASSERT_THAT(ReadNode(ObjectOf(pair), at, Needs::All(), &node), IsOk());
    seen.insert(node.ready);
    for (const NodeAddress& address : node.addresses) {
      addresses += !address.type.empty() && !address.address.empty() ? 1 : 0;
    }
  }
  EXPECT_EQ(seen.size(), 3U);
  EXPECT_GT(addresses, 5U);
}

TEST(ProtobufObjects, TheTableHasEveryField) {
  Pod all;
  for (const Pair& pair : PairsOf("pods")) {
    Pod pod;
    const json::Path at("object");
    if (!ReadPod(ObjectOf(pair), at, Needs::All(), &pod).ok()) continue;
    const auto keep = [](auto& kept, const auto& read) {
      if (!(read.empty())) kept = read;
    };
    keep(all.containers, pod.containers);
    keep(all.init_containers, pod.init_containers);
    keep(all.overhead, pod.overhead);
    keep(all.nominated_node_name, pod.nominated_node_name);
    keep(all.priority_class_name, pod.priority_class_name);
    keep(all.affinity.preferred_node, pod.affinity.preferred_node);
    keep(all.affinity.preferred_pod, pod.affinity.preferred_pod);
    keep(all.affinity.preferred_pod_anti, pod.affinity.preferred_pod_anti);
    keep(all.affinity.required_pod, pod.affinity.required_pod);
    keep(all.affinity.required_pod_anti, pod.affinity.required_pod_anti);
    keep(all.scheduling_gates, pod.scheduling_gates);
    keep(all.host_ports, pod.host_ports);
    keep(all.topology_spread, pod.topology_spread);
    keep(all.scheduling_group, pod.scheduling_group);
    keep(all.claims, pod.claims);
    keep(all.resource_claims, pod.resource_claims);
    keep(all.unscheduled_message, pod.unscheduled_message);
    keep(all.container_statuses, pod.container_statuses);
    keep(all.init_container_statuses, pod.init_container_statuses);
    keep(all.status_allocated, pod.status_allocated);
    if (pod.pod_requests) all.pod_requests = pod.pod_requests;
    if (pod.status_requests) all.status_requests = pod.status_requests;
    if (pod.controller && !pod.controller->api_version.empty()) all.controller = pod.controller;
    if (pod.affinity.required_node) all.affinity.required_node = pod.affinity.required_node;
    all.being_deleted |= pod.being_deleted;
    all.scheduled_time = std::max(all.scheduled_time, pod.scheduled_time);
    all.never_preempts |= pod.never_preempts;
    all.resize_infeasible |= pod.resize_infeasible;
  }
  EXPECT_TRUE(!all.containers.empty() && !all.init_containers.empty() && !all.overhead.empty());
  EXPECT_TRUE(!all.nominated_node_name.empty() && !all.priority_class_name.empty());
  EXPECT_TRUE(!all.affinity.preferred_node.empty() && all.affinity.required_node.has_value());
  EXPECT_TRUE(!all.affinity.preferred_pod.empty() && !all.affinity.required_pod.empty());
  EXPECT_TRUE(!all.affinity.preferred_pod_anti.empty() && !all.affinity.required_pod_anti.empty());
  EXPECT_GT(all.scheduled_time, 0);
  EXPECT_TRUE(!all.scheduling_gates.empty() && !all.unscheduled_message.empty());
  EXPECT_TRUE(!all.container_statuses.empty() && !all.init_container_statuses.empty());
  EXPECT_TRUE(!all.status_allocated.empty() && all.status_requests.has_value());
  EXPECT_TRUE(all.pod_requests.has_value() && all.controller.has_value());
  EXPECT_FALSE(all.controller->api_version.empty());
  EXPECT_TRUE(!all.host_ports.empty() && !all.topology_spread.empty() && all.never_preempts);
  EXPECT_TRUE(!all.scheduling_group.empty() && !all.claims.empty() && !all.resource_claims.empty());
  EXPECT_TRUE(all.being_deleted && all.resize_infeasible);
}

}  // namespace
}  // namespace outrigger::protobuf
