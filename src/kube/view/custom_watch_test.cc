#include "kube/view/custom_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "kube/scripted_paths_testing.h"
#include "kube/watch/reflect_testing.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr CustomKind kPools{
    .group = "g.example", .version = "v1", .plural = "pools", .kind = "Pool", .namespaced = true};
constexpr CustomKind kDrivers{.group = "g.example",
                              .version = "v1",
                              .plural = "drivers",
                              .kind = "Driver",
                              .namespaced = false};
constexpr const char* kPoolsPath = "/apis/g.example/v1/pools";
constexpr const char* kDriversPath = "/apis/g.example/v1/drivers";

/// One line a call. Thread-safe.
class Diary final : public CustomObjectSink {
 public:
  absl::Status Upsert(const CustomObjectName& object, std::string_view json) override {
    Write(
        fmt::format("{}/{} {} {}", object.namespace_, object.name, object.resource_version, json));
    EXPECT_TRUE(object.uid.empty());
    return json.find("refused") == std::string_view::npos ? absl::OkStatus()
                                                          : absl::InvalidArgumentError("no pool");
  }
  void Remove(const CustomObjectName& object) override {
    Write(fmt::format("{}/{} gone at {}", object.namespace_, object.name, object.resource_version));
  }
  void BeginReplace() override { Write("["); }
  void EndReplace(std::string_view version) override { Write(fmt::format("] {}", version)); }

  std::vector<std::string> Lines() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(lines_, {});
  }

 private:
  void Write(std::string line) {
    const std::lock_guard<std::mutex> lock(mutex_);
    lines_.push_back(std::move(line));
  }

  std::mutex mutex_;
  std::vector<std::string> lines_;
};

absl::Status NoKind() {
  return ErrorOfAnswer(404, "404 page not found", "");
}

class CustomKinds : public ::testing::Test {
 protected:
  CustomKinds() : watch_(&api_, Options()) {}

  CustomWatchOptions Options() {
    CustomWatchOptions options;
    options.max_staleness = std::chrono::seconds(90);
    options.reflector.timing = time_.timing();
    options.reflector.report = [this](const ObjectProblem& problem) {
      const std::lock_guard<std::mutex> lock(mutex_);
      problems_.push_back(fmt::format("{} {}: {}", problem.resource, problem.name, problem.error));
    };
    return options;
  }
  std::unique_ptr<FollowedKind> FollowPools() {
    auto followed = watch_.Follow(kPools, &diary_);
    EXPECT_TRUE(api_.AwaitIdle(1));
    return followed;
  }
  void Settle(int calls = 1) { ASSERT_TRUE(api_.AwaitIdle(calls)); }

  VirtualTime time_;
  ScriptedPaths api_;
  std::mutex mutex_;
  std::vector<std::string> problems_;
  Diary diary_;
  CustomWatch watch_;
};

TEST_F(CustomKinds, AreHandedOnAsTheyCame) {
  // Blanks around, and what needs escapes; nothing of the event around it.
  const std::string first =
      R"({"metadata":{"name":"a","namespace":"d","resourceVersion":"4"},"spec":{"x":[1,{"}":"\"]"}]}})";
  api_.Answer(kPoolsPath,
              fmt::format("{{\"type\":\"ADDED\",\"object\": {} }}\n", first) +
                  fmt::format("{{\"object\":{},\"type\":\"ADDED\"}}\n", Json("b", 5, "\xc3\xa4")) +
                  InitialEnd(5));
  const auto followed = FollowPools();
  EXPECT_EQ(followed->Usable(), absl::OkStatus());
  EXPECT_THAT(diary_.Lines(),
              ElementsAre("[", "d/a 4 " + first, "d/b 5 " + Json("b", 5, "\xc3\xa4"), "] 5"));
  api_.Answer(kPoolsPath, Modified("a", 6, "new") + Deleted("b", 7));
  Settle();
  EXPECT_THAT(diary_.Lines(), ElementsAre("d/a 6 " + Json("a", 6, "new"), "d/b gone at 7"));
}

TEST_F(CustomKinds, MayBeNestedDeeply) {
  const std::string deep = std::string(3000, '[') + std::string(3000, ']');
  const std::string object = fmt::format(
      R"({{"metadata":{{"name":"a","namespace":"d","resourceVersion":"4"}},"spec":{}}})", deep);
  api_.Answer(kPoolsPath, EventOf("ADDED", object) + InitialEnd(5));
  const auto followed = FollowPools();
  EXPECT_THAT(diary_.Lines(), ElementsAre("[", "d/a 4 " + object, "] 5"));
  EXPECT_TRUE(watch_.States()[0].last_error.empty());
}

TEST_F(CustomKinds, AreReadFromPages) {
  // The server does not stream lists.
  api_.Answer(kPoolsPath, "", ErrorOfAnswer(400, "{}", ""));
  api_.Answer(kPoolsPath, List(9, {Json("a", 4, "x"), " " + Json("b", 5, "y") + "\n"}));
  const auto followed = FollowPools();
  EXPECT_EQ(followed->Usable(), absl::OkStatus());
  EXPECT_EQ(watch_.States()[0].objects, 2U);
  // The stream was begun, and then the list.
  EXPECT_THAT(diary_.Lines(), ElementsAre("[", "[", "d/a 4 " + Json("a", 4, "x"),
                                          "d/b 5 " + Json("b", 5, "y"), "] 9"));
}

TEST_F(CustomKinds, WhoseObjectsAreNotReadStayAndAreTold) {
  api_.Answer(kPoolsPath, Added("a", 4, "x") + InitialEnd(5));
  const auto followed = FollowPools();
  api_.Answer(kPoolsPath, Modified("a", 6, "refused"));
  Settle();
  EXPECT_EQ(followed->Usable(), absl::OkStatus());
  EXPECT_EQ(watch_.States()[0].unreadable, 1U);
  EXPECT_THAT(problems_, ElementsAre("pools.g.example a: no pool"));
}

TEST_F(CustomKinds, ThatComeDamagedAreAskedForAgain) {
  api_.Answer(kPoolsPath, Added("a", 4, "x") + InitialEnd(5));
  const auto followed = FollowPools();
  diary_.Lines();
  // Of what is stepped over only the brackets are looked at.
  api_.Answer(kPoolsPath, EventOf("MODIFIED", R"({"metadata":{"name":"a","namespace":"d",)"
                                              R"("resourceVersion":"6"},"spec":{"value":nope}})"));
  Settle();
  EXPECT_THAT(diary_.Lines(), IsEmpty());
  EXPECT_EQ(watch_.States()[0].unreadable, 0U);
  EXPECT_FALSE(watch_.States()[0].last_error.empty());
  api_.Answer(kPoolsPath, Modified("a", 6, "y"));
  Settle();
  EXPECT_THAT(diary_.Lines(), ElementsAre("d/a 6 " + Json("a", 6, "y")));
}

TEST_F(CustomKinds, MayBeMissingAndCome) {
  api_.Answer(kPoolsPath, "", NoKind());
  const auto followed = FollowPools();
  const absl::Status missing = followed->Usable();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(missing.message(),
            "Pool of g.example/v1 is not served by the API server: apply its "
            "CustomResourceDefinition");
  EXPECT_TRUE(watch_.States()[0].not_installed);
  // What is asked for anew begins a list.
  EXPECT_THAT(diary_.Lines(), ElementsAre("[", "[", "] ", "["));
  api_.Answer(kPoolsPath, Added("a", 4, "x") + InitialEnd(5));
  Settle();
  EXPECT_EQ(followed->Usable(), absl::OkStatus());
  EXPECT_THAT(diary_.Lines(), ElementsAre("d/a 4 " + Json("a", 4, "x"), "] 5"));
  // The definition is deleted, and the objects with it.
  api_.Answer(kPoolsPath, "", NoKind());
  Settle();
  EXPECT_EQ(followed->Usable().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(diary_.Lines(), ElementsAre("[", "d/a gone at ", "] ", "["));
}

TEST_F(CustomKinds, ThatOneOfSeveralServersDoesNotKnowStay) {
  api_.AnswerCalls("/apis/g.example", std::string(R"({"versions":[{"version":"v1"}]})"));
  api_.AnswerCalls("/apis/g.example/v1", std::string(R"({"resources":[{"name":"pools"}]})"));
  api_.Answer(kPoolsPath, Added("a", 4, "x") + InitialEnd(5));
  const auto followed = FollowPools();
  diary_.Lines();
  api_.Answer(kPoolsPath, "", NoKind());
  Settle();
  EXPECT_EQ(followed->Usable(), absl::OkStatus());
  EXPECT_THAT(diary_.Lines(), IsEmpty());
}

TEST_F(CustomKinds, OfOtherVersionsAreNamed) {
  api_.AnswerCalls("/apis/g.example", std::string(R"({"versions":[{"version":"v2"}]})"));
  api_.AnswerCalls("/apis/g.example/v2", std::string(R"({"resources":[{"name":"pools"}]})"));
  api_.Answer(kPoolsPath, "", NoKind());
  const auto followed = FollowPools();
  EXPECT_EQ(followed->Usable().message(),
            "Pool of g.example/v1 is not served by the API server, which has it in v2: apply its "
            "CustomResourceDefinition");
}

TEST_F(CustomKinds, AreNotUsableBeforeTheyAreKnownAndWhenTheyAreOld) {
  const auto followed = FollowPools();
  EXPECT_EQ(followed->Usable(),
            absl::UnavailableError("the pools.g.example of the cluster are not known yet"));
  api_.Answer(kPoolsPath, InitialEnd(5));
  Settle();
  time_.Advance(std::chrono::seconds(90));
  EXPECT_EQ(followed->Usable(), absl::OkStatus());
  time_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(followed->Usable(),
            absl::UnavailableError(
                "the pools.g.example of the cluster are older than 90s (--max-staleness)"));
}

TEST_F(CustomKinds, AreFollowedEachByItself) {
  api_.Answer(kPoolsPath, InitialEnd(5));
  api_.Answer(kDriversPath, "", NoKind());
  Diary others;
  auto pools = watch_.Follow(kPools, &diary_);
  auto drivers = watch_.Follow(kDrivers, &others);
  Settle(2);
  EXPECT_EQ(pools->Usable(), absl::OkStatus());
  EXPECT_EQ(drivers->Usable().code(), absl::StatusCode::kNotFound);
  const auto again = watch_.Follow(kPools, &others);
  Settle(3);
  const std::vector<ReflectorState> states = watch_.States();
  ASSERT_EQ(states.size(), 2U) << "one of each kind";
  EXPECT_EQ(states[0].resource, "pools.g.example");
  EXPECT_EQ(states[1].resource, "drivers.g.example");
  drivers.reset();
  pools.reset();
  Settle(1);
  EXPECT_EQ(watch_.States().size(), 1U);
  diary_.Lines();
  api_.Answer(kPoolsPath, Added("a", 6, "x") + InitialEnd(6));
  Settle(1);
  EXPECT_THAT(diary_.Lines(), IsEmpty()) << "what has ended hears nothing";
}

TEST_F(CustomKinds, AreFollowedNoMoreAfterTheStop) {
  api_.Answer(kPoolsPath, InitialEnd(5));
  const auto followed = FollowPools();
  watch_.Stop();
  watch_.Stop();
  Settle(0);
  const auto late = watch_.Follow(kDrivers, &diary_);
  EXPECT_EQ(late->Usable().code(), absl::StatusCode::kUnavailable);
}

TEST_F(CustomKinds, MayEndWhileAllIsStopped) {
  for (int round = 0; round < 50; ++round) {
    CustomWatch watch(&api_, Options());
    std::vector<std::unique_ptr<FollowedKind>> followed;
    for (int i = 0; i < 4; ++i) followed.push_back(watch.Follow(kPools, &diary_));
    const std::jthread stopper([&] { watch.Stop(); });
    const std::jthread looker([&] {
      watch.States();
      watch.Follow(kDrivers, &diary_)->Usable().IgnoreError();
    });
    followed.clear();
  }
  Settle(0);
}

}  // namespace
}  // namespace outrigger::kube
