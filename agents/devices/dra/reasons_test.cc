// Why a node has no devices, and what would help.
#include "devices/dra/reasons/reason.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "dra_testing.h"

namespace outrigger::dra {
namespace {

using testing::ClaimOf;
using testing::DeviceNamed;
using testing::Holding;
using testing::RequestOf;

// A node with two devices, and a claim for one.
struct World {
  Cluster cluster;
  std::vector<Claim> claims;

  World() {
    cluster.slices = {testing::SliceOf("n", {DeviceNamed("g0", {{"numa", int64_t{0}}}),
                                             DeviceNamed("g1", {{"numa", int64_t{1}}})})};
    cluster.classes = {testing::ClassNamed("gpu", {"device.driver == 'gpu.example.com'"})};
    claims = {ClaimOf("c", {RequestOf("r")})};
  }
  std::vector<Device>& devices() { return cluster.slices[0].devices; }
  dra::Ask& ask() { return claims[0].requests[0].asks[0]; }
};

struct Row {
  const char* name;
  std::function<void(World*)> change;
  const char* text;
  const char* help;
};

void HoldBoth(World* world) {
  world->cluster.claims = {Holding(ClaimOf("job", {RequestOf("r")}), "n", {"g0"}),
                           Holding(ClaimOf("other", {RequestOf("r")}), "n", {"g1"})};
}

const std::vector<Row>& Rows() {
  static const std::vector<Row> rows = {
      {"too few", [](World* world) { world->ask().count = 3; },
       "claim c, request r: 3 of class gpu wanted, 2 free", "count 2 in request r"},
      {"in use", HoldBoth,
       "claim c, request r: 1 of class gpu wanted, 0 free (2 in use by default/job, default/other)",
       "default/job releases its devices"},
      {"all, of which one is in use",
       [](World* world) {
         HoldBoth(world);
         world->cluster.claims.pop_back();
         world->ask().all = true;
       },
       "claim c, request r: all devices of class gpu wanted, 1 free (1 in use by default/job)",
       "default/job releases its devices"},
      {"what would not help alone",
       [](World* world) {
         HoldBoth(world);
         world->cluster.claims.pop_back();
         world->ask().count = 3;
       },
       "claim c, request r: 3 of class gpu wanted, 1 free (1 in use by default/job)",
       "count 1 in request r"},
      {"tainted",
       [](World* world) {
         for (Device& device : world->devices()) {
           device.taints = {{"broken", "", TaintEffect::kNoSchedule}};
         }
       },
       "claim c, request r: 1 of class gpu wanted, 0 free (2 tainted broken:NoSchedule)",
       "a toleration of broken:NoSchedule"},
      {"a selector",
       [](World* world) {
         world->ask().selectors = {"device.attributes['gpu.example.com'].numa == 7"};
       },
       "claim c, request r: 1 of class gpu wanted, 0 free (2 not selected by "
       "device.attributes['gpu.example.com'].numa == 7)",
       "selector 0 of request r left out"},
      {"another class",
       [](World* world) { world->cluster.classes[0].selectors = {"device.driver == 'nic'"}; },
       "claim c, request r: 1 of class gpu wanted, 0 free (2 not selected by class gpu)", ""},
      {"an expression that fails",
       [](World* world) {
         world->ask().selectors = {"device.attributes['gpu.example.com'].model == 'x'"};
       },
       "claim default/c: selector #0 on device gpu.example.com/n/g0: CEL runtime error: no such "
       "key: model",
       "selector 0 of request r left out"},
      {"a constraint",
       [](World* world) {
         world->ask().count = 2;
         world->claims[0].constraints = {{.requests = {}, .attribute = "gpu.example.com/numa"}};
       },
       "claim c, request r: 2 devices with equal gpu.example.com/numa wanted, and no such 2 are "
       "among the 2 free",
       "count 1 in request r"},
      {"an amount",
       [](World* world) {
         for (Device& device : world->devices()) {
           device.capacity["memory"] = {*Quantity::Parse("8Gi"), {}};
         }
         world->ask().capacity["memory"] = *Quantity::Parse("9Gi");
       },
       "claim c, request r: 1 of class gpu wanted, 0 free (2 memory: 9Gi requested, 8Gi left)", ""},
      {"counters",
       [](World* world) {
         Slice counters = testing::SliceOf("n", {});
         counters.name = "counters";
         counters.counters = {{"card", {{"memory", *Quantity::Parse("40Gi")}}}};
         world->cluster.slices.push_back(counters);
         for (Slice& slice : world->cluster.slices) slice.slice_count = 2;
         for (Device& device : world->devices()) {
           device.consumes = {{"card", {{"memory", *Quantity::Parse("40Gi")}}}};
         }
         world->cluster.claims = {Holding(ClaimOf("job", {RequestOf("r")}), "n", {"g0"})};
       },
       "claim c, request r: 1 of class gpu wanted, 0 free (1 in use by default/job, 1 memory of "
       "card: 40Gi requested, 0 left by default/job)",
       "default/job releases its devices"},
      {"an incomplete pool", [](World* world) { world->cluster.slices[0].slice_count = 2; },
       "claim c, request r: 1 of class gpu wanted, 0 free (pool n of gpu.example.com: slices of it "
       "are missing)",
       ""},
      {"no devices at all", [](World* world) { world->cluster.slices.clear(); },
       "claim c, request r: 1 of class gpu wanted, 0 free (the node has none)", ""},
      {"two requests of the same devices",
       [](World* world) {
         world->claims[0].requests = {RequestOf("a", 2), RequestOf("b", 1)};
       },
       "claim c, requests a, b: there are devices for each, but not for all together: they need "
       "the same devices or counters",
       "count 1 in request a"},
      {"two claims of the same devices",
       [](World* world) {
         world->claims = {ClaimOf("c", {RequestOf("r", 2)}), ClaimOf("d", {RequestOf("r", 1)})};
       },
       "claims c, d: each alone fits here, but not all together", "count 1 in claim c, request r"},
      {"no such class", [](World* world) { world->ask().device_class = "tpu"; },
       "claim default/c, request r: could not retrieve device class tpu: it is not there", ""},
  };
  return rows;
}

TEST(DraReasons, SayWhatIsShortAndWhatWouldHelp) {
  for (const Row& row : Rows()) {
    World world;
    row.change(&world);
    const Allocator allocator(world.cluster);
    const Node node = testing::NodeNamed("n");
    const Answer answer = allocator.Allocate(node, world.claims);
    ASSERT_NE(answer.outcome, Outcome::kFits) << row.name;
    const Reason reason = Explain(allocator, node, world.claims, answer);
    EXPECT_EQ(reason.text, row.text) << row.name;
    EXPECT_EQ(reason.help, row.help) << row.name;
  }
}

// Upstream tries the second device, too, though it is equal to the first, and then meets the error.
TEST(DraReasons, AClaimForAllThatItsConstraintForbidsIsAnError) {
  World world;
  for (Device& device : world.devices()) device.attributes.clear();
  world.claims.push_back(ClaimOf("all", {RequestOf("r")}));
  world.claims[1].requests[0].asks[0].all = true;
  world.claims[1].constraints = {{.requests = {}, .attribute = "gpu.example.com/numa"}};
  const Allocator allocator(world.cluster);
  const Answer answer = allocator.Allocate(testing::NodeNamed("n"), world.claims);
  EXPECT_EQ(answer.outcome, Outcome::kError);
  EXPECT_EQ(answer.text,
            "claim default/all, request r: cannot add device g0 because a claim constraint would "
            "not be satisfied");
}

TEST(DraReasons, NameEachDevice) {
  World world;
  HoldBoth(&world);
  world.devices()[1].taints = {{"broken", "yes", TaintEffect::kNoExecute}};
  const Allocator allocator(world.cluster);
  const auto asks = Report(allocator, testing::NodeNamed("n"), world.claims);
  ASSERT_EQ(asks.size(), 1u);
  ASSERT_EQ(asks[0].devices.size(), 2u);
  EXPECT_EQ(asks[0].devices[0].refusal, Refusal::kInUse);
  EXPECT_EQ(asks[0].devices[0].users, std::vector<std::string>{"default/job"});
  EXPECT_EQ(asks[0].devices[1].refusal, Refusal::kTaint);
  EXPECT_EQ(asks[0].devices[1].text, "broken=yes:NoExecute");
}

}  // namespace
}  // namespace outrigger::dra
