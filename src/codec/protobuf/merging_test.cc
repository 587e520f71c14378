// What protobuf allows and no server of Kubernetes sends: fields in any order, in parts, again.
#include <string>

#include "codec/protobuf/object_readers.h"
#include "protobuf_testing.h"

namespace outrigger::protobuf {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

Pod PodOf(const Message& message, std::vector<json::MalformedValue>* malformed = nullptr) {
  Pod pod;
  const ExactBytes bytes(message.bytes);
  const json::Path at("Pod", malformed);
  EXPECT_THAT(ReadPod(bytes, at.AsObject(), Needs::All(), &pod), IsOk());
  return pod;
}

Node NodeOf(const Message& message, std::vector<json::MalformedValue>* malformed = nullptr) {
  Node node;
  const ExactBytes bytes(message.bytes);
  const json::Path at("Node", malformed);
  EXPECT_THAT(ReadNode(bytes, at.AsObject(), Needs::All(), &node), IsOk());
  return node;
}

TEST(ProtobufParts, OfAMessageAreMerged) {
  const Pod pod = PodOf(
      Message()
          .Nested(2, Message().Text(10, "old").Nested(2, Message().Text(1, "a")).Entry(7, "z", "1"))
          .Nested(1, Message().Text(1, "web"))
          .Nested(2, Message().Text(10, "n1").Nested(2, Message().Text(1, "b")).Entry(7, "c", "2"))
          .Nested(1, Message().Text(3, "shop")));
  EXPECT_EQ(pod.name, "web");
  EXPECT_EQ(pod.namespace_, "shop");
  EXPECT_EQ(pod.node_name, "n1");
  EXPECT_THAT(pod.node_selector, ElementsAre(Pair("c", "2"), Pair("z", "1")));
  EXPECT_THAT(pod.containers,
              ElementsAre(Field(&Container::name, "a"), Field(&Container::name, "b")));
}

TEST(ProtobufParts, OfOptionalMessagesAreMerged) {
  const auto with_selector = [](const Message& selector) {
    return Message().Nested(2, Message().Nested(1, Message().Nested(1, selector)));
  };
  const Message affinity = Message()
                               .Nested(18, with_selector(Message().Entry(1, "b", "1")))
                               .Nested(18, with_selector(Message().Entry(1, "a", "2")));
  // Two elements, since each part has one of its own.
  EXPECT_THAT(PodOf(Message().Nested(2, affinity)).affinity.required_pod, SizeIs(2));

  const Message term = Message()
                           .Nested(1, Message().Entry(1, "b", "1"))
                           .Nested(1, Message().Entry(1, "a", "2").Entry(1, "b", "3"));
  const Pod pod = PodOf(
      Message().Nested(2, Message().Nested(18, Message().Nested(2, Message().Nested(1, term)))));
  ASSERT_THAT(pod.affinity.required_pod, SizeIs(1));
  EXPECT_THAT(pod.affinity.required_pod[0].label_selector->match_labels,
              ElementsAre(Pair("a", "2"), Pair("b", "3")));
}

TEST(ProtobufParts, KeepCountingTheirLists) {
  std::vector<json::MalformedValue> malformed;
  const Message taint = Message().Text(3, "NoAdmit");
  NodeOf(Message()
             .Nested(2, Message().Nested(5, taint).Nested(5, Message().Text(3, "NoExecute")))
             .Nested(2, Message().Nested(5, taint))
             .Nested(1, Message().Text(1, "n1")),
         &malformed);
  EXPECT_THAT(malformed, ElementsAre(Field(&json::MalformedValue::field, "spec.taints[0].effect"),
                                     Field(&json::MalformedValue::field, "spec.taints[2].effect")));
  EXPECT_THAT(malformed, ::testing::Each(Field(&json::MalformedValue::node, "n1")));
}

TEST(ProtobufParts, OfVolumesAndTheirSourcesAreMerged) {
  const auto with_source = [](const Message& source) {
    return Message().Nested(1, Message().Text(1, "data").Nested(2, source).Nested(2, Message()));
  };
  const auto claims = [](const Message& spec) {
    return PodOf(Message().Nested(2, spec).Nested(1, Message().Text(1, "web"))).claims;
  };
  const Message claim = Message().Nested(10, Message().Text(1, "old").Text(1, "new"));
  EXPECT_THAT(claims(with_source(claim)), ElementsAre("new"));
  const Message in_parts = Message().Bytes(claim.bytes).Nested(10, Message());
  EXPECT_THAT(claims(with_source(in_parts)), ElementsAre("new"));
  EXPECT_THAT(claims(with_source(Message().Nested(29, Message()))), ElementsAre("web-data"));
  EXPECT_THAT(claims(with_source(Message().Nested(29, Message()).Bytes(claim.bytes))),
              ElementsAre("new"));
}

TEST(ProtobufParts, TheLastPreemptionPolicyCounts) {
  const Message never = Message().Text(31, "Never");
  EXPECT_TRUE(PodOf(Message().Nested(2, never).Nested(2, Message())).never_preempts);
  EXPECT_FALSE(
      PodOf(Message().Nested(2, never).Nested(2, Message().Text(31, "PreemptLowerPriority")))
          .never_preempts);
}

TEST(ProtobufParts, TheFirstResizeConditionCountsWhereverItStands) {
  const auto condition = [](const char* reason) {
    return Message().Nested(2, Message().Text(1, "PodResizePending").Text(5, reason));
  };
  EXPECT_FALSE(PodOf(Message().Nested(3, condition("Deferred")).Nested(3, condition("Infeasible")))
                   .resize_infeasible);
  EXPECT_TRUE(PodOf(Message().Nested(3, condition("Infeasible")).Nested(3, condition("Deferred")))
                  .resize_infeasible);
}

TEST(ProtobufMaps, TakeTheLastOfEqualKeys) {
  const Node node = NodeOf(Message()
                               .Nested(1, Message().Entry(11, "a", "1").Entry(11, "a", "2"))
                               .Nested(3, Message().Amount(1, "cpu", "1").Amount(1, "cpu", "2")));
  EXPECT_EQ(node.labels.Get("a"), "2");
  EXPECT_EQ(node.capacity.Get("cpu").Value(), 2);
}

// "a" before "b", as all of the SDK takes for granted.
template <typename Map>
void ExpectInOrder(const char* name, const Map& map) {
  SCOPED_TRACE(name);
  ASSERT_THAT(map, SizeIs(2));
  EXPECT_TRUE(map.begin()->name == "a" && (map.begin() + 1)->name == "b");
}
void ExpectInOrder(const char* name, const StringMap& map) {
  SCOPED_TRACE(name);
  EXPECT_THAT(map, ElementsAre(Pair("a", "1"), Pair("b", "2")));
}

Message Texts(uint32_t number) {
  return Message().Entry(number, "b", "2").Entry(number, "a", "1");
}
Message Amounts(uint32_t number) {
  return Message().Amount(number, "b", "2").Amount(number, "a", "1");
}

TEST(ProtobufMaps, OfNodesAreInOrder) {
  const Node node = NodeOf(Message()
                               .Nested(1, Texts(11).Bytes(Texts(12).bytes))
                               .Nested(3, Amounts(1).Bytes(Amounts(2).bytes)));
  ExpectInOrder("labels", node.labels);
  ExpectInOrder("annotations", node.annotations);
  ExpectInOrder("capacity", node.capacity);
  ExpectInOrder("allocatable", node.allocatable);
}

TEST(ProtobufMaps, OfPodsAreInOrder) {
  const Message container = Message().Nested(8, Amounts(1).Bytes(Amounts(2).bytes));
  const Message state = Message().Nested(11, Amounts(2)).Bytes(Amounts(10).bytes);
  const Message term = Message().Nested(1, Texts(1)).Nested(4, Texts(1));
  const Message affinity = Message().Nested(1, term).Nested(2, Message().Nested(2, term));
  const Pod pod = PodOf(Message()
                            .Nested(1, Texts(11).Bytes(Texts(12).bytes))
                            .Nested(2, Texts(7)
                                           .Bytes(Amounts(32).bytes)
                                           .Nested(2, container)
                                           .Nested(33, Message().Nested(4, Texts(1)))
                                           .Nested(40, Amounts(1).Bytes(Amounts(2).bytes))
                                           .Nested(18, Message().Nested(2, affinity)))
                            .Nested(3, Amounts(19).Nested(8, state).Nested(20, Amounts(2))));
  ExpectInOrder("labels", pod.labels);
  ExpectInOrder("annotations", pod.annotations);
  ExpectInOrder("nodeSelector", pod.node_selector);
  ExpectInOrder("overhead", pod.overhead);
  ExpectInOrder("requests", pod.containers.at(0).requests);
  ExpectInOrder("limits", pod.containers.at(0).limits);
  ExpectInOrder("pod requests", *pod.pod_requests);
  ExpectInOrder("pod limits", *pod.pod_limits);
  ExpectInOrder("labelSelector", pod.affinity.required_pod.at(0).label_selector->match_labels);
  ExpectInOrder("spread", pod.topology_spread.at(0).label_selector->match_labels);
  const PodAffinityTerm& preferred = pod.affinity.preferred_pod.at(0).term;
  ExpectInOrder("labelSelector", preferred.label_selector->match_labels);
  ExpectInOrder("namespaceSelector", preferred.namespace_selector->match_labels);
  ExpectInOrder("container status", pod.container_statuses.at(0).requests.value());
  ExpectInOrder("allocated", pod.container_statuses.at(0).allocated);
  ExpectInOrder("status requests", *pod.status_requests);
  ExpectInOrder("status allocated", pod.status_allocated);
}

TEST(ProtobufMaps, ReadAbsentPartsOfEntriesAsGoDoes) {
  const Node node = NodeOf(
      Message()
          .Nested(1, Message().Nested(11, Message()).Nested(11, Message().Text(1, "no value")))
          .Nested(3, Message()
                         .Nested(1, Message().Text(1, "cpu"))
                         .Nested(1, Message().Text(1, "gpu").Nested(2, Message()))));
  EXPECT_THAT(node.labels, ElementsAre(Pair("", ""), Pair("no value", "")));
  EXPECT_THAT(node.capacity, SizeIs(2));
  EXPECT_TRUE(node.capacity.Get("cpu").IsZero());
}

TEST(ProtobufAmounts, ThatAreMalformedAreListed) {
  std::vector<json::MalformedValue> malformed;
  const Node node = NodeOf(Message()
                               .Nested(3, Message().Amount(2, "cpu", "abc").Amount(2, "b", ""))
                               .Nested(1, Message().Text(1, "n1")),
                           &malformed);
  EXPECT_THAT(node.allocatable, IsEmpty());
  ASSERT_THAT(malformed, SizeIs(2));
  EXPECT_EQ(malformed[0].node, "n1");
  EXPECT_EQ(malformed[0].field, "status.allocatable.cpu");
  EXPECT_EQ(malformed[0].value, "abc");
  EXPECT_EQ(malformed[0].accepted, "a quantity such as 250m, 1.5Gi or 2e3");
  EXPECT_EQ(malformed[1].value, "");
}

TEST(ProtobufTimes, ThatJsonCannotSayAreListed) {
  std::vector<json::MalformedValue> malformed;
  const Message late = Message().Number(1, 253'402'300'800);
  const Pod pod = PodOf(Message().Nested(1, Message().Nested(8, late).Nested(9, late)), &malformed);
  EXPECT_EQ(pod.creation_time, 0);
  EXPECT_TRUE(pod.being_deleted);
  ASSERT_THAT(malformed, SizeIs(2));
  EXPECT_EQ(malformed[0].field, "metadata.creationTimestamp");
  EXPECT_EQ(malformed[0].value, "253402300800");
  EXPECT_EQ(malformed[1].field, "metadata.deletionTimestamp");
}

TEST(ProtobufNumbers, AreReadInAllTheirLengths) {
  // 128 as a bool: its first byte says nothing yet.
  const std::string zero_in_two_bytes("\x20\x80\x00", 3);
  EXPECT_FALSE(NodeOf(Message().Nested(2, Message().Bytes(zero_in_two_bytes))).unschedulable);
  EXPECT_TRUE(NodeOf(Message().Nested(2, Message().Number(4, 128))).unschedulable);
  EXPECT_EQ(PodOf(Message().Nested(2, Message().Number(25, UINT64_MAX))).priority, -1);
  EXPECT_EQ(PodOf(Message().Nested(2, Message().Number(25, UINT64_MAX - 1))).priority, -2);
}

TEST(ProtobufParts, OfContainerStatesAreMerged) {
  const auto time = [](uint64_t seconds) { return Message().Number(1, seconds); };
  const Message end = Message().Number(1, 2).Text(3, "Error").Nested(6, time(1'768'464'009));
  const Message status = Message()
                             .Nested(2, Message().Nested(3, end))
                             .Nested(2, Message().Nested(3, Message().Number(1, 7)))
                             .Nested(3, Message().Nested(3, end))
                             .Text(1, "main")
                             .Number(5, 1)
                             .Number(5, 4);
  const Pod pod = PodOf(Message()
                            .Nested(3, Message().Nested(8, status))
                            .Nested(3, Message().Nested(10, Message().Text(1, "init")))
                            .Nested(3, Message().Text(1, "Failed").Nested(7, time(5)))
                            .Nested(3, Message().Nested(8, Message()).Nested(7, time(6))));
  EXPECT_EQ(pod.start_time, 6);
  EXPECT_EQ(pod.end_time, 1'768'464'009);
  const ContainerEnd last{2, "Error", 0, 1'768'464'009};
  EXPECT_THAT(pod.container_states,
              ElementsAre(ContainerState{.name = "init", .init = true},
                          ContainerState{.name = "main",
                                         .restarts = 4,
                                         .end = ContainerEnd{7, "Error", 0, 1'768'464'009},
                                         .last_end = last},
                          ContainerState{}));
}

TEST(ProtobufParts, OfReadyAreReadInTheirOrder) {
  const auto ready = [](std::string_view status) {
    return Message().Nested(4, Message().Text(1, "Ready").Text(2, status));
  };
  const Node node = NodeOf(Message()
                               .Nested(3, ready("False"))
                               .Nested(3, Message().Nested(5, Message().Text(2, "10.0.0.1")))
                               .Nested(3, ready("True"))
                               .Nested(3, Message().Nested(5, Message().Text(1, "Hostname"))));
  EXPECT_EQ(node.ready, ConditionStatus::kFalse) << "the first counts";
  EXPECT_THAT(node.addresses,
              ElementsAre(NodeAddress{"", "10.0.0.1"}, NodeAddress{"Hostname", ""}));
}

// No version from 1.36 on has the field, so the tables of oracles have no row with it.
TEST(ProtobufFields, HaveTheWorkloadOfKubernetes135) {
  const Message workload = Message().Text(1, "w").Text(2, "workers").Text(3, "1");
  EXPECT_EQ(PodOf(Message().Nested(2, Message().Nested(42, workload))).workload, "w");
}

TEST(ProtobufFields, ThatNobodyKnowsAreSteppedOver) {
  const Message unknown =
      Message().Fixed32(900).Fixed64(901).Number(902, 1U << 30U).Text(536'870'911, "\xff");
  Message node = unknown;
  node.Nested(1, Message(unknown).Text(1, "n1").Entry(11, "a", "b"))
      .Nested(2, Message(unknown).Nested(5, Message(unknown).Text(3, "NoExecute")))
      .Nested(3, Message(unknown).Nested(
                     1, Message(unknown).Text(1, "cpu").Nested(2, Message(unknown).Text(1, "4"))));
  const Node read = NodeOf(node);
  EXPECT_EQ(read.name, "n1");
  EXPECT_EQ(read.labels.Get("a"), "b");
  EXPECT_THAT(read.taints, SizeIs(1));
  EXPECT_EQ(read.capacity.Get("cpu").Value(), 4);
}

TEST(ProtobufNodes, KeepNothingOfTheOneBefore) {
  Node node;
  const json::Path at("Node");
  ASSERT_THAT(ReadNode(ObjectNamed("nodes", "whole"), at, Needs::All(), &node), IsOk());
  ASSERT_THAT(node.labels, SizeIs(3));
  node.known = false;
  node.revision = 7;
  ASSERT_THAT(ReadNode("", at, Needs::All(), &node), IsOk());
  EXPECT_EQ(node.name, "");
  EXPECT_THAT(node.labels, IsEmpty());
  EXPECT_THAT(node.capacity, IsEmpty());
  EXPECT_TRUE(node.known);
  EXPECT_EQ(node.revision, 0U);
}

}  // namespace
}  // namespace outrigger::protobuf
