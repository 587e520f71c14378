// Searches in which upstream's allocator has no end.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "devices/dra/allocator.h"
#include "dra_testing.h"

namespace outrigger::dra {
namespace {

constexpr const char* kNuma = "gpu.example.com/numa";

Answer AnswerTo(const std::vector<Device>& devices, const Claim& claim) {
  Cluster cluster;
  cluster.slices = {testing::SliceOf("n", devices)};
  cluster.classes = {testing::ClassNamed("gpu", {"device.driver == 'gpu.example.com'"})};
  const Allocator allocator(cluster);
  return allocator.Allocate(testing::NodeNamed("n"), std::span(&claim, 1));
}

Attributes Serial(int i) {
  return {{"uuid", "serial-" + std::to_string(i)}};
}

TEST(DraBudget, TooManyOfDevicesThatAllDifferAreRefusedAtOnce) {
  std::vector<Device> devices;
  for (int i = 0; i < 24; ++i) {
    devices.push_back(testing::DeviceNamed("d" + std::to_string(i), Serial(i)));
  }
  const Answer answer = AnswerTo(devices, testing::ClaimOf("c", {testing::RequestOf("r", 25)}));
  EXPECT_EQ(answer.outcome, Outcome::kMisfit);
  EXPECT_LE(answer.steps, 100);
}

TEST(DraBudget, MoreThanOneHalfHasOfEqualDevicesIsRefusedSoon) {
  std::vector<Device> devices;
  for (int i = 0; i < 32; ++i) {
    Attributes attributes = Serial(i);
    attributes["numa"] = int64_t{i / 16};
    devices.push_back(testing::DeviceNamed("d" + std::to_string(i), attributes));
  }
  Claim claim = testing::ClaimOf("c", {testing::RequestOf("r", 17)});
  claim.constraints = {{.requests = {}, .attribute = kNuma}};
  const Answer answer = AnswerTo(devices, claim);
  EXPECT_EQ(answer.outcome, Outcome::kMisfit);
  EXPECT_LE(answer.steps, 5000);
}

TEST(DraBudget, WhatDoesNotEndIsNotSure) {
  std::vector<Device> devices;
  for (int i = 0; i < 40; ++i) {
    Attributes attributes = {{"a", int64_t{i % 20}}, {"b", int64_t{(i * 7) % 19}}};
    devices.push_back(testing::DeviceNamed("d" + std::to_string(i), attributes));
  }
  Claim claim = testing::ClaimOf("c", {testing::RequestOf("r", 20)});
  claim.constraints = {{.requests = {}, .attribute = "gpu.example.com/a", .distinct = true},
                       {.requests = {}, .attribute = "gpu.example.com/b", .distinct = true}};
  const Answer answer = AnswerTo(devices, claim);
  EXPECT_EQ(answer.outcome, Outcome::kUnsure);
  EXPECT_EQ(answer.text, "the search did not finish within 100000 steps");
}

TEST(DraBudget, AFieldThatIsNotKnownIsNotSure) {
  Claim claim = testing::ClaimOf("c", {testing::RequestOf("r")});
  claim.unknown = "spec.devices.requests[0].exactly.derivedAttributes";
  const Answer answer = AnswerTo({testing::DeviceNamed("d")}, claim);
  EXPECT_EQ(answer.outcome, Outcome::kUnsure);
  EXPECT_EQ(
      answer.text,
      "claim default/c: spec.devices.requests[0].exactly.derivedAttributes is not known here");
}

// Upstream keeps one of them, by chance.
TEST(DraBudget, AnAttributeWithAndWithoutItsDomainIsNotSure) {
  const Device device =
      testing::DeviceNamed("d", {{"numa", int64_t{0}}, {"gpu.example.com/numa", int64_t{1}}});
  Claim claim = testing::ClaimOf("c", {testing::RequestOf("r")});
  EXPECT_EQ(AnswerTo({device}, claim).outcome, Outcome::kFits);
  claim.requests[0].asks[0].selectors = {"device.attributes['gpu.example.com'].numa == 1"};
  EXPECT_EQ(AnswerTo({device}, claim).outcome, Outcome::kUnsure);
}

TEST(DraBudget, AnExpressionOnADeviceWithAListIsNotSure) {
  Claim claim = testing::ClaimOf("c", {testing::RequestOf("r")});
  claim.requests[0].asks[0].selectors = {"device.attributes['gpu.example.com'].list == 1"};
  const Answer answer = AnswerTo({testing::DeviceNamed("d", {{"list", std::monostate()}})}, claim);
  EXPECT_EQ(answer.outcome, Outcome::kUnsure);
}

}  // namespace
}  // namespace outrigger::dra
