// What `outrigger explain pod` says of device claims.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "console/explain_testing.h"
#include "devices/commands/schedule/live_testing.h"
#include "devices/commands/schedule/schedule_testing.h"

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

// So that agent safe has nothing to say.
Tree MeasuredNode(const std::string& name) {
  Tree node = NodeNamed(name);
  node["metadata"]["annotations"]["mean-free-cpu"] = "1000";
  return node;
}

const std::vector<Tree>& Cluster() {
  static const std::vector<Tree> objects = {
      MeasuredNode("a"),
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

TEST(ExplainPodClaims, NameAnUnknownField) {
  std::vector<Tree> objects = Cluster();
  Tree claim = CountingClaim("odd", 1);
  claim["spec"]["matchAttribute"] = {"numa"};
  objects.push_back(claim);
  objects.push_back(PodWith("odd", {{{"name", "gpus"}, {"claimName", "odd"}}}));
  const Ran ran = Explain(objects, {"odd"});
  EXPECT_THAT(ran.out, HasSubstr("Claims:    0 of 3 nodes have devices for odd\n"));
  EXPECT_THAT(ran.out,
              HasSubstr("claim default/odd: spec.matchAttribute: \"matchAttribute\" is not a "
                        "known field; did you mean matchAttributes?"));
}

// Agents are explained, whatever the state of other objects.
TEST(ExplainPodClaims, ThatCannotBeReadAreANote) {
  std::vector<Tree> objects = Cluster();
  objects.push_back(objects[3]);
  const Ran ran = Explain(objects, {"web"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "note: device claims cannot be explained: " +
                         ran.err.substr(ran.err.find("explained: ") + 11));
  EXPECT_THAT(ran.err, HasSubstr("DevicePool p0 is given twice"));
  EXPECT_EQ(Explain(objects, {"plain"}).err, "");
}

/// The same with one agent, which plans while it serves.
Ran ExplainDevices(const std::vector<Tree>& objects, std::vector<std::string> arguments) {
  const std::vector<AgentInfo> agents = {
      {"devices", "", 1, internal::MakeAgentFactory<Plans, NoSettings>()}};
  const TempFile dump(ListOf(objects), "dump.json");
  arguments.insert(arguments.begin(), {"explain", "pod", "--cluster", dump.path()});
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  const World world{agents, {}, {}, in, out, err, {}, "outrigger"};
  const int code = cli::Run(arguments, world);
  return {code, out.str(), err.str()};
}

// The node that has the devices of a shared claim has no room for a second pod.
TEST(ExplainPodClaims, AreExplainedWithTheRoomForThePod) {
  const Tree claims = {{{"name", "gpu"}, {"claimName", "shared"}}};
  Tree shared = Holding(CountingClaim("shared", 1), "p0", 1);
  shared["status"]["podNames"] = {"one"};
  const std::vector<Tree> objects = {NodeNamed("a"),
                                     NodeNamed("b"),
                                     CountingPool("p0", "a", 1),
                                     CountingPool("p1", "b", 1),
                                     shared,
                                     Asking(PodWith("one", claims), "3", "a"),
                                     Asking(PodWith("two", claims), "3"),
                                     PlainPod()};
  const Ran ran = ExplainDevices(objects, {"two"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(
      ran.out,
      "Pod:       default/two\n"
      "Requests:  cpu 3\n"
      "\n"
      "Claims:    1 of 2 nodes has devices for shared, 0 of these room for the pod\n"
      "\n"
      "NODE  DEVICES  SCORE  CLAIM   POOL    FREE  GETS  WHY\n"
      "a     no room     50                              cpu: 3 requested, 1 free; claim shared "
      "has its devices here until pod one has ended\n"
      "                      shared  p0    0 of 1     1  0 free (1 in use by default/shared)\n"
      "b     never        -                              claim shared: its devices are on node "
      "a until pod one has ended\n"
      "                      shared  p1    1 of 1     -\n");
  const Tree json = Tree::parse(ExplainDevices(objects, {"two", "-o", "json"}).out).at("claims");
  EXPECT_EQ(json.at("byNode").at(0).at("noRoom"),
            "cpu: 3 requested, 1 free; claim shared has its devices here until pod one has ended");
  const Ran plain = ExplainDevices(objects, {"plain"});
  EXPECT_EQ(plain.code, 1);
  EXPECT_THAT(
      plain.err,
      HasSubstr("devices can only be explained while serving; see `outrigger explain gang`"));
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
       {"pods", ObjectServer::List({objects[8]})},
       {"default/pods/web", objects[8]}});
  const Ran ran = RunIt({"explain", "pod", "default/web", "--kubeconfig", server.kubeconfig()});
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, EndsWith(kTable));
}

}  // namespace
}  // namespace outrigger::cli
