// What `outrigger serve` says at its start when there is no way to the cluster.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli/run.h"
#include "console/program_testing.h"
#include "fmt/format.h"
#include "kube/raw_server_testing.h"

namespace outrigger::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TempFile;

struct Safe : Agent, Filterer {
  explicit Safe(const NoSettings& /*settings*/) {}
  Needs Reads() const override { return Needs().NodeLabels(); }
  absl::Status Filter(const Request& /*r*/, std::span<Verdict> /*v*/) const override {
    return absl::OkStatus();
  }
};

struct Names : Agent, Filterer {
  explicit Names(const NoSettings& /*settings*/) {}
  absl::Status Filter(const Request& /*r*/, std::span<Verdict> /*v*/) const override {
    return absl::OkStatus();
  }
};

struct Plans : Safe, Controller {
  explicit Plans(const NoSettings& settings, const AgentDeps& deps)
      : Safe(settings), has_cluster(deps.cluster != nullptr) {}
  absl::Status Start() override {
    return has_cluster ? absl::OkStatus() : absl::FailedPreconditionError("needs the API server");
  }
  void Stop() override {}
  const bool has_cluster;
};

/// The log of a start that ends because somebody listens on the port already.
std::string LogOf(std::vector<std::string> arguments) {
  static const std::vector<AgentInfo> agents = {
      {"names", "", 1, internal::MakeAgentFactory<Names, NoSettings>()},
      {"plans", "", 2, internal::MakeAgentFactory<Plans, NoSettings>()},
      {"safe", "", 3, internal::MakeAgentFactory<Safe, NoSettings>()},
      {"sound", "", 4, internal::MakeAgentFactory<Safe, NoSettings>()}};
  const kube::RawServer taken([](kube::RawPeer&, size_t) {});
  arguments.insert(arguments.begin(),
                   {"serve", "--admin-port=0", fmt::format("--port={}", taken.port())});
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(Run(arguments, World{agents, {}, {}, in, out, err, {}, "outrigger"}), 1);
  return ::testing::internal::GetCapturedStderr() + err.str();
}

constexpr char kConfig[] =
    "clusters: [{name: c, cluster: {server: \"http://127.0.0.1:1\"}}]\n"
    "users: [{name: u, user: {}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
    "current-context: x\n";

constexpr char kNodes[] = R"({"kind":"NodeList","items":[{"metadata":{"name":"n1"}}]})";

struct Start {
  const char* name;
  std::vector<std::string> arguments;  // CONFIG and NODES are files
  const char* warning;                 // empty: none
};
class ServeWarns : public ::testing::TestWithParam<Start> {};

TEST_P(ServeWarns, OfCallsThatCannotBeAnswered) {
  const TempFile config(kConfig, "config");
  const TempFile nodes(kNodes, "nodes.json");
  std::vector<std::string> arguments;
  for (const std::string& argument : GetParam().arguments) {
    arguments.push_back(argument == "CONFIG"  ? config.path()
                        : argument == "NODES" ? nodes.path()
                                              : argument);
  }
  const std::string log = LogOf(arguments);
  EXPECT_THAT(log, HasSubstr("choose other ports"));
  const std::string warning = GetParam().warning;
  if (warning.empty()) {
    EXPECT_THAT(log, Not(HasSubstr("no cluster is watched")));
  } else {
    EXPECT_THAT(log, AllOf(HasSubstr(warning), HasSubstr("scheduler-config --full-nodes")));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ServeWarns,
    ::testing::Values(Start{"NoWay",
                            {"--agents=safe"},
                            "safe reads more of nodes than names, but no cluster is watched: "},
                      Start{"NamesTheAgents",
                            {"--agents=names,sound,safe"},
                            "sound and safe read more of nodes "},
                      Start{"NoWayAdvice", {"--agents=safe"}, "Give --kubeconfig FILE, or "},
                      Start{"WatchIsOff",
                            {"--agents=safe", "--watch=false"},
                            "Leave out --watch=false and give --kubeconfig FILE, or "},
                      Start{"WatchIsOffWithAWay",
                            {"--agents=safe", "--watch=false", "--kubeconfig", "CONFIG"},
                            "Leave out --watch=false, or "},
                      Start{"NothingIsRead", {"--agents=names"}, ""},
                      Start{"Kubeconfig", {"--agents=safe", "--kubeconfig", "CONFIG"}, ""},
                      Start{"NodeTable", {"--agents=safe", "--node-table", "NODES"}, ""}),
    [](const auto& row) { return row.param.name; });

TEST(Serve, NamesTheFlagThatKeepsAnAgentFromTheCluster) {
  const TempFile config(kConfig, "config");
  EXPECT_THAT(
      LogOf({"--agents=plans", "--watch=false", "--kubeconfig", config.path()}),
      HasSubstr("plans: needs the API server; --watch=false prevents it: leave that out\n"));
  EXPECT_THAT(LogOf({"--agents=plans"}), HasSubstr("plans: needs the API server\n"));
  const TempFile nodes(kNodes, "nodes.json");
  EXPECT_THAT(LogOf({"--agents=plans", "--node-table", nodes.path()}),
              HasSubstr("plans: needs the API server; --node-table prevents it: leave that out\n"));
}

}  // namespace
}  // namespace outrigger::cli
