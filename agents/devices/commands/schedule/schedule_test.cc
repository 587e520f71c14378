// `outrigger schedule` as a user runs it, on files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "devices/commands/schedule/schedule_testing.h"

namespace outrigger::cli {
namespace {

using Tree = nlohmann::json;
using ::testing::HasSubstr;
using testing::Ran;
using testing::RunProgram;
using testing::TempFile;

TEST(Schedule, PrintsAllocationsAndNodes) {
  const Ran ran =
      ScheduleOn({NodeNamed("bare"), CountingPool("p0", "a", 4), CountingPool("p1", "b", 2),
                  NodeNamed("a"), NodeNamed("b"), CountingClaim("two", 2),
                  PodWith("web", {{{"name", "gpus"}, {"claimName", "two"}}})});
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out,
            "ALLOCATIONS\n"
            "-----------\n"
            "- deviceCount: 2\n"
            "  devicePoolName: p1\n"
            "\n"
            "NODE RESULTS\n"
            "------------\n"
            "a: satisfied all claims with score 75\n"
            "b: satisfied all claims with score 100\n"
            "bare: could not satisfy these claims: two\n"
            "  claim default/two: 2 foozer wanted, the node has no pools\n");
  EXPECT_EQ(ran.code, 0);
}

TEST(Schedule, TellsWholeResults) {
  const Ran ran = ScheduleOn({CountingPool("p0", "a", 2), CountingPool("p1", "a", 4),
                              Holding(CountingClaim("job", 4), "p1", 4), CountingClaim("two", 2),
                              PodWith("web", {{{"name", "gpus"}, {"claimName", "two"}}})},
                             {"-v"});
  EXPECT_EQ(ran.out,
            "ALLOCATIONS\n"
            "-----------\n"
            "- deviceCount: 2\n"
            "  devicePoolName: p0\n"
            "\n"
            "NODE RESULTS\n"
            "------------\n"
            "- DeviceClaimResults:\n"
            "  - best: 0\n"
            "    claimName: two\n"
            "    ignoredPools:\n"
            "    - deviceCount: 0\n"
            "      failureReason: 0 free (4 in use by default/job)\n"
            "      poolName: p1\n"
            "    poolSetResults:\n"
            "    - poolResults:\n"
            "      - deviceCount: 2\n"
            "        poolName: p0\n"
            "      score: 100\n"
            "  NodeName: a\n"
            "  score: 100\n"
            "  scores:\n"
            "    choice: 1.0\n"
            "    intact: 1.0\n"
            "    packing: 1.0\n"
            "  searchSteps: 3\n"
            "\n");
}

TEST(Schedule, NamesDevicesAndAmounts) {
  const Tree pool = DeviceObject(
      "DevicePool", "shared",
      {{"nodeName", "a"},
       {"driver", "d"},
       {"devices",
        {{{"name", "dev-0"}, {"resources", {{{"name", "memory"}, {"capacity", "4Gi"}}}}}}}});
  const Tree claim = DeviceObject(
      "DeviceClaim", "part",
      {{"claims", {{{"deviceClass", "c"}, {"requests", {{"count", 1}, {"memory", "1Gi"}}}}}}});
  const Tree results = Tree::parse(ScheduleOn({pool, claim}, {"-o", "json"}).out);
  EXPECT_EQ(results["allocations"], Tree::parse(R"([{"devicePoolName":"shared","deviceName":"dev-0",
              "allocations":[{"name":"memory","allocation":"1Gi"}]}])"));
  EXPECT_EQ(results["node"], "a");
  EXPECT_FALSE(results.contains("pod"));
  EXPECT_EQ(results["nodeResults"][0]["DeviceClaimResults"][0]["poolSetResults"][0]["poolResults"],
            Tree::parse(R"([{"deviceCount":1,"devices":["dev-0"],"poolName":"shared"}])"));
}

TEST(Schedule, YamlSaysTheSame) {
  const Ran ran =
      ScheduleOn({CountingPool("p0", "a", 2), CountingClaim("three", 3)}, {"-o", "yaml"});
  EXPECT_THAT(ran.out, ::testing::StartsWith("allocations: null\nnode: null\nnodeResults:\n- "
                                             "DeviceClaimResults:\n  - best: -1\n"));
  EXPECT_THAT(ran.out,
              HasSubstr("\n  failureReason: 'claim default/three: 3 foozer wanted, 2 free'\n"));
}

// Joint: both claims want the same devices.
TEST(Schedule, IsJoint) {
  const Ran ran =
      ScheduleOn({CountingPool("p0", "a", 3), CountingClaim("one", 2), CountingClaim("other", 2)});
  EXPECT_THAT(ran.out, HasSubstr("a: could not satisfy these claims: other\n  claim "));
  EXPECT_THAT(ran.out, HasSubstr("ALLOCATIONS\n-----------\nnull\n\n"));
}

TEST(Schedule, APodWithoutClaimsFits) {
  const Ran ran = ScheduleOn({NodeNamed("a"), PodWith("web", Tree::array())});
  EXPECT_EQ(ran.out,
            "ALLOCATIONS\n-----------\n[]\n\nNODE RESULTS\n------------\n"
            "a: satisfied all claims with score 50\n");
}

TEST(Schedule, AClaimWithDevicesStaysWhereTheseAre) {
  const Ran ran = ScheduleOn({CountingPool("p0", "a", 2), CountingPool("p1", "b", 2),
                              Holding(CountingClaim("two", 2), "p1", 2),
                              PodWith("web", {{{"name", "gpus"}, {"claimName", "two"}}})});
  EXPECT_EQ(ran.out,
            "ALLOCATIONS\n-----------\n- deviceCount: 2\n  devicePoolName: p1\n\n"
            "NODE RESULTS\n------------\n"
            "a: could not satisfy these claims: two\n"
            "  claim two: its devices are on node b until pod job has ended\n"
            "b: satisfied all claims with score 50\n");
}

TEST(Schedule, ReadsEmbeddedClaimsAndTheFieldOfThePrototype) {
  Tree pod = PodWith("web", Tree::array());
  pod["metadata"].erase("annotations");
  pod["metadata"].erase("namespace");
  pod["spec"]["deviceClaims"] = {
      {{"name", "gpus"}, {"claim", {{"DeviceClass", "foozer"}, {"minDeviceCount", 2}}}}};
  const Ran ran = ScheduleOn({CountingPool("p0", "a", 2), pod}, {"-o", "json"});
  EXPECT_EQ(ran.err, "");
  const Tree results = Tree::parse(ran.out);
  EXPECT_EQ(results["pod"], "default/web");
  EXPECT_EQ(results["nodeResults"][0]["DeviceClaimResults"][0]["claimName"], "web-gpus");
  EXPECT_EQ(results["allocations"][0]["deviceCount"], 2);
}

TEST(Schedule, EntriesOfPoolsAreInUseToo) {
  Tree pool = CountingPool("p0", "a", 2);
  pool["status"] = {{"allocations",
                     {{{"claimNamespace", "default"},
                       {"claimName", "gone"},
                       {"claimUID", "u1"},
                       {"podUID", "u2"},
                       {"state", "Intent"},
                       {"deviceCount", 1}}}}};
  const Ran ran = ScheduleOn({pool, CountingClaim("two", 2)});
  EXPECT_THAT(ran.out, HasSubstr("2 foozer wanted, 1 free (1 in use by default/gone)"));
}

TEST(Schedule, ResolvesClassesIfThereAreAny) {
  const Tree other = DeviceObject("DeviceClass", "other", {{"driver", "d"}, {"deviceType", "t"}});
  const Ran ran = ScheduleOn({CountingPool("p0", "a", 2), CountingClaim("two", 2), other});
  EXPECT_THAT(ran.out, HasSubstr("a: could not satisfy these claims: two\n  claim default/two: "));
  EXPECT_THAT(ran.out, HasSubstr("foozer"));
}

TEST(Schedule, NetworkPoolsServeIfAskedFor) {
  Tree pool = CountingPool("net", "", 2);
  const std::vector<Tree> objects = {NodeNamed("a"), pool, CountingClaim("two", 2)};
  EXPECT_THAT(ScheduleOn(objects).out, HasSubstr("a: could not satisfy"));
  const Ran ran = ScheduleOn(objects, {"--network-pools"});
  EXPECT_THAT(ran.out, HasSubstr("a: satisfied all claims"));
}

TEST(Schedule, APoolOfNoNodeIsNoted) {
  const Ran ran = ScheduleOn({NodeNamed("a"), CountingPool("p0", "b", 2), CountingClaim("two", 2)});
  EXPECT_EQ(ran.err, "note: there is no node b: pools p0 serve nothing\n");
  EXPECT_THAT(ran.out, ::testing::Not(HasSubstr("b: ")));
}

// What they have, others may have, too.
TEST(Schedule, PrivilegedClaimsTakeNothing) {
  Tree all = DeviceObject("DevicePrivilegedClaim", "all", {{"driver", "example.com-foozer"}});
  all["status"] = {{"allocations", {{{"devicePoolName", "p0"}, {"deviceCount", 2}}}}};
  const Ran ran = ScheduleOn({CountingPool("p0", "a", 2), CountingClaim("two", 2), all,
                              PodWith("web", {{{"name", "gpus"}, {"claimName", "two"}}})});
  EXPECT_THAT(ran.out, HasSubstr("a: satisfied all claims"));
}

Tree NamespaceWith(const char* admin_access) {
  return {
      {"apiVersion", "v1"},
      {"kind", "Namespace"},
      {"metadata",
       {{"name", "default"}, {"labels", {{"resource.kubernetes.io/admin-access", admin_access}}}}}};
}

Tree AdminClass() {
  return DeviceObject(
      "DeviceClass", "admin",
      {{"driver", "example.com-foozer"}, {"deviceType", "gpu"}, {"adminAccess", true}});
}

// Files may lack namespaces; what they have counts.
TEST(Schedule, AdminAccessNeedsALabelledNamespace) {
  const Tree pod = PodWith("web", {{{"name", "all"}, {"privilegedClaimName", "all"}},
                                   {{"name", "own"}, {"claimName", "own"}}});
  std::vector<Tree> objects = {
      NodeNamed("a"),
      CountingPool("p0", "a", 2),
      AdminClass(),
      DeviceObject("DevicePrivilegedClaim", "all", {{"driver", "example.com-foozer"}}),
      DeviceObject("DeviceClaim", "own", {{"claims", {{{"deviceClass", "admin"}}}}}),
      pod};
  EXPECT_THAT(ScheduleOn(objects).out, HasSubstr("a: satisfied all claims"));
  objects.push_back(NamespaceWith("true"));
  EXPECT_THAT(ScheduleOn(objects).out, HasSubstr("a: satisfied all claims"));
  objects.back() = NamespaceWith("false");
  const Ran ran = ScheduleOn(objects);
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("a: could not satisfy these claims: all, own\n"
                                 "  claim default/all: admin access to devices needs the label "
                                 "resource.kubernetes.io/admin-access: \"true\" on namespace "
                                 "default\n"));
}

TEST(Schedule, EmbeddedClaimsGetNoAdminAccess) {
  const Tree claim = {{"claims", {{{"deviceClass", "admin"}}}}};
  const Ran ran = ScheduleOn({CountingPool("p0", "a", 2), AdminClass(), NamespaceWith("true"),
                              PodWith("web", {{{"name", "own"}, {"claim", claim}}})});
  EXPECT_THAT(
      ran.out,
      HasSubstr(
          "claim default/web-own: a claim embedded in a pod cannot use a class with adminAccess"));
}

TEST(Schedule, GangsAreNotPlannedYet) {
  Tree pod = PodWith("web", {{{"name", "gpus"}, {"claimName", "two"}}});
  pod["metadata"]["labels"] = {{"podGroup", "g"}, {"minAvailable", "2"}};
  const Ran ran = ScheduleOn({CountingPool("p0", "a", 2), CountingClaim("two", 2), pod});
  EXPECT_THAT(ran.out, HasSubstr("a: could not satisfy these claims: two\n"
                                 "  gangs with device claims are not planned yet\n"));
}

struct Wrong {
  const char* name;
  std::vector<Tree> objects;
  std::vector<std::string> arguments;
  int code;
  const char* error;
};
class ScheduleRefuses : public ::testing::TestWithParam<Wrong> {};

TEST_P(ScheduleRefuses, WithAClearText) {
  const Ran ran = ScheduleOn(GetParam().objects, GetParam().arguments);
  EXPECT_EQ(ran.code, GetParam().code);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr(GetParam().error));
}

Tree BothWays() {
  Tree pod = PodWith("web", {{{"name", "a"}, {"claimName", "b"}}});
  pod["spec"]["deviceClaims"] = {{{"name", "a"}, {"claimName", "b"}}};
  return pod;
}

Tree WithCount(const Tree& count) {
  Tree pool = CountingPool("p0", "a", 2);
  pool["spec"]["count"] = count;
  return pool;
}

Tree WithDevicesOfAContainer() {
  Tree pod = PodWith("web", {{{"name", "a"}, {"claimName", "two"}}});
  pod["spec"]["containers"] = {{{"name", "c"}, {"devices", {{{"name", "a"}}}}}};
  return pod;
}

Tree WithEmbeddedClaim() {
  Tree pod = PodWith("web", {{{"name", "two"}, {"claim", {{"deviceClass", "foozer"}}}}});
  pod["metadata"]["uid"] = "u";
  return pod;
}

Tree WithField(Tree object, const std::string& field, const Tree& value) {
  object["spec"][field] = value;
  return object;
}

// Two pools of one device each, on NUMA nodes of their own.
std::vector<Tree> TwoNumaNodes() {
  const auto pool = [](const std::string& name, const std::string& numa) {
    return WithField(CountingPool(name, "a", 1), "attributes",
                     {{{"name", "numa"}, {"stringValue", numa}}});
  };
  return {pool("p0", "0"), pool("p1", "1")};
}

Ran ScheduleOnTwoNumaNodes(Tree object, std::vector<Tree> others = {}) {
  std::vector<Tree> objects = TwoNumaNodes();
  objects.push_back(std::move(object));
  objects.insert(objects.end(), others.begin(), others.end());
  return ScheduleOn(objects);
}

TEST(Schedule, AttributeMatchesKeepsDevicesOnOneNumaNode) {
  const Tree two = CountingClaim("two", 2);
  EXPECT_THAT(ScheduleOnTwoNumaNodes(two).out, HasSubstr("a: satisfied all claims"));
  for (const char* name : {"matchAttributes", "attributeMatches"}) {
    const Ran ran = ScheduleOnTwoNumaNodes(WithField(two, name, {"numa"}));
    EXPECT_EQ(ran.out,
              "ALLOCATIONS\n-----------\nnull\n\nNODE RESULTS\n------------\n"
              "a: could not satisfy these claims: two\n"
              "  claim default/two: 2 foozer on one numa wanted, best has 1 free\n")
        << name;
  }
}

TEST(Schedule, AnUnknownFieldOfAClaimOrClassIsNotSatisfied) {
  const Tree two = CountingClaim("two", 2);
  constexpr const char* kHint = "is not a known field; did you mean matchAttributes?\n";
  EXPECT_THAT(ScheduleOnTwoNumaNodes(WithField(two, "matchAttribute", {"numa"})).out,
              HasSubstr(std::string("a: could not satisfy these claims: two\n  claim default/two: "
                                    "spec.matchAttribute: \"matchAttribute\" ") +
                        kHint));
  const Tree foozer = DeviceObject(
      "DeviceClass", "foozer",
      {{"deviceType", "foozer"}, {"driver", "example.com-foozer"}, {"matchAtributes", {"numa"}}});
  EXPECT_THAT(ScheduleOnTwoNumaNodes(two, {foozer}).out,
              HasSubstr(std::string("a: could not satisfy these claims: two\n  claim default/two: "
                                    "DeviceClass \"foozer\" is invalid: spec.matchAtributes: "
                                    "\"matchAtributes\" ") +
                        kHint));
}

// The prototype has no such rule.
TEST(Schedule, AnUnknownFieldIsANoteToOriginalResults) {
  const Ran ran = ScheduleOn(
      {CountingPool("p0", "a", 2), WithField(CountingClaim("two", 2), "matchAttribute", {"numa"})},
      {"--original-results"});
  EXPECT_THAT(ran.err, HasSubstr("claim default/two is invalid: spec.matchAttribute: "));
  EXPECT_THAT(ran.out, HasSubstr("a: satisfied all claims with score 100"));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ScheduleRefuses,
    ::testing::Values(
        Wrong{"TwoPoolsOfOneName",
              {CountingPool("p0", "a", 2), CountingPool("p0", "b", 2)},
              {},
              2,
              "DevicePool p0 is given twice\n"},
        Wrong{"TwoClaimsOfOneName",
              {CountingClaim("c", 1), CountingClaim("c", 2)},
              {},
              2,
              "DeviceClaim default/c is given twice\n"},
        Wrong{"AClaimThatIsNotThere",
              {CountingClaim("two", 1), PodWith("web", {{{"name", "a"}, {"claimName", "tow"}}})},
              {},
              1,
              "pod default/web: claim a: there is no DeviceClaim tow in namespace default; did you "
              "mean two?"},
        Wrong{"AClaimInTheWayOfAnEmbeddedOne",
              {CountingClaim("web-two", 1), WithEmbeddedClaim()},
              {},
              2,
              "pod default/web: DeviceClaim default/web-two was not made for this pod: delete it, "
              "or rename claim \"two\" in the pod's annotation"},
        Wrong{"AWrongAnnotation", {PodWith("web", Tree::object())}, {}, 2, "pod default/web: "},
        Wrong{"BothPlacesOfClaims",
              {BothWays()},
              {},
              2,
              "pod default/web: spec.deviceClaims and the annotation "
              "devmgmtproto.k8s.io/device-claims exclude each other"},
        Wrong{"TwoPods",
              {PodWith("a", Tree::array()), PodWith("b", Tree::array())},
              {},
              2,
              "there are 2 pods, default/a and default/b; choose one with --pod NAMESPACE/NAME"},
        Wrong{"APodThatIsNotThere",
              {PodWith("a", Tree::array())},
              {"--pod", "b"},
              1,
              "there is no pod b"},
        Wrong{"ACountThatIsNone",
              {WithCount("many")},
              {},
              2,
              "objects.json: items[0]: DevicePool: spec.count: "},
        Wrong{"AnUnknownFieldOfAPool",
              {WithField(CountingPool("p0", "a", 2), "nodNmae", "a")},
              {},
              2,
              "objects.json: items[0]: DevicePool: spec.nodNmae: \"nodNmae\" is not a known field; "
              "did "
              "you mean nodeName?"},
        Wrong{"ATemplate",
              {PodWith("web", {{{"name", "a"}, {"claimTemplateName", "b"}}})},
              {},
              2,
              "pod default/web: claims[0].claimTemplateName: templates are not supported"},
        Wrong{"DevicesOfAContainer",
              {CountingClaim("two", 2), WithDevicesOfAContainer()},
              {},
              2,
              "pod default/web: spec.containers[0].devices: containers cannot have devices of "
              "their own"},
        Wrong{"AnOutput",
              {},
              {"-o", "table"},
              2,
              "\"table\" is not accepted; expected text, json or yaml"},
        Wrong{"AContextWithoutACluster",
              {},
              {"--context", "x"},
              2,
              "--kubeconfig and --context need --cluster live"},
        Wrong{"StandardInputTwice",
              {},
              {"-f", "-", "--cluster", "-"},
              2,
              "read standard input more than once"},
        Wrong{"NoFile", {}, {"-f", ""}, 2, "--filename and --cluster need a file"}),
    [](const auto& row) { return row.param.name; });

TEST(ScheduleSources, FilesAreOneInput) {
  const TempFile pools(ListOf({CountingPool("p0", "a", 2)}), "pools.json");
  const TempFile more(
      "apiVersion: devmgmtproto.k8s.io/v1alpha1\nkind: DevicePool\nmetadata: {name: p1}\n"
      "spec: {NodeName: b, driver: d, count: 2}\n---\n" +
          CountingClaim("two", 2).dump() + "\n",
      "more.yaml");
  const Ran ran = RunProgram({"schedule", "-f", pools.path(), "--filename", more.path()});
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("b: satisfied all claims"));
  const Ran twice = RunProgram({"schedule", "-f", pools.path(), "--cluster", pools.path()});
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("DevicePool p0 is given twice"));
}

// The pods and claims of a dump are there, but only those of the files are asked for.
TEST(ScheduleSources, ADumpIsTheCluster) {
  Tree broken = PodWith("broken", Tree::object());
  const TempFile dump(ListOf({CountingPool("p0", "a", 2), Holding(CountingClaim("job", 1), "p0", 1),
                              broken, PodWith("other", {{{"name", "g"}, {"claimName", "job"}}})}),
                      "dump.json");
  const TempFile claims(ListOf({CountingClaim("two", 2)}), "claims.json");
  const Ran ran = RunProgram({"schedule", "-f", claims.path(), "--cluster", dump.path()});
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("2 foozer wanted, 1 free (1 in use by default/job)"));
  const Ran other = RunProgram({"schedule", "--cluster", dump.path(), "--pod", "default/other"});
  EXPECT_THAT(other.out, HasSubstr("- deviceCount: 1\n  devicePoolName: p0\n"));
  EXPECT_EQ(RunProgram({"schedule", "--cluster", dump.path()}).code, 2);
}

TEST(ScheduleSources, UnknownKindsAreNamed) {
  const Tree config = {{"apiVersion", "foozer.example.com/v1alpha1"},
                       {"kind", "FoozerConfig"},
                       {"metadata", {{"name", "fast"}}}};
  const Tree of_dra = {{"apiVersion", "resource.k8s.io/v1"},
                       {"kind", "DeviceClass"},
                       {"metadata", {{"name", "gpu"}}}};
  const Ran ran = ScheduleOn({config, config, of_dra, CountingClaim("one", 1),
                              DeviceObject("DeviceSetClaim", "set", {{"claimSpec", {}}})});
  EXPECT_THAT(ran.err, HasSubstr("objects.json: not read: 1 DeviceClass (resource.k8s.io/v1), 1 "
                                 "DeviceSetClaim (never scheduled), 2 FoozerConfig "
                                 "(foozer.example.com/v1alpha1)\n"));
}

TEST(ScheduleHelp, SaysWhatIsRead) {
  const std::string help = RunProgram({"schedule", "--help"}).out;
  for (const char* text : {"-f,--filename FILE", "--cluster FILE|live", "--original-results",
                           "-v,--verbose", "VERBOSE=y", "--network-pools"}) {
    EXPECT_THAT(help, HasSubstr(text));
  }
  EXPECT_EQ(RunProgram({"schedule"}).code, 2);
  EXPECT_THAT(RunProgram({"schedule"}).err, HasSubstr("schedule needs --filename FILE"));
}

}  // namespace
}  // namespace outrigger::cli
