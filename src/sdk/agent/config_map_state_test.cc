#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "fake_cluster.h"
#include "outrigger/agent/state_store.h"

namespace outrigger {
namespace {

using ::testing::ElementsAre;
using testing::FakeCluster;
using ::testing::HasSubstr;
using ::testing::Pair;

class ConfigMapStateTest : public ::testing::Test {
 protected:
  std::unique_ptr<StateStore> Open(std::string_view agent = "reward") {
    AgentDeps deps;
    deps.name = agent;
    deps.cluster = &cluster_;
    return *MakeStateStore({.config_map = "state"}, deps);
  }
  ConfigMap Map() { return *cluster_.ReadConfigMap("kube-system", "state", {}); }
  /// Somebody edits the map by hand.
  template <typename Change>
  void Edit(const Change& change) {
    ConfigMap map = Map();
    change(&map);
    ASSERT_TRUE(cluster_.WriteConfigMap(map, {}).ok());
  }

  FakeCluster cluster_;
  const std::unique_ptr<StateStore> store_ = Open();
};

TEST_F(ConfigMapStateTest, IsLabelledWithItsAgent) {
  ASSERT_TRUE(store_->Save({{{"a", "1"}}, ""}, {}).ok());
  EXPECT_THAT(Map().labels, ElementsAre(Pair("outrigger.dev/state", "reward")));
  EXPECT_THAT(Map().data, ElementsAre(Pair("a", "1")));
}

TEST_F(ConfigMapStateTest, AnEditByHandIsAnotherVersion) {
  const auto version = store_->Save({{{"a", "1"}}, ""}, {});
  Edit([](ConfigMap* map) { map->data["a"] = "edited"; });
  EXPECT_TRUE(absl::IsAborted(store_->Save({{{"a", "2"}}, *version}, {}).status()));
  const auto loaded = store_->Load({});
  EXPECT_THAT(loaded->data, ElementsAre(Pair("a", "edited")));
  EXPECT_TRUE(store_->Save({{{"a", "2"}}, loaded->version}, {}).ok());
}

TEST_F(ConfigMapStateTest, KeepsTheLabelsOfOthers) {
  ASSERT_TRUE(store_->Save({{{"a", "1"}}, ""}, {}).ok());
  Edit([](ConfigMap* map) {
    map->labels = {};
    map->labels.Set("team", "x");
  });
  const auto loaded = store_->Load({});
  ASSERT_TRUE(loaded.ok()) << "a map without the label is still its own";
  const auto version = store_->Save({{{"a", "2"}}, loaded->version}, {});
  ASSERT_TRUE(version.ok());
  EXPECT_THAT(Map().labels, ElementsAre(Pair("outrigger.dev/state", "reward"), Pair("team", "x")));
  ASSERT_TRUE(store_->Save({{{"a", "3"}}, *version}, {}).ok());
  EXPECT_EQ(Map().labels.size(), 2U);
}

TEST_F(ConfigMapStateTest, KeepsTheRestThatOthersGaveIt) {
  ASSERT_TRUE(store_->Save({{{"a", "1"}}, ""}, {}).ok());
  const std::string rest = R"({"metadata":{"annotations":{"team":"x"}}})";
  Edit([&](ConfigMap* map) { map->rest = rest; });
  std::string version = store_->Load({})->version;
  for (const char* text : {"2", "3"}) {
    const auto saved = store_->Save({{{"a", text}}, version}, {});
    ASSERT_TRUE(saved.ok()) << saved.status();
    version = *saved;
    EXPECT_EQ(Map().rest, rest);
  }
  ASSERT_TRUE(cluster_.DeleteConfigMap(Map(), {}).ok());
  ASSERT_TRUE(store_->Save({{{"a", "4"}}, ""}, {}).ok());
  EXPECT_EQ(Map().rest, "") << "of another map";
}

TEST_F(ConfigMapStateTest, OfAnotherAgentIsLeftAlone) {
  ASSERT_TRUE(Open("pigeon")->Save({{{"p", "1"}}, ""}, {}).ok());
  const auto loaded = store_->Load({});
  EXPECT_TRUE(absl::IsFailedPrecondition(loaded.status())) << loaded.status();
  EXPECT_THAT(std::string(loaded.status().message()),
              HasSubstr("ConfigMap kube-system/state: its label outrigger.dev/state marks it as "
                        "the state of \"pigeon\", not of reward"));
  EXPECT_TRUE(absl::IsAborted(store_->Save({{{"a", "1"}}, ""}, {}).status()));
  EXPECT_THAT(Map().data, ElementsAre(Pair("p", "1")));
}

TEST_F(ConfigMapStateTest, ThatIsDeletedIsNoMore) {
  const auto version = store_->Save({{{"a", "1"}}, ""}, {});
  ASSERT_TRUE(cluster_.DeleteConfigMap(Map(), {}).ok());
  EXPECT_TRUE(absl::IsAborted(store_->Save({{{"a", "2"}}, *version}, {}).status()));
  EXPECT_EQ(*store_->Load({}), StoredState());
  EXPECT_TRUE(store_->Save({{{"a", "2"}}, ""}, {}).ok());
}

TEST_F(ConfigMapStateTest, OfAMebibyteIsReadAndRefusedToGrow) {
  ASSERT_TRUE(store_->Save({{{"a", "1"}}, ""}, {}).ok());
  Edit([](ConfigMap* map) { map->data = {{"big", std::string(1024 * 1024, 'x')}}; });
  auto loaded = store_->Load({});
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->data["big"].size(), 1024U * 1024U);
  EXPECT_TRUE(absl::IsInvalidArgument(store_->Save(*loaded, {}).status()));
  loaded->data["big"] = "cut";
  EXPECT_TRUE(store_->Save(*loaded, {}).ok());
}

TEST_F(ConfigMapStateTest, WhoseAnswerIsLostIsSeenByLoading) {
  cluster_.keep().OnCall([](const testing::ObjectCall& /*call*/) {
    return testing::CallFate::FailAfter(absl::UnavailableError("cut off"));
  });
  EXPECT_TRUE(absl::IsUnavailable(store_->Save({{{"a", "1"}}, ""}, {}).status()));
  cluster_.keep().OnCall(nullptr);
  EXPECT_TRUE(absl::IsAborted(store_->Save({{{"a", "2"}}, ""}, {}).status()));
  const auto loaded = store_->Load({});
  EXPECT_THAT(loaded->data, ElementsAre(Pair("a", "1")));
  EXPECT_TRUE(store_->Save({{{"a", "2"}}, loaded->version}, {}).ok());
}

TEST_F(ConfigMapStateTest, ErrorsOfTheApiServerNameThePlace) {
  for (const absl::StatusCode code :
       {absl::StatusCode::kPermissionDenied, absl::StatusCode::kUnavailable,
        absl::StatusCode::kDeadlineExceeded}) {
    cluster_.keep().OnCall([code](const testing::ObjectCall& /*call*/) {
      return testing::CallFate::FailBefore(absl::Status(code, "says no"));
    });
    for (const absl::Status& status :
         {store_->Load({}).status(), store_->Save({{{"a", "1"}}, ""}, {}).status()}) {
      EXPECT_EQ(status.code(), code);
      EXPECT_THAT(std::string(status.message()), HasSubstr("ConfigMap kube-system/state: says no"));
    }
  }
}

}  // namespace
}  // namespace outrigger
