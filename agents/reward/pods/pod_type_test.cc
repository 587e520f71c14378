#include "pods/pod_type.h"

#include <string>

#include "builders.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::reward {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

Pod OwnedBy(const std::string& kind, const std::string& name) {
  Pod pod = testing::MakePod("p");
  pod.controller = OwnerReference{.kind = kind, .name = name, .uid = "u"};
  return pod;
}

std::string NameIn(const Pod& pod, std::string_view label = "") {
  return std::string(PartsOf(TypeOf(pod, label)).name);
}

TEST(RewardPodType, HasNamespaceNameAndImages) {
  Pod pod = testing::MakePod("p").Namespace("shop").Label("app", "web");
  pod.images = {"registry.example/web:2", "proxy:1"};
  const std::string type = TypeOf(pod, "");
  EXPECT_EQ(type, "shop/web registry.example/web:2,proxy:1");
  EXPECT_TRUE(IsType(type));
  EXPECT_EQ(PartsOf(type).namespace_, "shop");
  EXPECT_EQ(PartsOf(type).name, "web");
  EXPECT_EQ(PartsOf(type).images, "registry.example/web:2,proxy:1");
}

TEST(RewardPodType, TheLabelOfTheSettingComesFirst) {
  testing::MakePod pod("p");
  EXPECT_EQ(NameIn(pod), "p");
  pod.Label("name", "by-name");
  EXPECT_EQ(NameIn(pod), "by-name");
  pod.Label("app", "by-app");
  EXPECT_EQ(NameIn(pod), "by-app");
  pod.Label("app.kubernetes.io/name", "by-helm");
  EXPECT_EQ(NameIn(pod), "by-helm");
  pod.Label("podtype", "by-podtype");
  EXPECT_EQ(NameIn(pod), "by-podtype");
  pod.Label("team/kind", "");
  EXPECT_EQ(NameIn(pod, "team/kind"), "by-podtype") << "empty";
  pod.Label("team/kind", "own");
  EXPECT_EQ(NameIn(pod, "team/kind"), "own");
}

TEST(RewardPodType, WithoutALabelItIsWhatControlsThePod) {
  EXPECT_EQ(NameIn(OwnedBy("StatefulSet", "db")), "db");
  EXPECT_EQ(NameIn(OwnedBy("Job", "import")), "import");
  EXPECT_EQ(NameIn(OwnedBy("Job", "import-2")), "import-2");
  EXPECT_EQ(NameIn(OwnedBy("Job", "backup-29112480")), "backup") << "of a CronJob";
  EXPECT_EQ(NameIn(OwnedBy("Job", "29112480")), "29112480");
  EXPECT_EQ(NameIn(OwnedBy("ReplicaSet", "web-6d4cf56db6")), "web-6d4cf56db6");
  EXPECT_EQ(NameIn(OwnedBy("Node", "worker-1")), "p") << "from a file of its node";
  Pod pod = OwnedBy("ReplicaSet", "web-6d4cf56db6");
  pod.labels.Set("pod-template-hash", "6d4cf56db6");
  EXPECT_EQ(NameIn(pod), "web") << "of a Deployment";
  pod.labels.Set("pod-template-hash", "web-6d4cf56db6");
  EXPECT_EQ(NameIn(pod), "web-6d4cf56db6");
}

TEST(RewardPodType, ImagesAreBounded) {
  Pod pod = testing::MakePod("p");
  EXPECT_EQ(TypeOf(pod, ""), "default/p -");
  pod.images = {std::string(100'000, 'x')};
  const std::string first = TypeOf(pod, "");
  EXPECT_TRUE(IsType(first));
  EXPECT_LT(first.size(), 150U);
  pod.images[0].back() = 'y';
  EXPECT_NE(TypeOf(pod, ""), first);
}

TEST(RewardPodType, WhatWouldSpoilTheStateIsReplaced) {
  Pod pod = testing::MakePod("p");
  pod.images = {"web:1 9\nended"};
  const std::string type = TypeOf(pod, "");
  EXPECT_TRUE(IsType(type));
  EXPECT_THAT(type, StartsWith("default/p web:1?9?ended~"));
  pod.images = {"web:1?9?ended"};
  EXPECT_THAT(TypeOf(pod, ""), EndsWith("ended"));
  pod.labels.Set("app", "a b");
  EXPECT_EQ(TypeOf(pod, ""), "") << "not counted";
}

}  // namespace
}  // namespace outrigger::reward
