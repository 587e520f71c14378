// `outrigger devices` on files.

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

Ran DevicesOf(const std::vector<Tree>& objects, std::vector<std::string> arguments = {}) {
  const TempFile file(ListOf(objects), "objects.json");
  arguments.insert(arguments.begin(), {"devices", "-f", file.path()});
  return RunProgram(arguments);
}

Tree ListingPool() {
  return DeviceObject("DevicePool", "cards",
                      {{"nodeName", "b"},
                       {"driver", "d"},
                       {"devices", {{{"name", "x0"}}, {{"name", "x1"}}, {{"name", "x2"}}}}});
}

Tree HoldingDevices(const std::string& name, const std::vector<std::string>& devices) {
  Tree claim = CountingClaim(name, 1);
  for (const std::string& device : devices) {
    claim["status"]["allocations"].push_back({{"devicePoolName", "cards"}, {"deviceName", device}});
  }
  return claim;
}

const std::vector<Tree>& Objects() {
  static const std::vector<Tree> objects = {
      ListingPool(),
      CountingPool("p0", "a", 4),
      CountingPool("net", "", 1),
      Holding(CountingClaim("job", 3), "p0", 3),
      HoldingDevices("first", {"x0", "x2"}),
      HoldingDevices("second", {"x1"}),
  };
  return objects;
}

TEST(Devices, AreListedByPoolAndClaim) {
  const Ran ran = DevicesOf(Objects());
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out,
            "POOL   NODE  DRIVER              TOTAL  USED  FREE  CLAIM           DEVICES  PODS\n"
            "net    -     example.com-foozer      1     0     1  -               -        -\n"
            "p0     a     example.com-foozer      4     3     1  default/job     3        job\n"
            "cards  b     d                       3     3     0  default/first   x0,x2    -\n"
            "                                                    default/second  x1       -\n");
}

TEST(Devices, AreJsonForPrograms) {
  const Tree list = Tree::parse(DevicesOf(Objects(), {"-o", "json"}).out);
  EXPECT_EQ(list["total"], 8);
  EXPECT_EQ(list["used"], 6);
  EXPECT_EQ(list["free"], 2);
  EXPECT_EQ(list["pools"][0]["node"], nullptr);
  EXPECT_EQ(list["pools"][1], Tree::parse(R"({"name":"p0","node":"a",
      "driver":"example.com-foozer","total":4,"used":3,"free":1,
      "claims":[{"claim":"default/job","count":3,"pods":["job"]}]})"));
  EXPECT_EQ(list["pools"][2]["claims"][0]["devices"], Tree::parse(R"(["x0","x2"])"));
}

TEST(Devices, OfAClaimInTwoPoolsAreCountedInEach) {
  Tree claim = Holding(CountingClaim("job", 3), "p0", 3);
  claim["status"]["allocations"].push_back({{"devicePoolName", "p1"}, {"deviceCount", 2}});
  const Ran ran = DevicesOf({CountingPool("p0", "a", 4), CountingPool("p1", "a", 4), claim});
  EXPECT_THAT(ran.out, HasSubstr("4     3     1  default/job  3        job\n"));
  EXPECT_THAT(ran.out, HasSubstr("4     2     2  default/job  2        job\n"));
}

TEST(Devices, OfPoolsThatOfferNothingSayWhy) {
  Tree pool = ListingPool();
  pool["spec"]["devices"][1]["name"] = "x0";
  const Ran ran = DevicesOf({pool, NodeNamed("a")});
  EXPECT_THAT(ran.out, HasSubstr("invalid: "));
  EXPECT_EQ(ran.err, "note: pool cards: there is no node b\n");
  const Tree list = Tree::parse(DevicesOf({pool}, {"-o", "json"}).out);
  EXPECT_THAT(std::string(list["pools"][0]["fault"]), HasSubstr("x0"));
}

TEST(Devices, RefuseWrongFlags) {
  EXPECT_EQ(DevicesOf({}, {"-o", "yaml"}).code, 2);
  const Ran ran = DevicesOf({}, {"--kubeconfig", "x"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--kubeconfig and --context select the live cluster"));
  // Without a file it is the live cluster.
  EXPECT_THAT(RunProgram({"devices", "--kubeconfig", "/nonexistent/k"}).err,
              HasSubstr("/nonexistent/k"));
}

}  // namespace
}  // namespace outrigger::cli
