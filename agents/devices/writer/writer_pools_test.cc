// Pools that are deleted and made again, or lose devices, while devices are written.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "devices/writer/writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "writer_testing.h"

namespace outrigger::devices {
namespace {

using outrigger::testing::CustomWrite;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using testing::StoreChooser;

class WriterPools : public WriterTest {
 protected:
  using Json = nlohmann::json;

  // A driver makes the pool again, with these devices.
  void MakePoolAgain(const std::vector<std::string>& names) {
    world_.api.Delete(kPoolKind, "", "p");
    world_.AddPool("p", "n", names);
  }
  // The pool loses a device.
  void Shrink(const std::string& pool, const std::string& device) {
    Json object = *world_.api.Get(kPoolKind, "", pool);
    std::erase_if(object["spec"]["devices"].get_ref<Json::array_t&>(),
                  [&](const Json& one) { return one["name"] == device; });
    world_.api.Put(kPoolKind, object);
  }
  // Acts after the first `times` claims are written.
  void AfterCommit(int times, const std::function<void()>& act) {
    auto left = std::make_shared<int>(times);
    world_.api.After([=](const CustomWrite& write) {
      const bool is_commit = write.body.find("\"Allocated\"") != std::string::npos;
      if (write.kind == "DeviceClaim" && is_commit && (*left)-- > 0) act();
      return absl::OkStatus();
    });
  }
};

TEST_F(WriterPools, APoolThatIsMadeAgainBeforeTheClaimIsWrittenIsSeen) {
  AfterCommit(1, [&] { MakePoolAgain({"a", "b"}); });
  const auto written = Write({"one"});
  ASSERT_TRUE(written.ok()) << written.status();
  ASSERT_TRUE(Confirm(*written).ok());
  ASSERT_THAT(world_.Pool("p").entries, SizeIs(1));
  EXPECT_TRUE(world_.Pool("p").entries[0].confirmed);
  EXPECT_THAT(world_.Claim("one").claim.allocations, ElementsAre(Allocation{"p", "a", 1, {}}));
}

TEST_F(WriterPools, ADeviceThatThePoolLosesMeanwhileIsNotGiven) {
  AfterCommit(1, [&] { Shrink("p", "a"); });
  const auto written = Write({"one"});
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_THAT(world_.Claim("one").claim.allocations, ElementsAre(Allocation{"p", "b", 1, {}}));
  EXPECT_THAT(world_.Pool("p").entries, SizeIs(1));
}

TEST_F(WriterPools, AnIntentThatWasRemovedMeanwhileIsSeen) {
  AfterCommit(1, [&] {
    Json pool = *world_.api.Get(kPoolKind, "", "p");
    pool.erase("status");
    world_.api.Put(kPoolKind, pool);
  });
  ASSERT_TRUE(Write({"one"}).ok());
  EXPECT_THAT(world_.Pool("p").entries, SizeIs(1));
}

TEST_F(WriterPools, APoolThatIsMadeAgainEachTimeIsAnError) {
  AfterCommit(99, [&] { MakePoolAgain({"a", "b"}); });
  const absl::Status refused = Write({"one"}).status();
  EXPECT_EQ(refused, absl::AbortedError("pool p changed 4 times while devices were written"));
  ExpectAllFree();
}

// It may run with what it got: the custodian writes the entry, or says what is in the way.
TEST_F(WriterPools, OfABoundPodTheClaimStaysThoughThePoolIsMadeAgain) {
  AfterCommit(1, [&] { MakePoolAgain({"a", "b"}); });
  StoreChooser chooser(&world_);
  PodOnNode pod = world_.PodOn("pod", "n");
  pod.is_bound = true;
  const auto written = Writer().Write(pod, Claims({"one"}), &chooser, {});
  EXPECT_EQ(written.status(), absl::AbortedError("pool p changed while devices were written"));
  EXPECT_TRUE(IsAllocated(world_.Claim("one")));
}

// The pool does not say who else has the devices: the custodian looks at all claims first.
TEST_F(WriterPools, WithDevicesWhoseEntryWentWithItsPoolNoFurtherPodIsBound) {
  const auto first = Write({"one"});
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(Confirm(*first).ok());
  const std::string version = world_.Claim("one").version.resource_version;
  MakePoolAgain({"a", "b"});
  EXPECT_EQ(
      Write({"one"}, "second").status(),
      absl::AbortedError(
          "pool p has no entry for the devices of claim ns/one, since it was created again. The "
          "entry is restored once a pod runs with them; else the claim gets other devices"));
  EXPECT_THAT(world_.Pool("p").entries, IsEmpty());
  EXPECT_EQ(world_.Claim("one").version.resource_version, version);
  world_.api.Delete(kPoolKind, "", "p");
  EXPECT_TRUE(absl::IsNotFound(Write({"one"}, "second").status()));
}

TEST_F(WriterPools, AnEntryThatIsMissingIsNoConfirmation) {
  const auto written = Write({"three"});
  ASSERT_TRUE(written.ok());
  MakePoolAgain({"a", "b"});
  EXPECT_EQ(Confirm(*written),
            absl::NotFoundError("pool p no longer has an entry for the devices of claim ns/three"));
  EXPECT_TRUE(world_.Pool("q").entries.at(0).confirmed) << "the other pool has its own";
  world_.api.Delete(kPoolKind, "", "p");
  EXPECT_TRUE(absl::IsNotFound(Confirm(*written)));
}

}  // namespace
}  // namespace outrigger::devices
