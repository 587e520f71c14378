#include <string>

#include "builders.h"
#include "wire_testing.h"

// What is read of pods and nodes, on a call in which every field is set (recorded from Go).

namespace outrigger::wire {
namespace {

using ::outrigger::testing::Q;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class EveryField : public ::testing::Test {
 protected:
  void Decode(const Needs& needs) {
    body_ = GoldenBytes("requests/filter_every.json");
    ASSERT_THAT(DecodeArgs(body_, needs, &args_), IsOk());
    ASSERT_EQ(args_.nodes.size(), 1U);
    EXPECT_THAT(args_.malformed, IsEmpty());
  }
  const Pod& pod() const { return args_.pod; }
  const Node& node() const { return args_.nodes[0]; }

  std::string body_;
  ExtenderArgs args_;
};

void ExpectSelectorOfEveryPod(const LabelSelector& selector) {
  EXPECT_EQ(selector.match_labels, (StringMap{{"app", "every"}}));
  ASSERT_EQ(selector.match_expressions.size(), 1U);
  EXPECT_EQ(selector.match_expressions[0].key, "tier");
  EXPECT_EQ(selector.match_expressions[0].op, SelectorOperator::kNotIn);
  EXPECT_THAT(selector.match_expressions[0].values, ElementsAre("front", "edge"));
}

void ExpectTermOfEveryPod(const PodAffinityTerm& term) {
  ASSERT_TRUE(term.label_selector.has_value());
  ExpectSelectorOfEveryPod(*term.label_selector);
  EXPECT_THAT(term.namespaces, ElementsAre("shop", "lab"));
  EXPECT_TRUE(term.namespace_selector.has_value());  // present and empty: every namespace
  EXPECT_EQ(term.topology_key, "zone");
}

void ExpectBareTerm(const PodAffinityTerm& term) {
  EXPECT_FALSE(term.label_selector.has_value());
  EXPECT_FALSE(term.namespace_selector.has_value());
  EXPECT_THAT(term.namespaces, IsEmpty());
  EXPECT_EQ(term.topology_key, "kubernetes.io/hostname");
}

TEST_F(EveryField, OfNodes) {
  Decode(Needs::All());
  EXPECT_EQ(node().name, "worker-1");
  EXPECT_TRUE(node().known);
  EXPECT_EQ(node().labels, (StringMap{{"disk", "ssd"}, {"zone", "z1"}}));
  EXPECT_EQ(
      node().annotations,
      (StringMap{{"congestion-factor", "17"}, {"html", "<a&b>"}, {"quoted", "say \"hi\"\\\n"}}));
  EXPECT_EQ(node().allocatable.size(), 3U);
  EXPECT_EQ(node().allocatable.Get("cpu"), Q("7900m"));
  EXPECT_EQ(node().allocatable.Get("nvidia.com/gpu"), Q("2"));
  EXPECT_EQ(node().capacity.Get("memory"), Q("32Gi"));
  EXPECT_TRUE(node().unschedulable);
  ASSERT_EQ(node().taints.size(), 3U);
  EXPECT_EQ(node().taints[0].key, "spot");
  EXPECT_EQ(node().taints[0].value, "true");
  EXPECT_EQ(node().taints[0].effect, TaintEffect::kPreferNoSchedule);
  EXPECT_EQ(node().taints[1].effect, TaintEffect::kNoSchedule);
  EXPECT_EQ(node().taints[2].effect, TaintEffect::kNoExecute);
}

TEST_F(EveryField, OfPodMetadataAndScheduling) {
  Decode(Needs::All());
  EXPECT_EQ(pod().name, "every");
  EXPECT_EQ(pod().namespace_, "shop");
  EXPECT_EQ(pod().uid, "uid-of-every");
  EXPECT_EQ(pod().labels, (StringMap{{"app", "every"}, {"tier", "back"}}));
  EXPECT_EQ(pod().annotations, (StringMap{{"note", "größer"}}));
  EXPECT_EQ(pod().node_name, "worker-9");
  EXPECT_EQ(pod().nominated_node_name, "worker-1");
  EXPECT_EQ(pod().phase, "Pending");
  EXPECT_EQ(pod().scheduler_name, "default-scheduler");
  EXPECT_EQ(pod().priority_class_name, "high");
  EXPECT_EQ(pod().priority, -5);
  EXPECT_EQ(pod().node_selector, (StringMap{{"disk", "ssd"}}));
}

TEST_F(EveryField, OfPodResources) {
  Decode(Needs::All());
  ASSERT_EQ(pod().containers.size(), 2U);
  EXPECT_EQ(pod().containers[0].name, "main");
  EXPECT_EQ(pod().containers[0].requests.Get("cpu"), Q("250m"));
  EXPECT_EQ(pod().containers[0].requests.Get("memory"), Q("1Gi"));
  EXPECT_EQ(pod().containers[0].limits.Get("cpu"), Q("1"));
  EXPECT_FALSE(pod().containers[0].restart_always);
  EXPECT_EQ(pod().containers[1].name, "idle");
  EXPECT_TRUE(pod().containers[1].requests.empty());
  ASSERT_EQ(pod().init_containers.size(), 2U);
  EXPECT_TRUE(pod().init_containers[0].restart_always);
  EXPECT_EQ(pod().init_containers[0].requests.Get("cpu"), Q("50m"));
  EXPECT_FALSE(pod().init_containers[1].restart_always);
  EXPECT_EQ(pod().overhead.Get("cpu"), Q("10m"));
  ASSERT_TRUE(pod().pod_requests.has_value());
  EXPECT_EQ(pod().pod_requests->Get("cpu"), Q("2"));
}

TEST_F(EveryField, OfTolerations) {
  Decode(Needs::All());
  const auto& tolerations = pod().tolerations;
  ASSERT_EQ(tolerations.size(), 3U);
  EXPECT_EQ(tolerations[0].key, "gpu");
  EXPECT_TRUE(tolerations[0].exists);
  EXPECT_EQ(tolerations[0].effect, TaintEffect::kNoSchedule);
  EXPECT_EQ(tolerations[1].value, "true");
  EXPECT_FALSE(tolerations[1].exists);
  EXPECT_EQ(tolerations[1].effect, std::nullopt);
  EXPECT_FALSE(tolerations[2].exists);  // no operator is Equal
  EXPECT_EQ(tolerations[2].effect, TaintEffect::kNoExecute);
}

TEST_F(EveryField, OfAffinity) {
  Decode(Needs::All());
  const Affinity& affinity = pod().affinity;
  ASSERT_TRUE(affinity.required_node.has_value());
  ASSERT_EQ(affinity.required_node->terms.size(), 1U);
  const NodeSelectorTerm& term = affinity.required_node->terms[0];
  ASSERT_EQ(term.match_expressions.size(), 3U);
  EXPECT_EQ(term.match_expressions[0].op, SelectorOperator::kIn);
  EXPECT_THAT(term.match_expressions[0].values, ElementsAre("z1", "z2"));
  EXPECT_EQ(term.match_expressions[1].op, SelectorOperator::kGt);
  EXPECT_EQ(term.match_expressions[2].op, SelectorOperator::kDoesNotExist);
  EXPECT_THAT(term.match_expressions[2].values, IsEmpty());
  ASSERT_EQ(term.match_fields.size(), 1U);
  EXPECT_EQ(term.match_fields[0].key, "metadata.name");
  ASSERT_EQ(affinity.preferred_node.size(), 1U);
  EXPECT_EQ(affinity.preferred_node[0].weight, 30);
  EXPECT_EQ(affinity.preferred_node[0].preference.match_expressions[0].op,
            SelectorOperator::kExists);
  ASSERT_EQ(affinity.required_pod.size(), 1U);
  ExpectTermOfEveryPod(affinity.required_pod[0]);
  ASSERT_EQ(affinity.preferred_pod.size(), 1U);
  EXPECT_EQ(affinity.preferred_pod[0].weight, 40);
  ExpectBareTerm(affinity.preferred_pod[0].term);
  ASSERT_EQ(affinity.required_pod_anti.size(), 1U);
  ExpectBareTerm(affinity.required_pod_anti[0]);
  ASSERT_EQ(affinity.preferred_pod_anti.size(), 1U);
  EXPECT_EQ(affinity.preferred_pod_anti[0].weight, 50);
  ExpectTermOfEveryPod(affinity.preferred_pod_anti[0].term);
}

TEST_F(EveryField, IsSkippedUnlessNeeded) {
  Decode(Needs());
  EXPECT_EQ(node().name, "worker-1");
  EXPECT_TRUE(node().labels.empty() && node().annotations.empty() && node().taints.empty());
  EXPECT_TRUE(node().allocatable.empty() && node().capacity.empty() && !node().unschedulable);
  EXPECT_EQ(pod().name, "every");
  EXPECT_EQ(pod().namespace_, "shop");
  EXPECT_EQ(pod().uid, "uid-of-every");
  EXPECT_TRUE(pod().labels.empty() && pod().annotations.empty() && pod().containers.empty());
  EXPECT_TRUE(pod().tolerations.empty() && pod().phase.empty() && pod().node_selector.empty());
  EXPECT_FALSE(pod().pod_requests.has_value());
}

TEST_F(EveryField, IsReadAloneWhenNeededAlone) {
  Decode(Needs().NodeLabels());
  EXPECT_TRUE(!node().labels.empty() && node().annotations.empty() && node().taints.empty());
  Decode(Needs().NodeTaints());
  EXPECT_TRUE(node().labels.empty() && !node().taints.empty() && node().unschedulable);
  Decode(Needs().NodeAllocatable());
  EXPECT_TRUE(!node().allocatable.empty() && node().capacity.empty());
  Decode(Needs().NodeCapacity());
  EXPECT_TRUE(node().allocatable.empty() && !node().capacity.empty());
  Decode(Needs().NodeAnnotations());
  EXPECT_EQ(node().annotations.size(), 3U);
  Decode(Needs().PodMetadata());
  EXPECT_TRUE(!pod().labels.empty() && !pod().annotations.empty() && pod().containers.empty());
  Decode(Needs().PodResources());
  EXPECT_TRUE(pod().labels.empty() && !pod().containers.empty() && pod().tolerations.empty());
  Decode(Needs().PodScheduling());
  EXPECT_TRUE(pod().containers.empty() && !pod().tolerations.empty() && pod().priority == -5);
}

TEST_F(EveryField, OfAnnotationsIsReadByKey) {
  Decode(Needs().NodeAnnotations({"congestion-factor", "absent", "quoted"}));
  EXPECT_EQ(node().annotations,
            (StringMap{{"congestion-factor", "17"}, {"quoted", "say \"hi\"\\\n"}}));
}

TEST(Fields, EscapedKeysAreUnderstoodEverywhere) {
  ExtenderArgs args;
  const std::string json = CallWithNodes(
      R"({"met\u0061data":{"n\u0061me":"p"}})",
      R"([{"metadata":{"name":"a","\u0061nnotations":{"\u006bey":"v","k\\u0065y":"w"}}}])");
  ASSERT_THAT(DecodeArgs(json, Needs().NodeAnnotations({"key"}), &args), IsOk());
  EXPECT_EQ(args.pod.name, "p");
  EXPECT_EQ(args.nodes[0].annotations, (StringMap{{"key", "v"}}));
}

TEST(Fields, InnerKeysAreExact) {
  ExtenderArgs args;
  const std::string json = CallWithNodes(R"({"Metadata":{"name":"p"},"metadata":{"Name":"q"}})",
                                         R"([{"metadata":{"name":"a","NAME":"b"}}])");
  ASSERT_THAT(DecodeArgs(json, Needs::All(), &args), IsOk());
  EXPECT_EQ(args.pod.name, "");
  EXPECT_EQ(args.nodes[0].name, "a");
}

TEST(Fields, NullIsAbsent) {
  ExtenderArgs args;
  const std::string json = CallWithNodes(
      R"({"metadata":{"name":"p","labels":null},"spec":{"containers":null,"priority":null,)"
      R"("affinity":null,"overhead":null,"resources":{"requests":null}},"status":null})",
      R"([{"metadata":{"name":"a","annotations":null},"spec":null,"status":{"capacity":null}}])");
  ASSERT_THAT(DecodeArgs(json, Needs::All(), &args), IsOk());
  EXPECT_EQ(args.pod.priority, 0);
  EXPECT_FALSE(args.pod.pod_requests.has_value());
}

TEST(Fields, MapsReadAsInGo) {
  ExtenderArgs args;
  const std::string json =
      CallWithNodes("{}", R"([{"metadata":{"name":"a","labels":{"k":"1","n":null,"k":"2"}},)"
                          R"("status":{"capacity":{"cpu":"1","pods":null,"cpu":"2"}}}])");
  ASSERT_THAT(DecodeArgs(json, Needs::All(), &args), IsOk());
  EXPECT_EQ(args.nodes[0].labels, (StringMap{{"k", "2"}, {"n", ""}}));
  EXPECT_EQ(args.nodes[0].capacity.Get("cpu"), Q("2"));
  EXPECT_NE(args.nodes[0].capacity.Find("pods"), nullptr);
}

TEST(Fields, NullElementsAreEmptyElements) {
  ExtenderArgs args;
  const std::string json = R"({"Pod":{"spec":{"containers":[null,{"name":"c"}],)"
                           R"("tolerations":[null]}},"NodeNames":[]})";
  ASSERT_THAT(DecodeArgs(json, Needs::All(), &args), IsOk());
  ASSERT_EQ(args.pod.containers.size(), 2U);
  EXPECT_EQ(args.pod.containers[1].name, "c");
}

}  // namespace
}  // namespace outrigger::wire
