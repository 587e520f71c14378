// Objects that claims name as configurations.
#include "calls/configs.h"

#include <string>
#include <vector>

#include "devices_testing.h"
#include "gmock/gmock.h"

namespace outrigger::devices::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr CustomKind kFoozerConfig{"foozer.example.com", "v1alpha1", "foozerconfigs",
                                   "FoozerConfig", true};
constexpr const char* kVersion = "foozer.example.com/v1alpha1";

/// Counts reads, each of which costs time.
class SlowReads final : public CustomObjectAccess {
 public:
  SlowReads(CustomObjectAccess* api, Clock::TimePoint* now) : api_(*api), now_(*now) {}

  std::unique_ptr<FollowedKind> Follow(const CustomKind& kind, CustomObjectSink* sink) override {
    return api_.Follow(kind, sink);
  }
  absl::StatusOr<std::string> ReadCustomObject(const CustomKind& kind,
                                               const CustomObjectName& object,
                                               const CallLimits& limits) override {
    read.emplace_back(object.name);
    if (cost > limits.timeout) {
      now_ += limits.timeout;
      return absl::DeadlineExceededError("no answer");
    }
    now_ += cost;
    return api_.ReadCustomObject(kind, object, limits);
  }
  absl::StatusOr<std::string> CreateCustomObject(const CustomKind& kind,
                                                 std::string_view namespace_, std::string_view json,
                                                 const CallLimits& limits) override {
    return api_.CreateCustomObject(kind, namespace_, json, limits);
  }
  absl::StatusOr<std::string> PatchCustomStatus(const CustomKind& kind,
                                                const CustomObjectName& object,
                                                std::string_view status_patch,
                                                const CallLimits& limits) override {
    return api_.PatchCustomStatus(kind, object, status_patch, limits);
  }

  std::vector<std::string> read;
  std::chrono::milliseconds cost{0};

 private:
  CustomObjectAccess& api_;
  Clock::TimePoint& now_;
};

class DevicesConfigs : public DevicesTest {
 protected:
  void PutConfig(const std::string& name, size_t bytes = 0) {
    cluster_.custom().Put(kFoozerConfig, {{"metadata", {{"name", name}, {"namespace", "default"}}},
                                          {"spec", {{"text", std::string(bytes, 'x')}}}});
  }
  static ConfigReference Reference(const std::string& name) {
    return {kVersion, "FoozerConfig", "default", name};
  }
  static Json JsonOf(const std::string& name) {
    return {{"apiVersion", kVersion}, {"kind", "FoozerConfig"}, {"name", name}};
  }
  CallBudget Budget() const {
    return CallBudget({.timeout = std::chrono::seconds(20)}, [this] { return now_; });
  }
  absl::Status Read(const std::vector<ConfigReference>& configs) {
    ConfigReader reader(&api_, Budget());
    return reader.Read({.namespace_ = "default", .of_claim = configs}).status();
  }

  Clock::TimePoint now_;
  SlowReads api_{&cluster_, &now_};
};

TEST_F(DevicesConfigs, WhatCannotBeAConfigIsRefusedWithItsField) {
  struct Row {
    std::string name;
    ConfigReference config;
    std::string text;
  };
  const Row rows[] = {
      {"of the core group", {"v1", "Secret", "", "x"}, "apiVersion \"v1\" has no group"},
      {"of another group of Kubernetes",
       {"rbac.authorization.k8s.io/v1", "Role", "", "x"},
       "apiVersion \"rbac.authorization.k8s.io/v1\" is a group of Kubernetes itself"},
      {"of a group without a dot",
       {"apps/v1", "Deployment", "", "x"},
       "apiVersion \"apps/v1\" is a group of Kubernetes itself"},
      {"another claim",
       {"devmgmtproto.k8s.io/v1alpha1", "DeviceClaim", "", "x"},
       "is a group of Kubernetes itself"},
      {"several slashes",
       {"a.example/v1/more", "Policy", "", "x"},
       "config Policy default/x: apiVersion \"a.example/v1/more\" is not GROUP/VERSION"},
      {"no version", {"a.example/", "Policy", "", "x"}, "is not GROUP/VERSION"},
      {"a path in the kind",
       {"a.example/v1", "Policies/../secrets", "", "x"},
       "kind \"Policies/../secrets\" is not letters and digits"},
      {"no kind", {"a.example/v1", "", "", "x"}, "kind \"\" is not letters and digits"},
      {"a path in the name", {"a.example/v1", "Policy", "", "../x"}, "name \"../x\" is not a DNS"},
      {"another namespace",
       {"a.example/v1", "Policy", "other", "x"},
       "config Policy other/x: namespace \"other\" is not that of the claim"},
      {"of a kind that is not served",
       {"a.example/v1", "Policy", "", "x"},
       "config Policy default/x does not exist"},
  };
  for (const Row& row : rows) {
    api_.read.clear();
    const absl::Status refused = Read({row.config});
    EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << row.name;
    EXPECT_THAT(std::string(refused.message()), HasSubstr(row.text)) << row.name;
    EXPECT_EQ(api_.read.size(), row.text.ends_with("does not exist") ? 1U : 0U) << row.name;
  }
}

TEST_F(DevicesConfigs, ReadsAreBounded) {
  std::vector<ConfigReference> configs;
  for (int i = 0; i < 33; ++i) {
    PutConfig(fmt::format("c{}", i), 1000);
    configs.push_back(Reference(fmt::format("c{}", i)));
  }
  EXPECT_EQ(std::string(Read(configs).message()),
            "configs: the claim and its classes name 33, at most 32 are read");
  EXPECT_THAT(api_.read, IsEmpty());
  configs.pop_back();
  EXPECT_TRUE(Read(configs).ok());
  EXPECT_THAT(api_.read, SizeIs(32));
  PutConfig("c1", kMostConfigBytes);
  EXPECT_EQ(std::string(Read(configs).message()),
            "config FoozerConfig default/c1: the copies of all configs exceed 262144 bytes");
}

TEST_F(DevicesConfigs, AllReadsTogetherHaveTheTimeOfTheCall) {
  std::vector<ConfigReference> configs;
  for (int i = 0; i < 32; ++i) {
    PutConfig(fmt::format("c{}", i));
    configs.push_back(Reference(fmt::format("c{}", i)));
  }
  api_.cost = std::chrono::seconds(3);
  EXPECT_TRUE(absl::IsDeadlineExceeded(Read(configs)));
  EXPECT_EQ(now_.time_since_epoch(), std::chrono::seconds(20));
  EXPECT_THAT(api_.read, SizeIs(7));
}

TEST_F(DevicesConfigs, AnObjectIsReadOnce) {
  PutConfig("a");
  ConfigReader reader(&api_, Budget());
  const auto copies = reader.Read({"default", {Reference("a")}, {Reference("a")}});
  ASSERT_TRUE(copies.ok()) << copies.status();
  EXPECT_THAT(copies->of_claim, SizeIs(1));
  EXPECT_THAT(copies->of_classes, SizeIs(1));
  EXPECT_TRUE(reader.Read({"default", {Reference("a")}, {}}).ok());
  EXPECT_THAT(api_.read, ElementsAre("a"));
}

// The first alternative is served; what the second one names is not there.
TEST_F(DevicesConfigs, OfAlternativesTheChosenOneCounts) {
  PutNodes(1, 4);
  Put(kClassKind, "other",
      {{"deviceType", "gpu"},
       {"driver", "other.example.com"},
       {"configs",
        {{{"apiVersion", kVersion},
          {"kind", "FoozerConfig"},
          {"namespace", "default"},
          {"name", "missing-too"}}}}});
  Put(kClaimKind, "c",
      {{"claims",
        {{{"oneOf",
           {{{"deviceClass", "foozer"}, {"configs", {JsonOf("there"), JsonOf("there")}}},
            {{"deviceClass", "other"}, {"configs", {JsonOf("missing")}}}}}}}}});
  PutConfig("there");
  Start();
  auto& agent = dynamic_cast<PreBinder&>(agent_->agent());
  const Pod pod = PutPodOf("p", "c");
  const absl::Status bound = agent.PreBind({pod.namespace_, pod.name, pod.uid, "n1"});
  ASSERT_TRUE(bound.ok()) << bound;
  const Json status = StatusOf(kClaimKind, "c");
  ASSERT_THAT(status["claimConfigs"], SizeIs(1));
  EXPECT_EQ(status["claimConfigs"][0]["metadata"]["name"], "there");
  EXPECT_FALSE(status.contains("classConfigs"));
  agent.PostBind({pod.namespace_, pod.name, pod.uid, "n1"});
}

}  // namespace
}  // namespace outrigger::devices::agent
