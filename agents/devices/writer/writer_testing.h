#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device_world_testing.h"
#include "devices/writer/writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::devices {

/// A writer, and pools "p" and "q" of two devices each on node "n".
class WriterTest : public ::testing::Test {
 protected:
  WriterTest() {
    world_.AddPool("p", "n", {"a", "b"});
    world_.AddPool("q", "n", {"c", "d"});
    world_.AddPool("far", "other", {"e"});
    world_.AddClaim("one", 1);
    world_.AddClaim("three", 3);
    world_.AddPod("pod", {"one"});
    world_.AddPod("second", {"one"});
  }

  WriterOptions Options(std::string identity = "me") {
    WriterOptions options;
    options.identity = std::move(identity);
    options.most_tries = 4;
    options.wall = [this] { return world_.now; };
    return options;
  }
  AllocationWriter Writer(std::string identity = "me") {
    return AllocationWriter(&world_.api, Options(std::move(identity)));
  }
  std::vector<ClaimObject> Claims(const std::vector<std::string>& names) {
    std::vector<ClaimObject> claims;
    for (const std::string& name : names) claims.push_back(world_.Claim(name));
    return claims;
  }
  // Writes with what is known now.
  absl::StatusOr<Written> Write(const std::vector<std::string>& names,
                                const std::string& pod = "pod", const std::string& node = "n") {
    testing::StoreChooser chooser(&world_);
    return Writer().Write(world_.PodOn(pod, node), Claims(names), &chooser, {});
  }
  absl::Status Confirm(const Written& written) {
    testing::StoreChooser chooser(&world_);
    return Writer().Confirm(written, &chooser, {});
  }
  absl::Status GiveBack(const Written& written) {
    testing::StoreChooser chooser(&world_);
    return Writer().GiveBack(written, &chooser, {});
  }
  size_t Writes() { return world_.api.Writes().size(); }
  void ExpectAllFree() {
    for (const PoolObject& pool : world_.Pools()) EXPECT_THAT(pool.entries, ::testing::IsEmpty());
    for (const ClaimObject& claim : world_.Claims()) {
      EXPECT_FALSE(IsAllocated(claim));
      EXPECT_THAT(claim.pods, ::testing::IsEmpty());
    }
  }
  // The first `times` writes of that kind are answered by `answer`; `after`: they happen.
  void Answer(const std::string& kind, int times, const absl::Status& answer, bool after) {
    auto left = std::make_shared<int>(times);
    const auto hook = [=](const outrigger::testing::CustomWrite& write) {
      return write.kind == kind && (*left)-- > 0 ? answer : absl::OkStatus();
    };
    if (after) {
      world_.api.After(hook);
    } else {
      world_.api.Before(hook);
    }
  }

  testing::World world_;
};

}  // namespace outrigger::devices
