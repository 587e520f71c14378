// The rights of agents that work in another way than by default.
#include <string>
#include <tuple>
#include <vector>

#include "cli/agents/rbac.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "unit/cli/agents/rbac_testing.h"
#include "unit/cli/test_agents.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

using ::outrigger::testing::RunProgram;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct ModeSettings {
  bool without_extender = false;
  std::string lease = "outrigger/mine";
  static constexpr auto kFields =
      std::tuple{Setting{"without-extender", &ModeSettings::without_extender, "is not called"},
                 Setting{"lease", &ModeSettings::lease, "then"}};
};

class WithMode final : public Agent, public Binder {
 public:
  explicit WithMode(const ModeSettings& /*settings*/) {}
  static std::vector<AccessRule> Access(const ModeSettings& settings) {
    if (!settings.without_extender) return {{"", "pods/binding", {"create"}}};
    AccessRule lease{"coordination.k8s.io", "leases", {"get", "update"}};
    lease.names = {"mine"};
    lease.in_own_namespace = true;
    return {{"", "pods", {"patch"}}, lease};
  }
  absl::Status Bind(const BindRequest& /*request*/) override { return absl::OkStatus(); }
};

TEST(Rbac, IsThatOfAgentsThatNoneCallsWhereThatIsAskedFor) {
  std::vector<AgentInfo> registry = testing::TestAgents();
  registry.push_back({"apart", "", 1, internal::MakeAgentFactory<WithMode, ModeSettings>()});
  AgentsFlags flags;
  flags.name = "apart";
  flags.rbac = true;
  const auto rules = [&] {
    const auto text = RbacText(flags, registry, {});
    EXPECT_TRUE(text.ok()) << text.status();
    std::vector<std::string> all;
    for (const YAML::Node& object : YAML::LoadAll(text.value_or(""))) {
      if (!object["rules"].IsDefined()) continue;
      for (const std::string& rule : Rules(object)) all.push_back(rule);
    }
    return all;
  };
  EXPECT_THAT(rules(), ElementsAre("create pods/binding."));
  flags.without_extender = true;
  EXPECT_THAT(rules(), ElementsAre("patch pods.", "get,update leases.coordination.k8s.io[mine]"));
  EXPECT_THAT(*RbacText(flags, registry, {}), HasSubstr("namespace: outrigger\n"));
  flags.name_space = "jobs";
  EXPECT_THAT(*RbacText(flags, registry, {}),
              StartsWith("# Serve with --apart.lease=jobs/mine: what the agent keeps is there."));
  flags.name = "apart,safe";
  EXPECT_THAT(std::string(RbacText(flags, registry, {}).status().message()),
              HasSubstr("--without-extender: agent safe works by calls of a scheduler alone"));
}

struct GateSettings {
  bool gates = false;
  static constexpr auto kFields =
      std::tuple{Setting{"gates", &GateSettings::gates, "pods wait with a gate"}};
};

class WithGates final : public Agent, public Binder {
 public:
  explicit WithGates(const GateSettings& /*settings*/) {}
  static std::vector<AccessRule> Access(const GateSettings& settings) {
    if (!settings.gates) return {};
    return {{"", "pods", {"patch"}}};
  }
  absl::Status Bind(const BindRequest& /*request*/) override { return absl::OkStatus(); }
};

TEST(Rbac, HasTheRightToTakeGatesOffOnlyWhereThatIsAskedFor) {
  std::vector<AgentInfo> registry = testing::TestAgents();
  registry.push_back({"gated", "", 1, internal::MakeAgentFactory<WithGates, GateSettings>()});
  AgentsFlags flags;
  flags.name = "gated,safe";
  flags.rbac = true;
  EXPECT_THAT(*RbacText(flags, registry, {}), Not(HasSubstr("patch")));
  flags.gates = true;
  EXPECT_THAT(*RbacText(flags, registry, {}), HasSubstr("patch"));
  flags.name = "safe";
  EXPECT_THAT(std::string(RbacText(flags, registry, {}).status().message()),
              HasSubstr("--gates: safe takes no gate off pods"));
}

TEST(Rbac, TheFlagGoesWithRbac) {
  EXPECT_THAT(RunProgram({"agents", "gang", "--gates"}).err, HasSubstr("--gates goes with --rbac"));
  EXPECT_THAT(RunProgram({"agents", "gang", "--without-extender"}).err,
              HasSubstr("--without-extender goes with --rbac"));
}

}  // namespace
}  // namespace outrigger::cli
