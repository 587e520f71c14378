// `outrigger explain claim`, and what `explain pod` and `schedule` say of ResourceClaims.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "console/explain_testing.h"
#include "devices/commands/schedule/schedule_testing.h"

namespace outrigger::cli {
namespace {

using Tree = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Ran;
using testing::TempFile;

constexpr const char* kVersion = "resource.k8s.io/v1";

Tree Device(const std::string& name, int numa) {
  return {{"name", name}, {"attributes", {{"numa", {{"int", numa}}}}}};
}

Tree Slice(const std::string& node, std::vector<Tree> devices) {
  return {{"apiVersion", kVersion},
          {"kind", "ResourceSlice"},
          {"metadata", {{"name", "slice-" + node}}},
          {"spec",
           {{"driver", "gpu.example.com"},
            {"nodeName", node},
            {"pool", {{"name", node}, {"generation", 1}, {"resourceSliceCount", 1}}},
            {"devices", std::move(devices)}}}};
}

Tree Spec(int count) {
  return {{"devices",
           {{"requests",
             {{{"name", "r"}, {"exactly", {{"deviceClassName", "gpu"}, {"count", count}}}}}}}}};
}

Tree Claim(const std::string& name, int count) {
  return {{"apiVersion", kVersion},
          {"kind", "ResourceClaim"},
          {"metadata", {{"name", name}, {"namespace", "shop"}}},
          {"spec", Spec(count)}};
}

Tree Held(Tree claim, const std::string& node, const std::string& device) {
  claim["status"] = {
      {"allocation",
       {{"devices",
         {{"results",
           {{{"request", "r"},
             {"driver", "gpu.example.com"},
             {"pool", node},
             {"device", device}}}}}},
        {"nodeSelector",
         {{"nodeSelectorTerms",
           {{{"matchFields",
              {{{"key", "metadata.name"}, {"operator", "In"}, {"values", {node}}}}}}}}}}}},
      {"reservedFor", {{{"name", "old"}, {"resource", "pods"}}}}};
  return claim;
}

Tree Template() {
  return {{"apiVersion", kVersion},
          {"kind", "ResourceClaimTemplate"},
          {"metadata", {{"name", "pair"}, {"namespace", "shop"}}},
          {"spec", {{"spec", Spec(2)}}}};
}

Tree Pod(const std::string& name, Tree claims) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}, {"namespace", "shop"}}},
          {"spec", {{"resourceClaims", std::move(claims)}, {"containers", {{{"name", "c"}}}}}}};
}

Tree Class() {
  return {{"apiVersion", kVersion},
          {"kind", "DeviceClass"},
          {"metadata", {{"name", "gpu"}}},
          {"spec",
           {{"selectors", {{{"cel", {{"expression", "device.driver == 'gpu.example.com'"}}}}}}}}};
}

// Node a has one of two devices free, node b has none.
std::vector<Tree> Cluster() {
  return {NodeNamed("a"),
          NodeNamed("b"),
          Slice("a", {Device("g0", 0), Device("g1", 1)}),
          Slice("b", {}),
          Class(),
          Held(Claim("old", 1), "a", "g0"),
          Claim("one", 1),
          Claim("two", 2),
          Template(),
          Pod("web", {{{"name", "x"}, {"resourceClaimName", "one"}}}),
          Pod("pair", {{{"name", "x"}, {"resourceClaimTemplateName", "pair"}}}),
          Pod("lost", {{{"name", "x"}, {"resourceClaimName", "ones"}}})};
}

Ran RunOn(const std::vector<Tree>& objects, std::vector<std::string> command,
          const std::vector<std::string>& more) {
  const TempFile dump(ListOf(objects), "dump.json");
  command.insert(command.end(), {"--cluster", dump.path()});
  command.insert(command.end(), more.begin(), more.end());
  return RunIt(command);
}

Ran ExplainClaimOn(const std::vector<Tree>& objects, const std::vector<std::string>& more) {
  return RunOn(objects, {"explain", "claim"}, more);
}

TEST(ExplainClaimTest, SaysWhatEachNodeWouldGiveAndWhatWouldHelp) {
  const Ran ran = ExplainClaimOn(Cluster(), {"shop/one"});
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out,
            "DRA:       1 of 2 nodes has devices for one\n"
            "\n"
            "NODE  DEVICES  WHY\n"
            "a     fit      one: r gpu.example.com/a/g1\n"
            "b     no       claim one, request r: 1 of class gpu wanted, 0 free (the node has "
            "none)\n");
  EXPECT_THAT(ExplainClaimOn(Cluster(), {"two"}).out,
              HasSubstr("DRA:       0 of 2 nodes have devices for two\n"
                        "Nearest:   a; would help: shop/old releases its devices\n"));
}

TEST(ExplainClaimTest, WideNamesEachDevice) {
  EXPECT_THAT(ExplainClaimOn(Cluster(), {"two", "-o", "wide", "--nodes", "a"}).out,
              HasSubstr("      in use   two r gpu.example.com/a/g0: by shop/old\n"
                        "      free     two r gpu.example.com/a/g1\n"));
}

TEST(ExplainClaimTest, OfAnAllocatedClaimSaysWhoHasWhat) {
  const Ran ran = ExplainClaimOn(Cluster(), {"old"});
  EXPECT_THAT(ran.out, HasSubstr("Allocated: old has r gpu.example.com/a/g0, for old\n"));
  EXPECT_THAT(ran.out, HasSubstr("b     no       claim old has its devices on another node\n"));
}

TEST(ExplainClaimTest, WhatIsInAFileStandsInForTheClusters) {
  const TempFile file(ListOf({Slice("b", {Device("h", 0), Device("i", 0)})}), "what-if.json");
  EXPECT_THAT(ExplainClaimOn(Cluster(), {"two", "-f", file.path()}).out,
              HasSubstr("b     fit      two: r gpu.example.com/b/h, r gpu.example.com/b/i\n"));
}

TEST(ExplainClaimTest, JsonHasTheSame) {
  const Ran ran = ExplainClaimOn(Cluster(), {"two", "-o", "json"});
  const Tree json = Tree::parse(ran.out);
  EXPECT_EQ(json["fitting"], 0);
  EXPECT_EQ(json["nearest"], "a");
  EXPECT_EQ(json["byNode"][0]["wouldHelp"], "shop/old releases its devices");
  EXPECT_EQ(json["byNode"][0]["requests"][0]["devices"][0]["state"], "in use");
}

TEST(ExplainClaimTest, WhatIsNotThereIsNamedWithWhatIsNear) {
  EXPECT_THAT(ExplainClaimOn(Cluster(), {"shop/ones"}).err,
              HasSubstr("there is no ResourceClaim shop/ones"));
  EXPECT_THAT(ExplainClaimOn(Cluster(), {"one", "--nodes", "z"}).err,
              HasSubstr("--nodes: the cluster has no node z"));
  EXPECT_THAT(RunIt({"explain", "claim"}).err, HasSubstr("needs the name of a claim"));
}

TEST(ExplainPodDra, IsATableBelowTheAgents) {
  const Ran ran = RunOn(Cluster(), {"explain", "pod"}, {"web"});
  EXPECT_THAT(ran.out, HasSubstr("\nDRA:       1 of 2 nodes has devices for one\n"));
  EXPECT_THAT(ran.out, HasSubstr("a     fit      one: r gpu.example.com/a/g1\n"));
}

TEST(ExplainPodDra, ATemplateIsReadWhereTheClaimIsNotMadeYet) {
  EXPECT_THAT(RunOn(Cluster(), {"explain", "pod"}, {"pair"}).out,
              HasSubstr("claim x, request r: 2 of class gpu wanted, 1 free (1 in use by shop/old); "
                        "would help: shop/old releases its devices\n"));
}

TEST(ExplainPodDra, AClaimThatIsNotThereIsNamed) {
  EXPECT_THAT(RunOn(Cluster(), {"explain", "pod"}, {"lost"}).err,
              HasSubstr("there is no ResourceClaim shop/ones"));
}

TEST(ScheduleDra, SaysWhereAPodsClaimsAreServed) {
  const Ran ran = RunOn(Cluster(), {"schedule"}, {"--pod", "shop/web"});
  EXPECT_EQ(ran.out,
            "NODE RESULTS\n------------\n"
            "a: satisfied all claims: one: r gpu.example.com/a/g1\n"
            "b: could not satisfy the claims: claim one, request r: 1 of class gpu wanted, 0 free "
            "(the node has none)\n");
}

TEST(ScheduleDra, TakesTheClaimsOfFilesWithoutAPod) {
  const TempFile file(ListOf({Claim("new", 1)}), "claim.json");
  EXPECT_THAT(RunOn(Cluster(), {"schedule", "-f", file.path()}, {}).out,
              HasSubstr("a: satisfied all claims: new: r gpu.example.com/a/g1\n"));
}

TEST(ScheduleDra, NothingOfItIsWritten) {
  EXPECT_THAT(RunOn(Cluster(), {"schedule"}, {"--pod", "shop/web", "--original-results"}).err,
              HasSubstr("only kube-scheduler allocates ResourceClaims"));
}

TEST(ScheduleDra, AnOldVersionIsRefusedByName) {
  Tree slice = Slice("a", {});
  slice["apiVersion"] = "resource.k8s.io/v1beta1";
  EXPECT_THAT(ExplainClaimOn({NodeNamed("a"), slice, Claim("one", 1)}, {"one"}).err,
              HasSubstr("resource.k8s.io/v1beta1 of a ResourceSlice is not supported"));
}

}  // namespace
}  // namespace outrigger::cli
