#include "outrigger/agent/state_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fake_cluster.h"
#include "state_testing.h"

namespace outrigger {
namespace {

using ::testing::ElementsAre;
using testing::FakeCluster;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

AgentDeps Deps(ClusterAccess* cluster, std::vector<std::string>* warnings = nullptr) {
  AgentDeps deps;
  deps.name = "reward";
  deps.cluster = cluster;
  deps.warn = [warnings](std::string_view line) {
    if (warnings != nullptr) warnings->emplace_back(line);
  };
  return deps;
}

std::unique_ptr<StateStore> Made(const StateStoreOptions& options, const AgentDeps& deps) {
  auto store = MakeStateStore(options, deps);
  EXPECT_TRUE(store.ok()) << store.status();
  return store.ok() ? *std::move(store) : nullptr;
}

/// What all stores have in common: each medium is a parameter.
class EveryStateStore : public ::testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<StateStore> Open() {
    const std::string medium = GetParam();
    const std::string file = medium == "file" ? folder_.Path("state") : "";
    return Made({.file = file}, Deps(medium == "config_map" ? &cluster_ : nullptr));
  }

  FakeCluster cluster_;
  StateFolder folder_;
  const std::unique_ptr<StateStore> store_ = Open();
};

TEST_P(EveryStateStore, HasNothingAtFirst) {
  EXPECT_EQ(*store_->Load({}), StoredState());
}

TEST_P(EveryStateStore, GivesBackWhatWasSaved) {
  const StoredState state{{{"a", "1"}, {"b.c-d_E", "ü☃\n\"\\\x01"}, {"empty", ""}}, ""};
  const auto version = store_->Save(state, {});
  ASSERT_TRUE(version.ok()) << version.status();
  EXPECT_FALSE(version->empty());
  const auto loaded = store_->Load({});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->data, state.data);
  EXPECT_EQ(loaded->version, *version);
}

TEST_P(EveryStateStore, ReplacesTheWholeOfTheVersionNamed) {
  const auto first = store_->Save({{{"a", "1"}, {"b", "2"}}, ""}, {});
  const auto second = store_->Save({{{"b", "3"}}, *first}, {});
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_NE(*first, *second);
  EXPECT_THAT(store_->Load({})->data, ElementsAre(Pair("b", "3")));
}

TEST_P(EveryStateStore, TellsALateWriter) {
  const auto first = store_->Save({{{"a", "1"}}, ""}, {});
  const auto second = store_->Save({{{"a", "2"}}, *first}, {});
  for (const std::string& late : {*first, std::string(), std::string("no such version")}) {
    const auto refused = store_->Save({{{"a", "3"}}, late}, {});
    EXPECT_TRUE(absl::IsAborted(refused.status())) << late << ": " << refused.status();
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr(store_->Place()));
  }
  EXPECT_EQ(store_->Load({})->version, *second);
  EXPECT_THAT(store_->Load({})->data, ElementsAre(Pair("a", "2")));
}

TEST_P(EveryStateStore, TakesTheSameTextsAgainAsANewVersion) {
  const auto first = store_->Save({{{"a", "1"}}, ""}, {});
  const auto second = store_->Save({{{"a", "1"}}, *first}, {});
  EXPECT_NE(*first, *second);
  EXPECT_TRUE(absl::IsAborted(store_->Save({{{"a", "1"}}, *first}, {}).status()));
}

TEST_P(EveryStateStore, RefusesWhatNoStoreTakes) {
  const auto refused = [this](const std::string& key, const std::string& text) {
    const absl::Status status = store_->Save({{{key, text}}, ""}, {}).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  };
  for (const char* key : {"", ".", "..", "..a", "a/b", "a b", "ü"}) refused(key, "x");
  EXPECT_THAT(refused(std::string(254, 'k'), "x"), HasSubstr("is not accepted"));
  EXPECT_THAT(refused("a", "x\xffy"), HasSubstr("the text of a is not UTF-8"));
  EXPECT_THAT(refused("a", std::string(kMostStateBytes, 'x')), HasSubstr("at most 921600"));
  EXPECT_EQ(*store_->Load({}), StoredState());
}

TEST_P(EveryStateStore, TakesAsMuchAsItPromises) {
  const StoredState most{{{std::string(253, 'k'), std::string(kMostStateBytes - 253, '\n')}}, ""};
  ASSERT_TRUE(store_->Save(most, {}).ok());
  EXPECT_EQ(store_->Load({})->data, most.data);
}

INSTANTIATE_TEST_SUITE_P(Of, EveryStateStore, ::testing::Values("config_map", "file", "memory"),
                         [](const auto& row) { return std::string(row.param); });

TEST(StateStores, AFileWinsAndMemoryIsWarnedOf) {
  FakeCluster cluster;
  std::vector<std::string> warnings;
  EXPECT_EQ(Made({.file = "/x/y"}, Deps(&cluster, &warnings))->Place(), "file /x/y");
  EXPECT_EQ(Made({.file = "/x/y"}, Deps(nullptr, &warnings))->Place(), "file /x/y");
  EXPECT_EQ(Made({}, Deps(&cluster, &warnings))->Place(), "ConfigMap kube-system/outrigger-reward");
  EXPECT_EQ(Made({.namespace_ = "load", .config_map = "r.x"}, Deps(&cluster, &warnings))->Place(),
            "ConfigMap load/r.x");
  EXPECT_THAT(warnings, IsEmpty());
  const auto memory = Made({}, Deps(nullptr, &warnings));
  EXPECT_EQ(memory->Place(), "memory");
  EXPECT_THAT(warnings, IsEmpty());  // commands make agents that they do not serve
  EXPECT_TRUE(memory->Load({}).ok());
  EXPECT_TRUE(memory->Load({}).ok());
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], HasSubstr("agent reward keeps its state in memory"));
  EXPECT_THAT(warnings[0], HasSubstr("--reward.state"));
}

TEST(StateStores, RefuseNamesThatKubernetesDoesNotTake) {
  FakeCluster cluster;
  const auto refused = [&](const StateStoreOptions& options) {
    return absl::IsInvalidArgument(MakeStateStore(options, Deps(&cluster)).status());
  };
  EXPECT_TRUE(refused({.namespace_ = "kube.system"}));
  EXPECT_TRUE(refused({.namespace_ = ""}));
  EXPECT_TRUE(refused({.config_map = "Upper"}));
  EXPECT_TRUE(refused({.config_map = "a/b"}));
}

TEST(StateStores, AskForTheRightsThatTheyUse) {
  const std::vector<AccessRule> rules = StateStoreAccess("outrigger-reward");
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules[0],
            (AccessRule{"", "configmaps", {"get", "update"}, {"outrigger-reward"}, true}));
  EXPECT_EQ(rules[1], (AccessRule{"", "configmaps", {"create"}, {}, true}));
}

}  // namespace
}  // namespace outrigger
