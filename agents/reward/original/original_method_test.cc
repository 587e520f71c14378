#include "original/original_method.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "builders.h"
#include "common/method.h"
#include "common/time_testing.h"
#include "fake_cluster.h"
#include "gmock/gmock.h"
#include "golden.h"
#include "gtest/gtest.h"
#include "pods/pod_type.h"

namespace outrigger::reward {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RewardOriginalMethod : public ::testing::Test {
 protected:
  RewardOriginalMethod() {
    for (const char* node : {"a", "b"}) cluster_.Put(Node(testing::MakeNode(node)));
  }
  void PutFailed(const std::string& name, const std::string& type = "") {
    Pod pod = testing::MakePod(name);
    if (!type.empty()) pod.labels.Set("podtype", type);
    pod.uid = "uid-" + name;
    pod.node_name = "a";
    pod.phase = "Failed";
    cluster_.Put(pod);
  }
  Progress Look(OriginalMethod* method) {
    const auto view = cluster_.Take();
    EXPECT_TRUE(view.ok()) << view.status();
    return method->Look(view->snapshot, now_);
  }
  // Of a, b and c.
  static std::vector<int> Scores(const OriginalMethod& method, const std::string& type) {
    const testing::OwnedRequest request(
        testing::MakePod("new").Label("podtype", type),
        {testing::MakeNode("a"), testing::MakeNode("b"), testing::MakeNode("c")});
    std::vector<NodeScore> scores(3);
    EXPECT_TRUE(method.Score(*request, kStart, scores).ok());
    std::vector<int> values;
    for (const NodeScore& score : scores) values.push_back(static_cast<int>(score.value * 10));
    return values;
  }

  testing::FakeCluster cluster_;
  Moment now_{kStart, Clock::TimePoint(std::chrono::seconds(1000))};
};

TEST_F(RewardOriginalMethod, TypesThatHaveNoRoomAreSaidOnceAndTypesWithoutPodsMakeRoom) {
  OriginalMethod method({}, 20);
  method.Begin("", now_);
  for (int i = 0; i < 40; ++i) PutFailed("p" + std::to_string(i));
  EXPECT_THAT(Look(&method).note, HasSubstr("no room for more than 20 values"));
  EXPECT_LE(method.Pairs(), 20U);
  PutFailed("d1", "D");
  EXPECT_THAT(Look(&method).note, IsEmpty());
  EXPECT_THAT(Scores(method, "D"), ElementsAre(0, 0, 0)) << "all types have pods";
  for (int i = 0; i < 40; ++i) cluster_.RemovePod("p" + std::to_string(i));
  PutFailed("d2", "D");
  Look(&method);
  EXPECT_THAT(Scores(method, "D"), ElementsAre(0, 0, 0)) << "once an hour";
  now_.steady += std::chrono::hours(1);
  PutFailed("d3", "D");
  EXPECT_TRUE(Look(&method).has_changes);
  EXPECT_THAT(Scores(method, "D"), ElementsAre(9, 10, 0));
}

TEST_F(RewardOriginalMethod, WhatWasLeftOutBecauseItIsOneScores10) {
  const std::string text =
      "# values of 1.000000 are left out\n/pods/D/a 0.900000\n/pods/D/all 0.900000\n";
  OriginalMethod follower({});
  EXPECT_THAT(follower.Show(text, now_), IsEmpty());
  EXPECT_THAT(Scores(follower, "D"), ElementsAre(9, 10, 10));
  EXPECT_THAT(Scores(follower, "E"), ElementsAre(0, 0, 0)) << "not known";
  follower.Show(text.substr(text.find('\n') + 1), now_);
  EXPECT_THAT(Scores(follower, "D"), ElementsAre(9, 0, 0)) << "as that program had it";
}

TEST_F(RewardOriginalMethod, ALeaderGoesOnWithOnesThatWereLeftOut) {
  OriginalMethod leader({});
  leader.Begin("# values of 1.000000 are left out\n/pods/D/a 0.900000\n/pods/D/all 0.900000\n",
               now_);
  Look(&leader);
  EXPECT_THAT(Scores(leader, "D"), ElementsAre(9, 10, 0)) << "c is no node when it begins";
}

}  // namespace

// The reference tables, made by the original program.

namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::Pair;

Seconds TimeOf(const json& state, const char* field) {
  absl::Time time;
  std::string error;
  if (!state.contains(field)) return 0;
  const std::string text = state[field].get<std::string>();
  EXPECT_TRUE(absl::ParseTime(absl::RFC3339_full, text, &time, &error)) << text << ": " << error;
  return absl::ToUnixSeconds(time);
}

std::optional<ContainerEnd> EndOf(const json& state) {
  if (!state.contains("terminated")) return std::nullopt;
  const json& end = state["terminated"];
  return ContainerEnd{.exit_code = end.value("exitCode", 0),
                      .reason = end.value("reason", ""),
                      .started = TimeOf(end, "startedAt"),
                      .finished = TimeOf(end, "finishedAt")};
}

// With what the original reads of the status.
Pod PodWithStates(const json& object) {
  Pod pod = testing::PodFromJson(object);
  if (object.contains("spec")) pod.node_name = object["spec"].value("nodeName", "");
  if (!object.contains("status")) return pod;
  pod.phase = object["status"].value("phase", "");
  for (const json& status : object["status"].value("containerStatuses", json::array())) {
    ContainerState& state = pod.container_states.emplace_back();
    state.name = status["name"].get<std::string>();
    const json& now = status["state"];
    if (now.contains("running")) state.running_since = TimeOf(now["running"], "startedAt");
    if (now.contains("waiting")) state.waiting_reason = now["waiting"].value("reason", "");
    state.end = EndOf(now);
    state.last_end = EndOf(status["lastState"]);
  }
  return pod;
}

OriginalStore StoreOf(const json& store) {
  OriginalStore made;
  for (const auto& [key, value] : store.items()) made[key] = value.get<std::string>();
  return made;
}

// The order between keys was that of a map of Go.
OriginalMonitor::Writes ByKey(OriginalMonitor::Writes writes) {
  std::ranges::stable_sort(writes, {}, [](const auto& write) { return write.first; });
  return writes;
}

OriginalMonitor::Writes WritesOf(const json& writes) {
  OriginalMonitor::Writes made;
  for (const json& write : writes) {
    made.emplace_back(write[0].get<std::string>(), write[1].get<std::string>());
  }
  return ByKey(made);
}

void Reset(const json& input, OriginalMonitor* monitor, OriginalMonitor::Writes* writes) {
  std::vector<std::string> types;
  for (const json& type : input["types"]) types.push_back(type[0].get<std::string>());
  monitor->Begin(StoreOf(input["store"]), input["nodes"].get<std::vector<std::string>>(), types,
                 writes);
}

void CompareReward(const json& row, const Pod& pod, bool is_deleted) {
  const json& expected = row["output"];
  const std::string where = row["what"].get<std::string>();
  const OriginalReward reward = OriginalRewardOf(pod);
  EXPECT_EQ(OriginalTypeOf(pod), expected["podtype"].get<std::string>()) << where;
  const bool counts = reward.counts && !is_deleted && !OriginalTypeOf(pod).empty();
  EXPECT_EQ(counts, expected["action"].is_number()) << where;
  if (counts) {
    EXPECT_EQ(reward.value, expected["action"].get<double>()) << where;
  }
  if (!expected.contains("reward_computed")) return;
  EXPECT_EQ(reward.value, expected["reward_computed"].get<double>()) << where;
  EXPECT_EQ(reward.counts, expected["updates"].get<bool>()) << where;
}

TEST(RewardReference, EveryEventOfTheTableWritesTheSame) {
  OriginalMonitor monitor;
  size_t rows = 0;
  for (const json& row : testing::LoadGolden("rl_monitor.json")) {
    const std::string where = row["what"].get<std::string>();
    const json& input = row["input"];
    OriginalMonitor::Writes writes;
    if (input.contains("reset")) {
      Reset(input, &monitor, &writes);
    } else {
      const Pod pod = PodWithStates(input["pod"]);
      const bool is_deleted = input["event"] == "DELETED";
      CompareReward(row, pod, is_deleted);
      if (!is_deleted) monitor.OnPod(pod, &writes);
    }
    EXPECT_EQ(ByKey(writes), WritesOf(row["output"]["writes"])) << where;
    EXPECT_EQ(monitor.store(), StoreOf(row["output"]["store"])) << where;
    ++rows;
  }
  EXPECT_GE(rows, 31U);
}

TEST(RewardReference, EveryNodeOfTheTableHasTheSameScore) {
  size_t nodes = 0;
  for (const json& row : testing::LoadGolden("rl_priority.json")) {
    const Pod pod = testing::PodFromJson(row["input"]["pod"]);
    const std::string type(OriginalTypeOf(pod));
    EXPECT_EQ(type, row["output"]["podtype"].get<std::string>());
    const OriginalStore store = StoreOf(row["input"]["store"]);
    for (const json& node : row["input"]["nodes"]) {
      const std::string name = node.get<std::string>();
      EXPECT_EQ(OriginalScore(store, type, name), row["output"]["scores"][name].get<int64_t>())
          << type << " on " << name << ": " << row["input"]["store"].dump();
      ++nodes;
    }
  }
  EXPECT_GE(nodes, 17U);
}

TEST(RewardOriginal, ReadsNumbersAsGoDoes) {
  const auto score = [](const std::string& text) {
    return OriginalScore({{"/pods/D/n", text}}, "D", "n");
  };
  EXPECT_EQ(score("+0.7"), 7);
  EXPECT_EQ(score("+-0.7"), 0);
  EXPECT_EQ(score("0.7 "), 0);
  EXPECT_EQ(score(""), 0);
  EXPECT_EQ(score("1e999"), 0) << "out of range is an error there";
}

TEST(RewardOriginal, WritesAndReadsItsText) {
  const OriginalStore store = {{"/nodes/n1", "1.000000"}, {"/pods/D/n1", "0.900000"}};
  size_t left_out = 0;
  const std::string text = WriteOriginal(store, 1000, &left_out);
  EXPECT_EQ(text, "/nodes/n1 1.000000\n/pods/D/n1 0.900000\n");
  size_t unusable = 0;
  EXPECT_EQ(ReadOriginal(text, &unusable), store);
  EXPECT_EQ(unusable, 0U);
}

TEST(RewardOriginal, LeavesOutWhatIsOneWhereThereIsNoRoom) {
  const OriginalStore store = {{"/nodes/n1", "1.000000"}, {"/pods/D/n1", "0.900000"}};
  size_t left_out = 0;
  EXPECT_EQ(WriteOriginal(store, 25, &left_out), "# values of 1.000000 are left out\n");
  EXPECT_EQ(left_out, 2U);
}

TEST(RewardOriginal, SaysThatOnesAreLeftOutAndKeepsThoseOfTypes) {
  OriginalStore store = {{"/pods/D/all", "1.000000"}, {"/pods/D/n0", "0.900000"}};
  OriginalStore kept = store;
  for (int i = 1; i < 20; ++i) store["/pods/D/n" + std::to_string(i)] = "1.000000";
  size_t left_out = 0;
  const std::string text = WriteOriginal(store, 100, &left_out);
  EXPECT_EQ(left_out, 19U);
  EXPECT_LE(text.size(), 100U);
  size_t unusable = 0;
  bool lacks_ones = false;
  EXPECT_EQ(ReadOriginal(text, &unusable, &lacks_ones), kept);
  EXPECT_TRUE(lacks_ones);
  EXPECT_EQ(unusable, 0U);
  ReadOriginal(WriteOriginal(store, 10'000, &left_out), &unusable, &lacks_ones);
  EXPECT_FALSE(lacks_ones) << "nothing was left out";
}

TEST(RewardOriginal, KeysAreBounded) {
  OriginalMonitor monitor(20);
  const std::vector<std::string> nodes = {"a", "b"};
  monitor.Begin({}, nodes, {});
  Pod pod;
  pod.phase = "Failed";
  for (int i = 0; i < 50; ++i) {
    pod.name = "p" + std::to_string(i);
    pod.node_name = "a";
    monitor.OnPod(pod);
  }
  EXPECT_LE(monitor.store().size(), 20U);
  EXPECT_GT(monitor.refused(), 0);
  EXPECT_EQ(OriginalScore(monitor.store(), "p0", "a"), 9) << "what is known stays";
  EXPECT_FALSE(KnowsType(monitor.store(), "p49"));
  for (int i = 0; i < 50; ++i) {
    pod.name = "p0";
    pod.node_name = "n" + std::to_string(i);
    monitor.OnPod(pod);
  }
  EXPECT_LE(monitor.store().size(), 20U) << "nodes have no end either";
  monitor.KeepOnly({"p0", "p49"}, {"a"});
  EXPECT_THAT(TypesOf(monitor.store()), ElementsAre("p0"));
  EXPECT_EQ(monitor.store().size(), 3U) << "/nodes/a, /pods/p0/a, /pods/p0/all";
  pod.name = "p49";
  pod.node_name = "a";
  monitor.OnPod(pod);
  EXPECT_EQ(OriginalScore(monitor.store(), "p49", "a"), 9) << "there is room again";
}

TEST(RewardOriginal, LeavesOutLinesThatAreNotIts) {
  size_t unusable = 0;
  const OriginalStore store =
      ReadOriginal("/pods/D/n1 0.5\nhello\n/else/x 1\n/nodes/n1\n\n/nodes/n2 abc\n", &unusable);
  EXPECT_THAT(store, ElementsAre(Pair("/nodes/n2", "abc"), Pair("/pods/D/n1", "0.5")));
  EXPECT_EQ(unusable, 3U);
}

}  // namespace

}  // namespace outrigger::reward
