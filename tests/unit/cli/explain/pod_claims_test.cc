// What `outrigger explain pod` says of device claims.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/cli/explain/explain_testing.h"
#include "unit/cli/schedule/live_testing.h"
#include "unit/cli/schedule/schedule_testing.h"

namespace outrigger::cli {
namespace {

using Tree = nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Ran;
using testing::TempFile;

Tree PlainPod() {
  Tree pod = PodWith("plain", Tree::array());
  pod["metadata"].erase("annotations");
  return pod;
}

const std::vector<Tree>& Cluster() {
  static const std::vector<Tree> objects = {
      NodeNamed("a"),
      NodeNamed("b"),
      NodeNamed("c"),
      CountingPool("p0", "a", 4),
      CountingPool("p1", "b", 2),
      Holding(CountingClaim("job", 1), "p0", 1),
      Holding(CountingClaim("other", 1), "p1", 1),
      CountingClaim("two", 2),
      PodWith("web", {{{"name", "gpus"}, {"claimName", "two"}}}),
      PlainPod()};
  return objects;
}

Ran Explain(const std::vector<Tree>& objects, std::vector<std::string> arguments) {
  const TempFile dump(ListOf(objects), "dump.json");
  arguments.insert(arguments.begin(), {"explain", "pod", "--cluster", dump.path()});
  return RunIt(arguments);
}

constexpr const char* kTable =
    "\nClaims:    1 of 3 nodes has devices for two\n"
    "\n"
    "NODE  DEVICES  SCORE  CLAIM  POOL    FREE  GETS  WHY\n"
    "a     fit         88\n"
    "                      two    p0    3 of 4     2  1 in use by default/job\n"
    "b     in use       -                             claim default/two: 2 foozer wanted, 1 free "
    "(1 in use by default/other)\n"
    "                      two    p1    1 of 2     -  1 in use by default/other\n"
    "c     never        -                             claim default/two: 2 foozer wanted, the node "
    "has no pools\n";

TEST(ExplainPodClaims, AreATableBelowTheAgents) {
  const Ran ran = Explain(Cluster(), {"web"});
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, EndsWith(kTable));
  EXPECT_THAT(Explain(Cluster(), {"plain"}).out, Not(HasSubstr("Claims:")));
}

TEST(ExplainPodClaims, OfAFileAreLookedUpThereFirst) {
  const TempFile pod(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: new}\nspec:\n  deviceClaims:\n"
      "  - {name: gpus, claim: {deviceClass: foozer, minDeviceCount: 2}}\n"
      "  containers: [{name: c}]\n",
      "pod.yaml");
  const Ran ran = Explain(Cluster(), {"-f", pod.path()});
  EXPECT_THAT(ran.out, HasSubstr("Claims:    1 of 3 nodes has devices for new-gpus\n"));
  EXPECT_THAT(ran.out, HasSubstr("new-gpus  p0    3 of 4     2  1 in use by default/job\n"));
}

TEST(ExplainPodClaims, AreJson) {
  const Ran ran = Explain(Cluster(), {"web", "-o", "json", "--nodes", "b"});
  const Tree claims = Tree::parse(ran.out).at("claims");
  EXPECT_EQ(claims, Tree::parse(R"json({"names":["two"],"nodes":3,"fitting":1,"byNode":[{
      "name":"b","fits":false,"score":0,"fitsWhenEmpty":true,
      "reason":"claim default/two: 2 foozer wanted, 1 free (1 in use by default/other)",
      "pools":[{"claim":"two","pool":"p1","total":2,"free":1,"gets":0,
                "inUse":[{"claim":"default/other","count":1}]}]}]})json"));
  EXPECT_FALSE(Tree::parse(Explain(Cluster(), {"plain", "-o", "json"}).out).contains("claims"));
}

TEST(ExplainPodClaims, ThatAreNotThereFail) {
  std::vector<Tree> objects = Cluster();
  objects.push_back(PodWith("lost", {{{"name", "gpus"}, {"claimName", "none"}}}));
  const Ran ran = Explain(objects, {"lost"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("claim gpus: there is no DeviceClaim none"));
}

// Agents are explained, whatever the state of other objects.
TEST(ExplainPodClaims, ThatCannotBeReadAreANote) {
  std::vector<Tree> objects = Cluster();
  objects.push_back(objects[3]);
  const Ran ran = Explain(objects, {"web"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "note: device claims are not explained: " +
                         ran.err.substr(ran.err.find("explained: ") + 11));
  EXPECT_THAT(ran.err, HasSubstr("DevicePool p0 is given twice"));
  EXPECT_EQ(Explain(objects, {"plain"}).err, "");
}

TEST(ExplainPodClaims, AreReadLive) {
  const std::vector<Tree>& objects = Cluster();
  const ObjectServer server(
      {{"nodes", ObjectServer::List({objects[0], objects[1], objects[2]})},
       {"devicepools", ObjectServer::List({objects[3], objects[4]})},
       {"deviceclasses",
        ObjectServer::List({DeviceObject(
            "DeviceClass", "foozer", {{"driver", "example.com-foozer"}, {"deviceType", "gpu"}})})},
       {"devicedrivers", ObjectServer::List({})},
       {"deviceclaims", ObjectServer::List({objects[5], objects[6], objects[7]})},
       {"deviceprivilegedclaims", ObjectServer::List({})},
       {"namespaces", ObjectServer::List({})},
       {"default/pods/web", objects[8]}});
  const Ran ran = RunIt({"explain", "pod", "default/web", "--kubeconfig", server.kubeconfig()});
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, EndsWith(kTable));
}

}  // namespace
}  // namespace outrigger::cli
