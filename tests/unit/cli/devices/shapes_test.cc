// `outrigger devices pools`: the shapes of the prototype's generators.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/args/command.h"
#include "cli/devices/shapes.h"
#include "cli/format/yaml_json.h"
#include "golden.h"
#include "unit/cli/schedule/schedule_testing.h"

namespace outrigger::cli {
namespace {

using Tree = nlohmann::json;
using ::testing::HasSubstr;
using testing::LoadGolden;
using testing::Ran;
using testing::RunProgram;

std::map<std::string, std::vector<Tree>> Print(const std::string& shape, int nodes) {
  const Ran ran =
      RunProgram({"devices", "pools", "--shape", shape, "--nodes", std::to_string(nodes)});
  EXPECT_EQ(ran.code, 0) << ran.err;
  std::map<std::string, std::vector<Tree>> kinds;
  const auto status = ForEachYamlDocument(shape, ran.out, [&](std::string* text) {
    const Tree object = Tree::parse(*text);
    kinds[object.at("kind")].push_back(object);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return kinds;
}

TEST(Shapes, AreAllThatTheCommandLineOffers) {
  const std::vector<std::string> words(kDeviceShapes.begin(), kDeviceShapes.end());
  EXPECT_EQ(ShapeNames(), words);
}

// The prototype's tests are made with the same shapes.
TEST(Shapes, ThatCountAreThePrototypes) {
  std::map<std::string, Tree> printed;
  for (const char* shape : {"zero", "one", "three", "foozer-barzer"}) {
    const auto kinds = Print(shape, 2);
    for (const Tree& pool : kinds.at("DevicePool")) printed[pool["metadata"]["name"]] = pool;
  }
  std::set<std::string> compared;
  const Tree table = LoadGolden("device_schedules.json");
  for (const Tree& row : table.at("cases")) {
    for (const Tree& pool : row.at("pools")) {
      const std::string name = pool["metadata"]["name"];
      EXPECT_EQ(printed[name], pool) << name;
      compared.insert(name);
    }
  }
  EXPECT_EQ(compared.size(), printed.size());
}

TEST(Shapes, TwoHasFourNumaNodesOfTheLargeModel) {
  const auto kinds = Print("two", 3);
  ASSERT_EQ(kinds.at("DevicePool").size(), 12U);
  EXPECT_EQ(kinds.at("DevicePool").at(11), Tree::parse(R"({
      "apiVersion":"devmgmtproto.k8s.io/v1alpha1","kind":"DevicePool",
      "metadata":{"name":"shape-two-02-foozer-03"},
      "spec":{"nodeName":"shape-two-02","driver":"example.com-foozer","attributes":[
        {"name":"vendor","stringValue":"example.com"},{"name":"model","stringValue":"foozer-4000"},
        {"name":"firmwareVersion","semVerValue":"4.2.1-gen7"},
        {"name":"driverVersion","semVerValue":"1.8.2"},{"name":"numa","stringValue":"3"}],
      "count":4}})"));
  EXPECT_EQ(kinds.at("Node").at(2)["metadata"]["name"], "shape-two-02");
  EXPECT_EQ(kinds.at("DeviceDriver").at(0)["metadata"]["name"], "example.com-foozer");
  EXPECT_EQ(kinds.at("DeviceDriver").size(), 1U);
}

struct Listing {
  const char* size;
  int numa_nodes;
  int per_numa;
};

TEST(Shapes, ThatListDevicesHaveOnePoolOfItsOwnForEachNode) {
  for (const char* model : {"foozer-1000", "foozer-4000"}) {
    for (const Listing& row : {Listing{"tiny", 1, 2}, Listing{"small", 1, 4},
                               Listing{"medium", 2, 4}, Listing{"large", 4, 4}}) {
      const std::string shape = std::string(model) + "-" + row.size;
      const auto kinds = Print(shape, 2);
      ASSERT_EQ(kinds.at("DevicePool").size(), 2U);
      const Tree& pool = kinds.at("DevicePool").at(1);
      EXPECT_EQ(pool["metadata"]["name"], shape + "-01-pool-foozer");
      EXPECT_EQ(pool["spec"]["nodeName"], shape + "-01");
      EXPECT_EQ(kinds.at("Node").at(1)["metadata"]["name"], shape + "-01");
      EXPECT_FALSE(pool["spec"].contains("count"));
      const Tree& attributes = pool["spec"]["attributes"];
      EXPECT_EQ(attributes[1]["stringValue"], model);
      EXPECT_EQ(attributes[2]["semVerValue"], "1.8.2");
      EXPECT_EQ(attributes[3]["semVerValue"], "4.2.1-gen3");
      const Tree& devices = pool["spec"]["devices"];
      ASSERT_EQ(devices.size(), static_cast<size_t>(row.numa_nodes * row.per_numa));
      EXPECT_EQ(devices.back()["attributes"][0]["stringValue"], std::to_string(row.numa_nodes - 1));
      EXPECT_EQ(devices[1]["name"], "dev-01");
    }
  }
}

// What is printed is read by `schedule`.
TEST(Shapes, AreInputOfSchedule) {
  const testing::TempFile file(
      RunProgram({"devices", "pools", "--shape", "foozer-4000-large", "--nodes", "3"}).out);
  const testing::TempFile claim(
      "apiVersion: devmgmtproto.k8s.io/v1alpha1\nkind: DeviceClaim\nmetadata: {name: four}\n"
      "spec: {matchAttributes: [numa], claims: [{deviceClass: foozer, requests: {count: 4}}]}\n");
  const Ran ran = RunProgram({"schedule", "-f", file.path(), "-f", claim.path()});
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, ::testing::StartsWith("ALLOCATIONS\n-----------\n- deviceName: dev-00\n"
                                             "  devicePoolName: foozer-4000-large-00-pool-foozer"));
}

TEST(Shapes, RefuseWhatIsNone) {
  const Ran unknown = RunProgram({"devices", "pools", "--shape", "foozer-1000-tinny"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("zero, one, two, three, foozer-barzer, foozer-1000-tiny, "));
  EXPECT_THAT(unknown.err, HasSubstr("did you mean foozer-1000-tiny?"));
  for (const char* nodes : {"0", "-1", "5001", "many", ""}) {
    const Ran ran = RunProgram({"devices", "pools", "--shape", "zero", "--nodes", nodes});
    EXPECT_EQ(ran.code, 2) << nodes;
    EXPECT_THAT(ran.err, HasSubstr("1 to 5000"));
  }
  EXPECT_THAT(RunProgram({"devices", "pools"}).err, HasSubstr("wants --shape SHAPE"));
}

}  // namespace
}  // namespace outrigger::cli
