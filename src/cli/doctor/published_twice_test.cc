// `outrigger doctor --cluster` and `--live`: devices of a node that are published twice.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/run.h"
#include "console/program_testing.h"
#include "doctor_testing.h"
#include "fmt/format.h"
#include "kube/raw_server_testing.h"

namespace outrigger::cli {
namespace {

using ::testing::AllOf;
using testing::Configuration;
using testing::DoctorAgents;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Ran;
using testing::TempFile;

Ran RunDoctor(std::vector<std::string> arguments, const std::string& agents = "safe,devices") {
  arguments.insert(arguments.begin(), {"doctor", "-"});
  std::istringstream in(Configuration(agents));
  std::ostringstream out;
  std::ostringstream err;
  const World world{DoctorAgents(), {}, {}, in, out, err};
  const int code = cli::Run(arguments, world);
  return {code, out.str(), err.str()};
}

std::string Published(const std::string& kind, const std::string& node, const std::string& driver,
                      const std::string& devices = R"("devices":[{"name":"d0"}])") {
  const bool is_pool = kind == "DevicePool";
  return fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"x"}},)"
                     R"("spec":{{"nodeName":"{}","driver":"{}",{}}}}})",
                     is_pool ? "devmgmtproto.k8s.io/v1alpha1" : "resource.k8s.io/v1", kind, node,
                     driver, devices);
}

std::string NodeWith(const std::string& name, const std::string& allocatable) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{}","annotations":{{"mean-free-cpu":"1"}}}},)"
      R"("status":{{"allocatable":{{{}}}}}}})",
      name, allocatable);
}

const std::string kGpuPool = Published("DevicePool", "n1", "gpu.example.com", R"("count":2)");
const std::string kGpuSlice = Published("ResourceSlice", "n1", "gpu.example.com");
const std::string kPluginNode = NodeWith("n1", R"("cpu":"4","example.com/gpu":"2")");

std::string FoundIn(const std::vector<std::string>& objects,
                    const std::string& agents = "safe,devices") {
  const TempFile file(fmt::format(R"({{"kind":"List","items":[{}]}})", fmt::join(objects, ",")),
                      "objects.json");
  return RunDoctor({"--cluster", file.path()}, agents).out;
}

TEST(DoctorOfDevices, FindsADriverWithPoolsAndSlicesOfANode) {
  EXPECT_THAT(FoundIn({kGpuSlice, kGpuPool, Published("DevicePool", "n0", "gpu.example.com"),
                       Published("ResourceSlice", "n0", "gpu.example.com"),
                       Published("DevicePool", "n2", "gpu.example.com")}),
              AllOf(HasSubstr("Found:  1 warning\n"),
                    HasSubstr("warning published-twice (node n0)\n  Found: 2 nodes: driver "
                              "gpu.example.com has DevicePools and ResourceSlices\n")));
}

TEST(DoctorOfDevices, SaysOfADevicePluginThatItMayBeTheSameHardware) {
  EXPECT_THAT(FoundIn({kGpuPool, kPluginNode}),
              AllOf(HasSubstr("Found:  1 warning\n"),
                    HasSubstr("published-twice (node n1)\n  Found: 1 node: driver gpu.example.com "
                              "has DevicePools, and a device plugin offers example.com/gpu: they "
                              "may be the same devices\n")));
  EXPECT_THAT(FoundIn({kPluginNode, Published("DevicePool", "n1", "example.com-foozer")}),
              HasSubstr("driver example.com-foozer has DevicePools, and a device plugin"));
}

struct OnceRow {
  std::string name;
  std::vector<std::string> objects;
};

class DoctorOfDevicesIsQuiet : public ::testing::TestWithParam<OnceRow> {};

TEST_P(DoctorOfDevicesIsQuiet, About) {
  EXPECT_THAT(FoundIn(GetParam().objects), HasSubstr("Found:  nothing\n"));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, DoctorOfDevicesIsQuiet,
    ::testing::Values(
        OnceRow{"PoolsAlone", {kGpuPool, NodeWith("n1", R"("cpu":"4")")}},
        OnceRow{"SlicesAlone", {kGpuSlice, kPluginNode}},
        OnceRow{"AnotherNode",
                {kGpuPool, Published("ResourceSlice", "n2", "gpu.example.com"),
                 NodeWith("n2", R"("example.com/gpu":"2")")}},
        OnceRow{"AnotherDriver", {kGpuPool, Published("ResourceSlice", "n1", "nic.example.com")}},
        OnceRow{"NoNode",
                {Published("DevicePool", "", "gpu.example.com"),
                 Published("ResourceSlice", "", "gpu.example.com")}},
        OnceRow{"NoDevices",
                {kGpuPool, Published("ResourceSlice", "n1", "gpu.example.com", R"("devices":[])")}},
        OnceRow{"AnEmptyPool",
                {kGpuSlice, Published("DevicePool", "n1", "gpu.example.com", R"("count":0)")}},
        OnceRow{"APluginThatIsGone", {kGpuPool, NodeWith("n1", R"("example.com/gpu":"0")")}},
        OnceRow{"APartOfTheDomain", {kGpuPool, NodeWith("n1", R"("ample.com/gpu":"2")")}},
        OnceRow{"ObjectsWithoutASpec",
                {R"({"apiVersion":"devmgmtproto.k8s.io/v1alpha1","kind":"DevicePool"})",
                 R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","spec":[]})"}}),
    [](const auto& row) { return row.param.name; });

// Nobody else needs the rights for it.
TEST(DoctorOfDevices, LooksAtThemOnlyIfTheFileCallsTheAgent) {
  EXPECT_THAT(FoundIn({kGpuPool, kGpuSlice}, "safe"), Not(HasSubstr("published-twice")));
}

/// An API server with these lists and documents by path, each a body; 404 for other paths, 403 for
/// an empty body.
Ran RunLive(const std::map<std::string, std::string>& bodies) {
  const kube::RawServer server([&bodies](kube::RawPeer& peer, size_t) {
    for (std::string request = peer.ReadRequest(); !request.empty(); request = peer.ReadRequest()) {
      const size_t begin = request.find('/');
      const auto body =
          bodies.find(request.substr(begin, request.find_first_of("? ", begin) - begin));
      const int code = body == bodies.end() ? 404 : body->second.empty() ? 403 : 200;
      peer.Send(kube::Answer(code, code == 200 ? body->second : R"({"kind":"Status"})"));
    }
  });
  const TempFile kubeconfig(
      fmt::format("clusters: [{{name: c, cluster: {{server: '{}'}}}}]\n"
                  "contexts: [{{name: x, context: {{cluster: c}}}}]\n"
                  "current-context: x\n",
                  server.url()));
  return RunDoctor({"--live", "--kubeconfig", kubeconfig.path()});
}

std::string ListBody(const std::string& items) {
  return fmt::format(R"({{"metadata":{{"resourceVersion":"7"}},"items":[{}]}})", items);
}

constexpr const char* kPodsPath = "/api/v1/pods";
constexpr const char* kNodesPath = "/api/v1/nodes";
constexpr const char* kPoolsPath = "/apis/devmgmtproto.k8s.io/v1alpha1/devicepools";
const std::string kDraPath = "/apis/resource.k8s.io";
const std::string kSlicesServed = R"({"resources":[{"name":"resourceslices"}]})";

std::map<std::string, std::string> ServingDra(const std::string& version) {
  return {{kPodsPath, ListBody(R"({"metadata":{"name":"p"}})")},
          {kNodesPath, ListBody(kPluginNode)},
          {kPoolsPath, ListBody(kGpuPool)},
          {kDraPath, fmt::format(R"({{"versions":[{{"version":"{}"}}]}})", version)},
          {kDraPath + "/" + version, kSlicesServed},
          {kDraPath + "/" + version + "/resourceslices", ListBody(kGpuSlice)}};
}

TEST(DoctorOfDevices, AsksALiveClusterInTheVersionThatItServes) {
  for (const char* version : {"v1", "v1beta2"}) {
    const Ran ran = RunLive(ServingDra(version));
    EXPECT_EQ(ran.err, "") << version;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("gpu.example.com has DevicePools and ResourceSlices\n"),
                               HasSubstr("a device plugin offers example.com/gpu")))
        << version;
  }
}

TEST(DoctorOfDevices, FindsNothingOfKindsThatAreNotServed) {
  auto bodies = ServingDra("v1");
  bodies.erase(kDraPath);
  EXPECT_THAT(RunLive(bodies).out, Not(HasSubstr("ResourceSlices")));
  bodies.erase(kPoolsPath);
  const Ran ran = RunLive(bodies);
  EXPECT_THAT(ran.out, HasSubstr("Found:  nothing\n"));
  EXPECT_EQ(ran.err, "");
}

TEST(DoctorOfDevices, SaysWhatMayNotBeRead) {
  auto bodies = ServingDra("v1");
  bodies[kNodesPath] = "";
  bodies[kDraPath + "/v1/resourceslices"] = "";
  Ran ran = RunLive(bodies);
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("Found:  nothing\n"));
  EXPECT_THAT(ran.err,
              AllOf(HasSubstr("note: nodes are treated as absent: "),
                    HasSubstr("note: resourceslices.resource.k8s.io are treated as absent: ")));
  bodies[kPoolsPath] = "";
  ran = RunLive(bodies);
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.err,
              AllOf(HasSubstr("note: devicepools.devmgmtproto.k8s.io are treated as absent: "),
                    Not(HasSubstr("resourceslices"))));
}

}  // namespace
}  // namespace outrigger::cli
