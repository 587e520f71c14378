#include "cli/agents/rbac.h"

#include <string>
#include <tuple>
#include <vector>

#include "cli/agents/agents.h"
#include "cli/agents/rbac_testing.h"
#include "console/program_testing.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "outrigger/agent/state_store.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

using ::outrigger::testing::Ran;
using ::outrigger::testing::RunProgram;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

std::vector<YAML::Node> Rbac(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "agents");
  const Ran ran = RunProgram(arguments);
  EXPECT_EQ(ran.code, 0) << ran.err;
  return YAML::LoadAll(ran.out);
}

TEST(Rbac, GrantsWhatIsFollowedForAnAgentThatReadsNodes) {
  const auto objects = Rbac({"--rbac", "safe"});
  ASSERT_EQ(objects.size(), 3U);
  EXPECT_EQ(objects[0]["kind"].as<std::string>(), "ServiceAccount");
  EXPECT_EQ(objects[1]["kind"].as<std::string>(), "ClusterRole");
  EXPECT_THAT(Rules(objects[1]), ElementsAre("list,watch nodes."));
  EXPECT_EQ(objects[2]["kind"].as<std::string>(), "ClusterRoleBinding");
  EXPECT_EQ(objects[2]["roleRef"]["name"].as<std::string>(), "outrigger-safe");
  EXPECT_EQ(objects[2]["subjects"][0]["name"].as<std::string>(), "outrigger-safe");
  EXPECT_EQ(objects[2]["subjects"][0]["namespace"].as<std::string>(), "kube-system");
}

TEST(Rbac, GrantsNothingToAnAgentThatReadsNamesOnly) {
  EXPECT_THAT(Rules(Rbac({"--rbac", "congestion"})[1]), IsEmpty());
}

TEST(Rbac, AddsWhatTheAgentDoesItself) {
  EXPECT_THAT(Rules(Rbac({"--rbac", "gang"})[1]), ElementsAre("create pods/binding."));
}

class Planner final : public Agent, public Filterer {
 public:
  explicit Planner(const NoSettings& /*settings*/) {}
  Needs Reads() const override { return Needs().ClusterPods().ClusterGroups().ClusterClaims(); }
  static std::vector<AccessRule> Access() { return {{"", "pods", {"get"}}}; }
  absl::Status Filter(const Request& /*request*/, std::span<Verdict> /*v*/) const override {
    return absl::OkStatus();
  }
};

TEST(AccessOf, HasWhatIsFollowedForAnAgentThatPlans) {
  AgentInfo planner;
  planner.name = "planner";
  planner.factory = internal::MakeAgentFactory<Planner, NoSettings>();
  const auto access = AccessOf(planner, planner.factory.settings.Defaults());
  ASSERT_TRUE(access.ok()) << access.status();
  const std::vector<std::string> follow = {"list", "watch"};
  EXPECT_THAT(*access, ElementsAre(AccessRule{"", "nodes", follow},
                                   AccessRule{"", "persistentvolumeclaims", follow},
                                   AccessRule{"", "persistentvolumes", follow},
                                   AccessRule{"", "pods", {"get", "list", "watch"}},
                                   AccessRule{"resource.k8s.io", "deviceclasses", follow},
                                   AccessRule{"resource.k8s.io", "resourceclaims", follow},
                                   AccessRule{"scheduling.k8s.io", "podgroups", follow},
                                   AccessRule{"scheduling.k8s.io", "priorityclasses", follow},
                                   AccessRule{"scheduling.sigs.k8s.io", "podgroups", follow},
                                   AccessRule{"scheduling.volcano.sh", "podgroups", follow},
                                   AccessRule{"scheduling.x-k8s.io", "podgroups", follow},
                                   AccessRule{"storage.k8s.io", "storageclasses", follow}));
}

class Preparer : public Agent, public PreBinder {
 public:
  absl::Status PreBind(const BindRequest& /*request*/) override { return absl::OkStatus(); }
  void UndoPreBind(const BindRequest& /*request*/, const BindFailure& /*failure*/) override {}
  void PostBind(const BindRequest& /*request*/) override {}
};
class PreparerThatBinds final : public Preparer, public Binder {
 public:
  absl::Status Bind(const BindRequest& /*request*/) override { return absl::OkStatus(); }
};

// What the engine does for an agent that prepares pods.
TEST(AccessOf, HasTheBindingOfPodsThatAreOnlyPrepared) {
  AgentInfo preparer;
  preparer.name = "preparer";
  preparer.factory = internal::MakeAgentFactory<Preparer, NoSettings>();
  EXPECT_THAT(VerbsOf(preparer), ElementsAre("bind"));
  const auto paths = PathsOf(preparer);
  ASSERT_TRUE(paths.ok()) << paths.status();
  ASSERT_EQ(paths->size(), 1U);
  EXPECT_EQ(paths->at(0).path, "/preparer/bind");
  const auto access = AccessOf(preparer, preparer.factory.settings.Defaults());
  ASSERT_TRUE(access.ok()) << access.status();
  EXPECT_THAT(*access, ElementsAre(AccessRule{"", "pods", {"get"}},
                                   AccessRule{"", "pods/binding", {"create"}}));
  preparer.factory = internal::MakeAgentFactory<PreparerThatBinds, NoSettings>();
  EXPECT_THAT(*AccessOf(preparer, preparer.factory.settings.Defaults()), IsEmpty())
      << "it says itself what it does";
}

class Keeper final : public Agent, public Filterer {
 public:
  explicit Keeper(const NoSettings& /*settings*/) {}
  Needs Reads() const override { return Needs().ClusterPriorityClasses(); }
  static std::vector<AccessRule> Access() {
    return {{.api_group = "",
             .resource = "configmaps",
             .verbs = {"update", "get"},
             .names = {"journal-1", "journal-0"},
             .in_own_namespace = true},
            {.api_group = "",
             .resource = "configmaps",
             .verbs = {"delete"},
             .names = {"journal-0", "journal-1"},
             .in_own_namespace = true},
            {.api_group = "",
             .resource = "configmaps",
             .verbs = {"get"},
             .names = {"settings"},
             .in_own_namespace = true},
            {.api_group = "",
             .resource = "configmaps",
             .verbs = {"create"},
             .names = {},
             .in_own_namespace = true},
            {.api_group = "", .resource = "configmaps", .verbs = {"get"}, .names = {"cluster"}}};
  }
  absl::Status Filter(const Request& /*request*/, std::span<Verdict> /*verdicts*/) const override {
    return absl::OkStatus();
  }
};

std::vector<AgentInfo> WithKeeper() {
  return {{"keeper", "", 1, internal::MakeAgentFactory<Keeper, NoSettings>()}};
}

class Learner final : public Agent, public Filterer {
 public:
  explicit Learner(const NoSettings& /*settings*/) {}
  Needs Reads() const override { return Needs().PodContainerStates(); }
  static std::vector<AccessRule> Access() { return StateStoreAccess("outrigger-learner"); }
  absl::Status Filter(const Request& /*request*/, std::span<Verdict> /*verdicts*/) const override {
    return absl::OkStatus();
  }
};

TEST(Rbac, GrantsAnAgentThatKeepsStateItsConfigMap) {
  AgentsFlags flags;
  flags.name = "learner";
  flags.rbac = true;
  flags.name_space = "kube-system";
  const auto text =
      RbacText(flags, {{"learner", "", 1, internal::MakeAgentFactory<Learner, NoSettings>()}}, {});
  ASSERT_TRUE(text.ok()) << text.status();
  const auto objects = YAML::LoadAll(*text);
  ASSERT_EQ(objects.size(), 5U);
  EXPECT_THAT(Rules(objects[1]), ElementsAre("list,watch nodes.", "list,watch pods."));
  EXPECT_EQ(objects[3]["kind"].as<std::string>(), "Role");
  EXPECT_THAT(Rules(objects[3]), UnorderedElementsAre("create configmaps.",
                                                      "get,update configmaps.[outrigger-learner]"));
}

TEST(AccessOf, HasNodesForWhoReadsTheirAddressesOrReady) {
  for (const Needs& needs : {Needs().NodeAddresses(), Needs().NodeReady()}) {
    EXPECT_TRUE(needs.AnyOfNode());
    EXPECT_TRUE(needs.AnyOfCluster());
  }
  EXPECT_FALSE(Needs().PodTimes().AnyOfCluster()) << "of the pod of a call";
}

struct KeeperSettings {
  std::string name_space = "state";
  static constexpr auto kFields =
      std::tuple{Setting{"namespace", &KeeperSettings::name_space, "where the journal is"}};
};
class KeeperElsewhere final : public Agent, public Filterer {
 public:
  explicit KeeperElsewhere(const KeeperSettings& /*settings*/) {}
  static std::vector<AccessRule> Access() { return Keeper::Access(); }
  absl::Status Filter(const Request& /*request*/, std::span<Verdict> /*verdicts*/) const override {
    return absl::OkStatus();
  }
};

// The rights are where the agent needs them, or what prints them says what has to be set.
TEST(Rbac, IsForTheNamespaceInWhichTheAgentKeepsItsState) {
  std::vector<AgentInfo> registry = WithKeeper();
  registry.push_back(
      {"elsewhere", "", 2, internal::MakeAgentFactory<KeeperElsewhere, KeeperSettings>()});
  AgentsFlags flags;
  flags.rbac = true;
  const auto text = [&](const std::string& name, const std::string& name_space) {
    flags.name = name;
    flags.name_space = name_space;
    return RbacText(flags, registry, {}).value_or("");
  };
  const auto namespace_of = [](const std::string& printed, size_t object) {
    return YAML::LoadAll(printed)[object]["metadata"]["namespace"].as<std::string>("");
  };
  EXPECT_EQ(namespace_of(text("keeper", ""), 0), "kube-system") << "it has no setting for it";
  for (const char* names : {"elsewhere", "keeper,elsewhere"}) {
    EXPECT_EQ(namespace_of(text(names, ""), 0), "state") << names;
    EXPECT_EQ(namespace_of(text(names, ""), 3), "state") << names;
    EXPECT_THAT(text(names, ""), Not(HasSubstr("#"))) << names;
  }
  EXPECT_THAT(text("elsewhere", "state"), Not(HasSubstr("#")));
  const std::string other = text("elsewhere", "shop");
  EXPECT_EQ(namespace_of(other, 3), "shop");
  EXPECT_THAT(other, StartsWith("# Serve with --elsewhere.namespace=shop: "));
}

TEST(Rbac, WritesARoleForTheAgentsOwnNamespace) {
  AgentsFlags flags;
  flags.name = "keeper";
  flags.rbac = true;
  flags.name_space = "kube-system";
  const auto text = RbacText(flags, WithKeeper(), {});
  ASSERT_TRUE(text.ok()) << text.status();
  const auto objects = YAML::LoadAll(*text);
  ASSERT_EQ(objects.size(), 5U);
  EXPECT_THAT(Rules(objects[1]), ElementsAre("get configmaps.[cluster]", "list,watch nodes.",
                                             "list,watch priorityclasses.scheduling.k8s.io"));
  EXPECT_EQ(objects[3]["kind"].as<std::string>(), "Role");
  EXPECT_EQ(objects[3]["metadata"]["namespace"].as<std::string>(), "kube-system");
  EXPECT_THAT(Rules(objects[3]), ElementsAre("create configmaps.",
                                             "delete,get,update configmaps.[journal-0,journal-1]",
                                             "get configmaps.[settings]"));
  EXPECT_EQ(objects[4]["kind"].as<std::string>(), "RoleBinding");
  EXPECT_EQ(objects[4]["metadata"]["namespace"].as<std::string>(), "kube-system");
  EXPECT_EQ(objects[4]["roleRef"]["kind"].as<std::string>(), "Role");
  EXPECT_EQ(objects[4]["roleRef"]["name"].as<std::string>(), "outrigger-keeper");
  EXPECT_EQ(objects[4]["subjects"][0]["namespace"].as<std::string>(), "kube-system");
}

TEST(AgentsCommand, NamesTheObjectsAndTheNamespaceOfARight) {
  AgentsFlags flags;
  flags.name = "keeper";
  const auto text = AgentsText(flags, WithKeeper(), {});
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("  get configmaps cluster\n"
                               "  list,watch nodes\n"
                               "  list,watch priorityclasses.scheduling.k8s.io\n"
                               "  create configmaps  (in its own namespace)\n"
                               "  delete,get,update configmaps journal-0,journal-1  (in its own "
                               "namespace)\n"
                               "  get configmaps settings  (in its own namespace)\n"));
  flags.output = "yaml";
  const auto yaml = AgentsText(flags, WithKeeper(), {});
  ASSERT_TRUE(yaml.ok()) << yaml.status();
  const YAML::Node access = YAML::Load(*yaml)["access"];
  EXPECT_EQ(access[0]["names"][0].as<std::string>(), "cluster");
  EXPECT_FALSE(access[0]["inOwnNamespace"].IsDefined());
  EXPECT_FALSE(access[3]["names"].IsDefined());
  EXPECT_TRUE(access[3]["inOwnNamespace"].as<bool>());
}

class Writer final : public Agent, public Filterer {
 public:
  explicit Writer(const NoSettings& /*settings*/) {}
  static std::vector<AccessRule> Access() {
    return {{"", "pods/binding", {"create"}},
            {"scheduling.x-k8s.io", "podgroups", {"get"}},
            {"scheduling.x-k8s.io", "podgroups/status", {"patch"}}};
  }
  absl::Status Filter(const Request& /*request*/, std::span<Verdict> /*verdicts*/) const override {
    return absl::OkStatus();
  }
};

TEST(AgentsCommand, NamesResourcesWithTheirGroupAsKubectlDoes) {
  const std::vector<AgentInfo> registry = {
      {"writer", "", 1, internal::MakeAgentFactory<Writer, NoSettings>()}};
  AgentsFlags flags;
  flags.name = "writer";
  const auto text = AgentsText(flags, registry, {});
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("  create pods/binding\n"
                               "  get podgroups.scheduling.x-k8s.io\n"
                               "  patch podgroups.scheduling.x-k8s.io/status\n"));
}

TEST(Rbac, OfAgentsOfOneProcessIsWhatAllOfThemNeed) {
  const auto objects = Rbac({"--rbac", "safe,gang"});
  ASSERT_EQ(objects.size(), 3U);
  EXPECT_EQ(objects[0]["metadata"]["name"].as<std::string>(), "outrigger-safe-gang");
  EXPECT_THAT(Rules(objects[1]), ElementsAre("list,watch nodes.", "create pods/binding."));
}

TEST(Rbac, IsForTheNamespaceAndAccountThatAreGiven) {
  const auto objects = Rbac({"safe", "--rbac", "-n", "kube-system", "--service-account=sched"});
  EXPECT_EQ(objects[0]["metadata"]["namespace"].as<std::string>(), "kube-system");
  EXPECT_EQ(objects[0]["metadata"]["name"].as<std::string>(), "sched");
  EXPECT_EQ(objects[2]["subjects"][0]["name"].as<std::string>(), "sched");
  EXPECT_EQ(objects[2]["subjects"][0]["namespace"].as<std::string>(), "kube-system");
}

struct Refusal {
  const char* name;
  std::vector<std::string> arguments;
  const char* text;
};

class RbacRefusals : public ::testing::TestWithParam<Refusal> {};

TEST_P(RbacRefusals, SayWhatIsAccepted) {
  const Ran ran = RunProgram(GetParam().arguments);
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr(GetParam().text));
}

const Refusal kRefusals[] = {
    {"NoName", {"agents", "--rbac"}, "outrigger agents --rbac NAME"},
    {"UnknownName", {"agents", "--rbac", "sfae"}, "did you mean safe"},
    {"BadNamespace", {"agents", "--rbac", "safe", "-n", "A b"}, "--namespace: \"A b\""},
    {"BadAccount",
     {"agents", "--rbac", "safe", "--service-account", "x/y"},
     "--service-account: \"x/y\""},
    {"AsJson", {"agents", "--rbac", "safe", "-o", "json"}, "--output: \"json\" is not accepted"},
    {"WithoutRbac", {"agents", "safe", "-n", "shop"}, "--namespace needs --rbac"},
};
INSTANTIATE_TEST_SUITE_P(Of, RbacRefusals, ::testing::ValuesIn(kRefusals),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace outrigger::cli
