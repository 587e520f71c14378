// Which nodes can serve the claims of a pod, and what the others say.
#include <atomic>
#include <string>
#include <vector>

#include "calls/judge.h"
#include "devices_testing.h"
#include "gmock/gmock.h"

namespace outrigger::devices::agent {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakePod;

class DevicesFilter : public DevicesTest {
 protected:
  /// What was allocated by an earlier pod.
  void PutAllocated(const std::string& claim, const std::string& node, int64_t devices) {
    Json object =
        Object(kClaimKind, claim, {{"deviceClass", "foozer"}, {"minDeviceCount", devices}});
    object["status"] = {
        {"state", "Allocated"},
        {"nodeName", node},
        {"allocations", {{{"devicePoolName", node + "-0"}, {"deviceCount", devices}}}}};
    cluster_.custom().Put(kClaimKind, object);
  }
  /// A claim of a class with admin access.
  void PutAdminClaim(const std::string& name) {
    Put(kClassKind, "admin",
        {{"driver", "foozer.example.com"}, {"deviceType", "foozer"}, {"adminAccess", true}});
    Put(kClaimKind, name, {{"claims", {{{"deviceClass", "admin"}}}}});
  }
};

TEST_F(DevicesFilter, APodWithoutClaimsFitsEverywhereWhateverIsKnown) {
  PutNodes(2, 4);
  cluster_.custom().SetUsable(absl::UnavailableError("too old"));
  Start();
  EXPECT_THAT(Fitting(MakePod("p")), ElementsAre("n1", "n2"));
  EXPECT_THAT(Fitting(PutPod("q", "[]")), ElementsAre("n1", "n2"));
}

TEST_F(DevicesFilter, NodesWithEnoughFreeDevicesFit) {
  PutNodes(3, 4);
  AddNode("bare");
  PutAllocated("job-1", "n2", 2);
  PutClaim("c", 3);
  Start();
  const Pod pod = PutPodOf("p", "c");
  EXPECT_THAT(Fitting(pod), ElementsAre("n1", "n3"));
  const std::vector<Verdict> verdicts = Filter(pod);
  EXPECT_EQ(verdicts[1].kind(), Verdict::Kind::kRejected) << "it would, if job-1 ended";
  EXPECT_THAT(verdicts[1].reason(), HasSubstr("2 in use by default/job-1"));
  EXPECT_EQ(verdicts[3].kind(), Verdict::Kind::kUnresolvable);
}

TEST_F(DevicesFilter, ClaimsOfOtherNamespacesAreCountedAndNotNamed) {
  PutNodes(1, 4);
  PutAllocated("job-1", "n1", 1);
  Json secret = Object(kClaimKind, "secret", {{"deviceClass", "foozer"}, {"minDeviceCount", 2}});
  secret["metadata"]["namespace"] = "other";
  secret["status"] = {{"state", "Allocated"},
                      {"nodeName", "n1"},
                      {"allocations", {{{"devicePoolName", "n1-0"}, {"deviceCount", 2}}}}};
  cluster_.custom().Put(kClaimKind, secret);
  PutClaim("c", 4);
  Start();
  EXPECT_EQ(Reason(PutPodOf("p", "c")),
            "claim default/c: 4 foozer wanted, 1 free (1 in use by default/job-1, "
            "2 in use in other namespaces)");
}

// Each search that does not end takes steps; the node that fits is not always the last in turn.
TEST(DevicesNodes, WhatOneCallLeftShortTheNextOneBeginsWith) {
  const auto selectors = MakeCelSelectors();
  const Allocator allocator(*selectors, {.budget = 640});
  std::atomic<size_t> first = 0;
  const auto asked_in_full = [&] {
    std::vector<size_t> full;
    Nodes nodes(allocator, 40, &first);
    while (!nodes.Next([&](size_t node, int64_t budget) {
      if (budget == 640) full.push_back(node);
      return budget;
    })) {
    }
    return full;
  };
  EXPECT_THAT(asked_in_full(), ::testing::AllOf(::testing::SizeIs(16), ::testing::Contains(0)));
  EXPECT_EQ(asked_in_full().front(), 16u);
  EXPECT_THAT(asked_in_full(), ::testing::Contains(39)) << "each has its turn";
}

// Else filter says that it fits, and bind fails for ever.
TEST_F(DevicesFilter, WhatCanBeNoConfigurationIsRefusedBeforeANodeIsChosen) {
  PutNodes(1, 4);
  const Json config_map = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "x"}};
  Json of_class = config_map;
  of_class["namespace"] = "default";
  Put(kClassKind, "mapped",
      {{"deviceType", "gpu"}, {"driver", "foozer.example.com"}, {"configs", {of_class}}});
  PutClaim("of-class", 1, "mapped");
  Put(kClaimKind, "own", {{"deviceClass", "foozer"}, {"configs", {config_map}}});
  Json elsewhere = {{"apiVersion", "a.example/v1"}, {"kind", "Policy"}, {"name", "x"}};
  elsewhere["namespace"] = "other";
  Put(kClaimKind, "elsewhere", {{"deviceClass", "foozer"}, {"configs", {elsewhere}}});
  Start();
  EXPECT_EQ(
      Reason(PutPodOf("p", "of-class")),
      "claim default/of-class: DeviceClass \"mapped\" is invalid: config ConfigMap default/x: "
      "apiVersion \"v1\" has no group; only kinds of CustomResourceDefinitions are supported");
  EXPECT_THAT(Reason(PutPodOf("q", "own")), HasSubstr("claim default/own: config ConfigMap x: "));
  EXPECT_THAT(Reason(PutPodOf("r", "elsewhere")),
              HasSubstr("namespace \"other\" is not that of the claim"));
}

TEST_F(DevicesFilter, WhatChangesIsSeenAtOnce) {
  PutNodes(1, 4);
  PutClaim("c", 3);
  Start();
  const Pod pod = PutPodOf("p", "c");
  EXPECT_THAT(Fitting(pod), ElementsAre("n1"));
  PutPool("n1-0", "n1", 2);
  EXPECT_THAT(Fitting(pod), IsEmpty());
  PutPool("n1-1", "n1", 1);
  EXPECT_THAT(Fitting(pod), ElementsAre("n1"));
  cluster_.custom().Delete(kPoolKind, "", "n1-1");
  EXPECT_THAT(Fitting(pod), IsEmpty());
}

TEST_F(DevicesFilter, ClaimsOfOnePodAreServedTogetherOrNotAtAll) {
  PutNodes(1, 4);
  PutClaim("a", 2);
  PutClaim("b", 3);
  Start();
  EXPECT_THAT(Fitting(PutPodOf("p", "a")), ElementsAre("n1"));
  EXPECT_THAT(Fitting(PutPodOf("q", "b")), ElementsAre("n1"));
  EXPECT_THAT(
      Fitting(PutPod("r", R"([{"name":"x","claimName":"a"},{"name":"y","claimName":"b"}])")),
      IsEmpty());
}

TEST_F(DevicesFilter, AnEmbeddedClaimCountsBeforeItIsCreated) {
  PutNodes(1, 4);
  Start();
  const auto embedded = [](int devices) {
    return fmt::format(R"([{{"name":"a","claim":{{"deviceClass":"foozer","minDeviceCount":{}}}}}])",
                       devices);
  };
  EXPECT_THAT(Fitting(PutPod("p", embedded(4))), ElementsAre("n1"));
  EXPECT_THAT(Fitting(PutPod("q", embedded(5))), IsEmpty());
}

constexpr const char* kNeedsLabel =
    R"(admin access to devices needs the label resource.kubernetes.io/admin-access: "true" on namespace default)";

TEST_F(DevicesFilter, AClassWithAdminAccessServesLabelledNamespacesAlone) {
  PutNodes(2, 4);
  PutAllocated("job-1", "n1", 4);
  PutAdminClaim("own");
  LabelNamespace("");
  Start();
  const Pod pod = PutPodOf("p", "own");
  const auto refused = std::string("claim default/own: ") + kNeedsLabel;
  EXPECT_EQ(Reason(pod), refused);
  EXPECT_EQ(Filter(pod)[0].kind(), Verdict::Kind::kUnresolvable);
  LabelNamespace("true");
  EXPECT_THAT(Fitting(pod), ElementsAre("n1", "n2"));
  LabelNamespace("false");
  EXPECT_EQ(Reason(pod), refused);
  LabelNamespace("true");
  cluster_.custom().Delete(kNamespaceKind, "", "default");
  EXPECT_EQ(Reason(pod), refused);
}

TEST_F(DevicesFilter, APrivilegedClaimTakesWhatIsInUseInALabelledNamespace) {
  PutNodes(2, 4);
  PutAllocated("job-1", "n1", 4);
  Put(kPrivilegedClaimKind, "all", {{"driver", "foozer.example.com"}});
  Start();
  const Pod pod = PutPod("p", R"([{"name":"a","privilegedClaimName":"all"}])");
  EXPECT_EQ(Reason(pod), std::string("claim default/all: ") + kNeedsLabel);
  LabelNamespace("true");
  EXPECT_THAT(Fitting(pod), ElementsAre("n1", "n2"));
}

TEST_F(DevicesFilter, OneRequestForAdminAccessIsEnough) {
  PutNodes(1, 4);
  PutAdminClaim("own");
  Put(kClaimKind, "mixed",
      {{"claims",
        {{{"deviceClass", "foozer"}},
         {{"oneOf", {{{"deviceClass", "foozer"}}, {{"deviceClass", "admin"}}}}}}}});
  Start();
  const Pod pod = PutPodOf("p", "mixed");
  EXPECT_THAT(Fitting(pod), IsEmpty());
  LabelNamespace("true");
  EXPECT_THAT(Fitting(pod), ElementsAre("n1"));
}

TEST_F(DevicesFilter, AnEmbeddedClaimGetsNoAdminAccess) {
  PutNodes(1, 4);
  PutAdminClaim("own");
  LabelNamespace("true");
  Start();
  const auto embedded = R"([{"name":"a","claim":{"claims":[{"deviceClass":"admin"}]}}])";
  const Pod pod = PutPod("embedded", embedded);
  EXPECT_EQ(Reason(pod),
            "claim default/embedded-a: a claim embedded in a pod cannot use a class with "
            "adminAccess: refer to a DeviceClaim by claimName");
}

TEST_F(DevicesFilter, APrivilegedClaimIsNotTheOtherClaimOfItsName) {
  PutNodes(1, 4);
  PutAllocated("c", "n1", 4);
  PutClaim("d", 1);
  Put(kPrivilegedClaimKind, "c", {{"driver", "foozer.example.com"}});
  LabelNamespace("true");
  Start();
  EXPECT_THAT(Fitting(PutPod(
                  "p", R"([{"name":"a","privilegedClaimName":"c"},{"name":"b","claimName":"d"}])")),
              IsEmpty());
}

TEST_F(DevicesFilter, AnAllocatedClaimPinsToItsNode) {
  PutNodes(3, 4);
  PutAllocated("shared", "n2", 2);
  PutClaim("more", 2);
  Start();
  const Pod pod = PutPodOf("p", "shared");
  EXPECT_THAT(Fitting(pod), ElementsAre("n2"));
  EXPECT_EQ(Reason(pod), "claim default/shared has its devices on node n2");
  EXPECT_EQ(Filter(pod)[0].kind(), Verdict::Kind::kUnresolvable);
  EXPECT_THAT(Fitting(PutPod(
                  "q", R"([{"name":"a","claimName":"shared"},{"name":"b","claimName":"more"}])")),
              ElementsAre("n2"));
  PutClaim("too-much", 3);
  EXPECT_THAT(Fitting(PutPod("r", R"([{"name":"a","claimName":"shared"},
                                     {"name":"b","claimName":"too-much"}])")),
              IsEmpty());
}

// An allocation that was begun, and whose binding failed: its own intents are not in its way.
TEST_F(DevicesFilter, WhatAClaimHasBegunToTakeIsItsOwn) {
  PutNodes(1, 4);
  PutClaim("c", 4);
  PutClaim("d", 1);
  const std::string uid = Get(kClaimKind, "c")["metadata"]["uid"];
  Json pool = Get(kPoolKind, "n1-0");
  pool["status"] = {{"allocations",
                     {{{"claimUID", uid},
                       {"claimNamespace", "default"},
                       {"claimName", "c"},
                       {"state", "Intent"},
                       {"deadline", "2026-01-15T08:00:00Z"},
                       {"deviceCount", 4}}}}};
  cluster_.custom().Put(kPoolKind, pool);
  Start();
  EXPECT_THAT(Fitting(PutPodOf("p", "c")), ElementsAre("n1"));
  EXPECT_THAT(Fitting(PutPodOf("q", "d")), IsEmpty());
  EXPECT_THAT(Fitting(PutPodOf("p", "c")), ElementsAre("n1")) << "what was put aside is back";
}

TEST_F(DevicesFilter, WhatNoNodeCanHelpIsSaidOnce) {
  struct Row {
    std::string name;
    std::string claims;
    std::string reason;
  };
  PutNodes(2, 4);
  PutClaim("broken", 1);
  Put(kClaimKind, "broken", {{"deviceClass", "foozer"}, {"constraints", "device.model =="}});
  Put(kClaimKind, "unknown-class", {{"deviceClass", "no-such"}});
  Put(kClaimKind, "of-none", Json::object());
  Json deleted = Object(kClaimKind, "deleted", {{"deviceClass", "foozer"}});
  deleted["metadata"]["deletionTimestamp"] = "2026-01-15T08:00:00Z";
  cluster_.custom().Put(kClaimKind, deleted);
  Json owned = Object(kClaimKind, "owned", {{"deviceClass", "foozer"}});
  owned["metadata"]["ownerReferences"] = {
      {{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", "x"}, {"uid", "uid-of-another"}}};
  cluster_.custom().Put(kClaimKind, owned);
  owned["metadata"]["name"] = "p-old";
  cluster_.custom().Put(kClaimKind, owned);
  PutClaim("p-made", 1);
  Json edited = Object(kClaimKind, "edited", {{"deviceClass", "foozer"}});
  edited["status"] = {{"state", "Allocated"}, {"nodeName", "n1"}};
  cluster_.custom().Put(kClaimKind, edited);
  Start();
  const auto named = [](const std::string& claim) {
    return fmt::format(R"([{{"name":"a","claimName":"{}"}}])", claim);
  };
  const Row rows[] = {
      {"no JSON", "{", "annotation devmgmtproto.k8s.io/device-claims: "},
      {"not there", named("none"), "claim default/none: there is no DeviceClaim with that name"},
      {"a privileged one that is not there", R"([{"name":"a","privilegedClaimName":"none"}])",
       "claim default/none: there is no DevicePrivilegedClaim with that name"},
      {"does not compile", named("broken"), "claim default/broken: "},
      {"class unknown", named("unknown-class"),
       "claim default/unknown-class: there is no DeviceClass \"no-such\""},
      {"requests nothing", named("of-none"), "claim default/of-none: neither deviceClass"},
      {"deleted", named("deleted"), "claim default/deleted is being deleted"},
      {"of another pod", named("owned"),
       "claim default/owned belongs to another pod: use another claim"},
      {"embedded, and its name is taken", R"([{"name":"made","claim":{"deviceClass":"foozer"}}])",
       "DeviceClaim default/p-made was not made for this pod: delete it, or rename claim \"made\" "
       "in "
       "the pod's annotation"},
      {"embedded, and its name is another pod's",
       R"([{"name":"old","claim":{"deviceClass":"foozer"}}])",
       "DeviceClaim default/p-old belongs to another pod, such as an earlier pod of this name: "
       "wait until it is deleted, or rename claim \"old\" in the pod's annotation"},
      {"status edited by hand", named("edited"),
       "claim default/edited is Allocated by its status, which lacks devices"},
  };
  for (const Row& row : rows) {
    const std::vector<Verdict> verdicts = Filter(PutPod("p", row.claims));
    EXPECT_EQ(verdicts[0].kind(), Verdict::Kind::kUnresolvable) << row.name;
    EXPECT_THAT(verdicts[0].reason(), HasSubstr(row.reason)) << row.name;
    EXPECT_EQ(verdicts[1].kind(), Verdict::Kind::kLeftOut) << row.name;
  }
}

TEST_F(DevicesFilter, MembersOfGangsAreNotPlannedYet) {
  PutNodes(1, 4);
  PutClaim("c", 1);
  Start();
  const std::string_view claims = R"([{"name":"a","claimName":"c"}])";
  Pod pods[] = {
      MakePod("p").Label("podGroup", "g").Label("minAvailable", "2"),
      MakePod("p").Label("scheduling.x-k8s.io/pod-group", "g"),
      MakePod("p").Label("pod-group.scheduling.sigs.k8s.io", "g"),
      MakePod("p").Annotation("scheduling.k8s.io/group-name", "g"),
      MakePod("p"),
  };
  pods[4].scheduling_group = "g";
  for (Pod pod : pods) {
    EXPECT_THAT(Fitting(pod), ElementsAre("n1")) << "without claims";
    pod.annotations.Set(kClaimsAnnotation, claims);
    EXPECT_EQ(Reason(pod), "gangs with device claims are not planned yet");
  }
}

TEST_F(DevicesFilter, WhatIsTooOldIsNoBasis) {
  PutNodes(1, 4);
  PutClaim("c", 1);
  Start();
  const Pod pod = PutPodOf("p", "c");
  cluster_.custom().SetUsable(absl::UnavailableError("devicepools: too old"));
  const testing::OwnedRequest request(pod, nodes_);
  std::vector<Verdict> verdicts(1);
  EXPECT_TRUE(absl::IsUnavailable(
      dynamic_cast<const Filterer&>(agent_->agent()).Filter(*request, verdicts)));
  std::vector<NodeScore> scores(1);
  EXPECT_TRUE(
      absl::IsUnavailable(dynamic_cast<const Scorer&>(agent_->agent()).Score(*request, scores)));
}

TEST_F(DevicesFilter, KindsThatAreNotServedAreNamed) {
  PutNodes(1, 4);
  cluster_.custom().SetServed(kPoolKind, false);
  Start();
  const Pod pod = PutPodOf("p", "c");
  EXPECT_THAT(Reason(pod), HasSubstr("apply deploy/devices"));
  EXPECT_EQ(Filter(pod)[0].kind(), Verdict::Kind::kUnresolvable);
}

TEST_F(DevicesFilter, TheFullerNodeScoresMore) {
  PutNodes(3, 4);
  PutAllocated("job-1", "n2", 2);
  PutClaim("c", 2);
  Start({{"packing", "1"}, {"intact", "0"}, {"choice", "0"}});
  const auto scores = agent_->Score(testing::OwnedRequest(PutPodOf("p", "c"), nodes_));
  EXPECT_THAT(scores[0].value, DoubleNear(0.5, 1e-9));
  EXPECT_THAT(scores[1].value, DoubleNear(1, 1e-9));
  EXPECT_THAT(scores[0].why.text(), HasSubstr("packing 0.5"));
  EXPECT_EQ(agent_->Score(testing::OwnedRequest(MakePod("q"), nodes_))[1].value, 0);
}

}  // namespace
}  // namespace outrigger::devices::agent
