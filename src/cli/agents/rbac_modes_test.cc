// The rights of agents that work in another way than by default.
#include <string>
#include <tuple>
#include <vector>

#include "cli/agents/rbac.h"
#include "cli/agents/rbac_testing.h"
#include "console/program_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

using ::outrigger::testing::RunProgram;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct ModeSettings {
  std::string mode = "extender";
  std::string lease = "outrigger/mine";
  static constexpr auto kFields =
      std::tuple{Setting{"mode", &ModeSettings::mode, "extender|alone", "whether it is called"},
                 Setting{"lease", &ModeSettings::lease, "then"}};
};

class WithMode final : public Agent, public Binder {
 public:
  explicit WithMode(const ModeSettings& /*settings*/) {}
  static std::vector<AccessRule> Access(const ModeSettings& settings) {
    if (settings.mode != "alone") return {{"", "pods/binding", {"create"}}};
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
  flags.mode = "alone";
  EXPECT_THAT(rules(), ElementsAre("patch pods.", "get,update leases.coordination.k8s.io[mine]"));
  EXPECT_THAT(*RbacText(flags, registry, {}), HasSubstr("namespace: outrigger\n"));
  flags.name_space = "jobs";
  EXPECT_THAT(*RbacText(flags, registry, {}),
              StartsWith("# Serve with --apart.lease=jobs/mine: the agent's state is there."));
  flags.name = "apart,safe";
  EXPECT_THAT(std::string(RbacText(flags, registry, {}).status().message()),
              HasSubstr("--mode=alone: agent safe works only if a scheduler calls it"));
}

TEST(Rbac, TheFlagGoesWithRbac) {
  for (const char* flag : {"--mode=alone", "--gates", "--only-groups", "--without-extender"}) {
    const std::string name = std::string(flag).substr(0, std::string(flag).find('='));
    EXPECT_THAT(RunProgram({"agents", "gang", flag}).err, HasSubstr(name + " needs --rbac"));
  }
}

TEST(Rbac, FormerFlagsAreAcceptedWithANote) {
  const auto plain = RunProgram({"agents", "gang", "--rbac"});
  for (const char* flag : {"--gates", "--only-groups", "--mode=extender"}) {
    EXPECT_EQ(RunProgram({"agents", "gang", "--rbac", flag}).out, plain.out) << flag;
  }
  EXPECT_EQ(RunProgram({"agents", "gang", "--rbac", "--gates"}).err,
            "note: --gates is no longer needed: the rights are those of --mode; leave it out\n");
  const auto former = RunProgram({"agents", "gang", "--rbac", "--without-extender"});
  EXPECT_THAT(former.err, HasSubstr("--mode=alone: agent gang works only if a scheduler calls it"));
  EXPECT_THAT(
      RunProgram({"agents", "gang", "--rbac", "--without-extender", "--mode", "extender"}).err,
      HasSubstr("--without-extender is the former name of --mode=alone: give only one"));
  EXPECT_THAT(RunProgram({"agents", "gang", "--rbac", "--mode", "both"}).err,
              HasSubstr("--mode: \"both\" is not accepted; expected extender or alone"));
}

}  // namespace
}  // namespace outrigger::cli
