// `outrigger schedule` and `outrigger devices` on a live cluster.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "devices/commands/schedule/live_testing.h"
#include "devices/commands/schedule/schedule_testing.h"

namespace outrigger::cli {
namespace {

using Tree = nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Ran;
using testing::RunProgram;
using testing::TempFile;

ObjectServer::Answers Cluster() {
  Tree pod = PodWith("web", {{{"name", "gpus"}, {"claimName", "two"}}});
  const Tree of = DeviceObject("DeviceClass", "foozer",
                               {{"driver", "example.com-foozer"}, {"deviceType", "gpu"}});
  return {{"nodes", ObjectServer::List({NodeNamed("a"), NodeNamed("b")})},
          {"devicepools", ObjectServer::List({CountingPool("p0", "a", 2)})},
          {"deviceclasses", ObjectServer::List({of})},
          {"devicedrivers", ObjectServer::List({})},
          {"deviceclaims", ObjectServer::List({CountingClaim("two", 2)})},
          {"deviceprivilegedclaims", ObjectServer::List({})},
          {"namespaces", ObjectServer::List({})},
          {"default/pods/web", pod}};
}

Ran ScheduleLive(const ObjectServer& server, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(),
                   {"schedule", "--cluster", "live", "--kubeconfig", server.kubeconfig()});
  return RunProgram(arguments);
}

TEST(ScheduleLive, ReadsAPodOfTheCluster) {
  const ObjectServer server(Cluster());
  const Ran ran = ScheduleLive(server, {"--pod", "web"});
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, AllOf(HasSubstr("a: satisfied all claims with score 100\n"),
                             HasSubstr("b: could not satisfy these claims: two\n  claim "
                                       "default/two: 2 foozer wanted, the node has no pools\n")));
  EXPECT_EQ(ScheduleLive(server, {"--pod", "default/web"}).out, ran.out);
}

// What-if: files come first.
TEST(ScheduleLive, FilesStandForWhatTheClusterHas) {
  const ObjectServer server(Cluster());
  const TempFile file(ListOf({CountingPool("p0", "b", 1), CountingClaim("one", 1)}), "new.json");
  const Ran ran = ScheduleLive(server, {"-f", file.path()});
  EXPECT_EQ(ran.err,
            "note: DevicePool p0 is read from " + file.path() + ", not from the cluster\n");
  EXPECT_THAT(ran.out, HasSubstr("b: satisfied all claims with score 100\n"));
}

TEST(ScheduleLive, ClassesMustBeThere) {
  ObjectServer::Answers answers = Cluster();
  answers["deviceclasses"] = ObjectServer::List({});
  const ObjectServer server(answers);
  const Ran ran = ScheduleLive(server, {"--pod", "web"});
  EXPECT_THAT(ran.out, AllOf(HasSubstr("a: could not satisfy these claims: two\n"),
                             HasSubstr("there is no DeviceClass \"foozer\"")));
}

// What may not be read allows nothing.
TEST(ScheduleLive, NamespacesSayWhoMayHaveAdminAccess) {
  ObjectServer::Answers answers = Cluster();
  answers["deviceprivilegedclaims"] = ObjectServer::List(
      {DeviceObject("DevicePrivilegedClaim", "all", {{"driver", "example.com-foozer"}})});
  answers["default/pods/web"] = PodWith("web", {{{"name", "a"}, {"privilegedClaimName", "all"}}});
  const auto run = [&] { return ScheduleLive(ObjectServer(answers), {"--pod", "web"}); };
  EXPECT_THAT(run().out, HasSubstr("a: could not satisfy these claims: all\n  claim default/all: "
                                   "admin access to devices needs the label "));
  answers["namespaces"] = ObjectServer::Refusal(403);
  EXPECT_THAT(run().out, HasSubstr("a: could not satisfy these claims: all\n"));
  EXPECT_THAT(run().err,
              HasSubstr("note: namespaces are treated as not labelled for admin access: "));
  answers["namespaces"] = ObjectServer::List(
      {{{"metadata",
         {{"name", "default"}, {"labels", {{"resource.kubernetes.io/admin-access", "true"}}}}}}});
  EXPECT_THAT(run().out, HasSubstr("a: satisfied all claims"));
}

TEST(ScheduleLive, AKindThatIsNotServedIsNoted) {
  ObjectServer::Answers answers = Cluster();
  answers.erase("devicepools");
  const ObjectServer server(answers);
  const Ran ran = ScheduleLive(server, {"--pod", "web"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err,
            "note: the cluster does not know devicepools.devmgmtproto.k8s.io: apply "
            "deploy/devices\n");
}

TEST(ScheduleLive, WhatIsRefusedFails) {
  ObjectServer::Answers answers = Cluster();
  answers["deviceclaims"] = ObjectServer::Refusal(403);
  const ObjectServer server(answers);
  const Ran ran = ScheduleLive(server, {"--pod", "web"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr(server.url() + "/apis/devmgmtproto.k8s.io/v1alpha1/deviceclaims"));
  const Ran missing = ScheduleLive(ObjectServer(Cluster()), {"--pod", "wbe"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, HasSubstr("/pods/wbe"));
}

TEST(DevicesLive, IsTheDefault) {
  const ObjectServer server(Cluster());
  const Ran ran = RunProgram({"devices", "--kubeconfig", server.kubeconfig()});
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out,
            "POOL  NODE  DRIVER              TOTAL  USED  FREE  CLAIM  DEVICES  PODS\n"
            "p0    a     example.com-foozer      2     0     2  -      -        -\n");
}

}  // namespace
}  // namespace outrigger::cli
