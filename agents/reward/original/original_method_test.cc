#include "original/original_method.h"

#include <string>
#include <utility>
#include <vector>

#include "builders.h"
#include "common/time_testing.h"
#include "fake_cluster.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

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
}  // namespace outrigger::reward
