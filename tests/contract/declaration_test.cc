// What agents declare: names, ports, settings, aliases, stages.
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "agent_folders.h"
#include "gmock/gmock.h"
#include "outrigger/agent/registry.h"

namespace outrigger::contract {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kKebabCase = "[a-z][a-z0-9]*(-[a-z0-9]+)*";

std::map<std::string, std::string> Folders() {
  std::map<std::string, std::string> folders;
  std::string_view rest = AgentFolders();
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find(';'));
    const size_t equals = entry.find('=');
    folders.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    rest.remove_prefix(entry.size() + 1);
  }
  return folders;
}

std::unique_ptr<Agent> Default(const AgentInfo& info) {
  auto agent = info.factory.make({.name = info.name}, info.factory.settings.Defaults());
  EXPECT_TRUE(agent.ok()) << info.name << ": " << agent.status().ToString();
  return agent.ok() ? *std::move(agent) : nullptr;
}

TEST(AgentDeclaration, HasANameASummaryAndAPortOfItsOwn) {
  std::set<std::string> names;
  std::set<uint16_t> ports;
  for (const AgentInfo& info : Registry()) {
    EXPECT_THAT(info.name, MatchesRegex(kKebabCase));
    EXPECT_TRUE(names.insert(info.name).second) << info.name << " is there twice";
    EXPECT_THAT(info.summary, Not(IsEmpty())) << info.name;
    EXPECT_GE(info.port, 1024) << info.name;
    EXPECT_TRUE(ports.insert(info.port).second) << info.port << " is there twice";
  }
}

// The reference page has them all; a README without a link there has to name them.
TEST(AgentDeclaration, HasAReadmeThatLeadsToItsSettingsAndNamesEveryAlias) {
  std::map<std::string, std::string> folders = Folders();
  for (const AgentInfo& info : Registry()) {
    const std::string readme = folders[info.name] + "/README.md";
    std::ifstream file(readme);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    ASSERT_THAT(text, Not(IsEmpty())) << info.name << " has no " << readme;
    const bool links = text.find("docs/settings.md#agent-" + info.name) != std::string::npos;
    for (const SettingSpec& setting : info.factory.settings.specs()) {
      if (links) break;
      EXPECT_THAT(text, HasSubstr("`" + setting.name + "`")) << "a setting is not in " << readme;
      EXPECT_THAT(text, HasSubstr(setting.legacy_env)) << "a setting is not in " << readme;
    }
    for (const Alias& alias : info.factory.aliases) {
      EXPECT_THAT(text, HasSubstr(alias.path)) << "an alias is not in " << readme;
    }
  }
}

// A name that the view of the cluster does not have comes with every new node.
TEST(AgentDeclaration, SaysInItsReadmeWhatANodeThatIsNotKnownGets) {
  std::map<std::string, std::string> folders = Folders();
  for (const AgentInfo& info : Registry()) {
    const auto agent = Default(info);
    if (agent == nullptr || !agent->Reads().AnyOfNode()) continue;
    std::ifstream file(folders[info.name] + "/README.md");
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    EXPECT_THAT(text,
                AnyOf(HasSubstr("unknown node"), HasSubstr("not known"),
                      HasSubstr("only the name is known"), HasSubstr("the agent has not seen yet")))
        << folders[info.name] << "/README.md";
  }
}

TEST(AgentDeclaration, HasTheStagesThatItSaysAndAtLeastOne) {
  for (const AgentInfo& info : Registry()) {
    const std::unique_ptr<Agent> agent = Default(info);
    const AgentFactory& factory = info.factory;
    EXPECT_EQ(factory.filters, dynamic_cast<Filterer*>(agent.get()) != nullptr) << info.name;
    EXPECT_EQ(factory.scores, dynamic_cast<Scorer*>(agent.get()) != nullptr) << info.name;
    EXPECT_EQ(factory.prebinds, dynamic_cast<PreBinder*>(agent.get()) != nullptr) << info.name;
    EXPECT_EQ(factory.binds, dynamic_cast<Binder*>(agent.get()) != nullptr) << info.name;
    EXPECT_EQ(factory.preempts, dynamic_cast<Preempter*>(agent.get()) != nullptr) << info.name;
    EXPECT_TRUE(factory.filters || factory.scores || factory.TakesBindCalls() || factory.preempts ||
                !agent->NamedScorers().empty())
        << info.name << " does nothing";
  }
}

TEST(AgentDeclaration, HasNamedScorersWithNamesOfTheirOwn) {
  for (const AgentInfo& info : Registry()) {
    std::set<std::string> names;
    for (const NamedScorer& named : Default(info)->NamedScorers()) {
      EXPECT_THAT(named.name, MatchesRegex(kKebabCase)) << info.name;
      EXPECT_TRUE(names.insert(named.name).second) << info.name << " " << named.name;
      EXPECT_NE(named.scorer, nullptr) << info.name << " " << named.name;
    }
  }
}

TEST(AgentDeclaration, HasAliasesThatLeadSomewhereAndAreNobodyElses) {
  std::set<std::string> paths;
  for (const AgentInfo& info : Registry()) {
    std::set<std::string> scorers;
    if (info.factory.scores) scorers.insert("");
    for (const NamedScorer& named : Default(info)->NamedScorers()) scorers.insert(named.name);
    for (const Alias& alias : info.factory.aliases) {
      EXPECT_THAT(alias.path, StartsWith("/")) << info.name;
      EXPECT_TRUE(paths.insert(alias.path).second) << alias.path << " is there twice";
      if (alias.verb == Alias::Verb::kFilter) {
        EXPECT_TRUE(info.factory.filters) << alias.path;
      } else {
        EXPECT_TRUE(scorers.contains(alias.scorer)) << alias.path;
      }
    }
  }
}

TEST(AgentSettings, HaveNamesHelpAndALegacyVariableOfTheirOwn) {
  std::set<std::string> variables;
  for (const AgentInfo& info : Registry()) {
    std::set<std::string> names;
    for (const SettingSpec& setting : info.factory.settings.specs()) {
      EXPECT_THAT(setting.name, MatchesRegex(kKebabCase)) << info.name;
      EXPECT_TRUE(names.insert(setting.name).second) << info.name << " " << setting.name;
      EXPECT_THAT(setting.help, Not(IsEmpty())) << info.name << " " << setting.name;
      EXPECT_THAT(setting.accepted, Not(IsEmpty())) << info.name << " " << setting.name;
      EXPECT_TRUE(setting.legacy_env.empty() || variables.insert(setting.legacy_env).second)
          << setting.legacy_env << " is there twice";
    }
  }
}

TEST(AgentSettings, AcceptTheirOwnDefaults) {
  for (const AgentInfo& info : Registry()) {
    for (const SettingSpec& setting : info.factory.settings.specs()) {
      SettingsValues values = info.factory.settings.Defaults();
      EXPECT_EQ(setting.print(values.get()), setting.default_text) << setting.name;
      EXPECT_TRUE(setting.parse(values.get(), setting.default_text).ok()) << setting.name;
      EXPECT_EQ(setting.print(values.get()), setting.default_text) << setting.name;
    }
  }
}

TEST(AgentSettings, RefuseNonsenseAndStayAsTheyAre) {
  const std::map<std::string, std::vector<std::string>> nonsense = {
      {"boolean", {"", "yes", "1", "TRUE", " true"}},
      {"integer", {"", "x", "1.5", " 1", "1 ", "1e3", "99999999999999999999"}},
      {"number", {"", "x", "nan", "inf", "-inf", " 1", "1 ", "1,5", "1e999"}},
  };
  for (const AgentInfo& info : Registry()) {
    for (const SettingSpec& setting : info.factory.settings.specs()) {
      std::vector<std::string> texts;
      if (setting.type != "text") texts = nonsense.at(setting.type);
      if (setting.accepted.starts_with("one of ")) texts = {"", "no such choice"};
      for (const std::string& text : texts) {
        SettingsValues values = info.factory.settings.Defaults();
        EXPECT_EQ(setting.parse(values.get(), text).code(), absl::StatusCode::kInvalidArgument)
            << info.name << " " << setting.name << "='" << text << "'";
        EXPECT_EQ(setting.print(values.get()), setting.default_text) << setting.name;
      }
    }
  }
}

}  // namespace
}  // namespace outrigger::contract
