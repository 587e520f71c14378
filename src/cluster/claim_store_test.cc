#include "cluster/claim_store.h"

#include "builders.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::cluster {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kZone = "topology.kubernetes.io/zone";
constexpr const char* kBetaZone = "failure-domain.beta.kubernetes.io/zone";

NodeSelector OnHost(const std::string& host) {
  NodeSelector selector;
  selector.terms.emplace_back().match_expressions.push_back(
      {"kubernetes.io/hostname", SelectorOperator::kIn, {host}});
  return selector;
}

Volume VolumeOn(const std::string& host, StringMap labels = {}) {
  return {"pv", OnHost(host), std::move(labels)};
}

Node Labelled(StringMap labels) {
  Node node;
  node.name = "n1";
  node.labels = std::move(labels);
  return node;
}

// What the only claim asks.
ClaimWish WishOf(ClaimStore* store) {
  const auto table = store->Take();
  EXPECT_THAT(table->volumes, SizeIs(1));
  return table->volumes.empty() ? ClaimWish() : table->volumes.begin()->second;
}

bool Accepts(const ClaimWish& wish, const Node& node) {
  return std::all_of(wish.nodes.begin(), wish.nodes.end(),
                     [&](const NodeSelector& selector) { return selector.Matches(node); });
}

TEST(ClaimStore, AClaimThatIsBoundAsksForTheNodesOfItsVolume) {
  ClaimStore store;
  store.Put(VolumeOn("n1"));
  store.Put(VolumeClaim{"d", "c", "pv", true, "n1"});
  const ClaimWish wish = WishOf(&store);
  EXPECT_FALSE(wish.open);
  EXPECT_TRUE(Accepts(wish, Labelled({{"kubernetes.io/hostname", "n1"}})));
  EXPECT_FALSE(Accepts(wish, Labelled({{"kubernetes.io/hostname", "n2"}})));
}

TEST(ClaimStore, AClaimWithoutAVolumeIsOpen) {
  ClaimStore store;
  store.Put(VolumeClaim{"d", "c", "", false, ""});
  EXPECT_TRUE(WishOf(&store).open);
  EXPECT_THAT(WishOf(&store).nodes, IsEmpty());
}

TEST(ClaimStore, AVolumeThatIsBeingMadeIsForOneNode) {
  ClaimStore store;
  store.Put(VolumeClaim{"d", "c", "", false, "n1"});
  EXPECT_TRUE(WishOf(&store).open);
  EXPECT_EQ(WishOf(&store).made_for, "n1");
  EXPECT_THAT(WishOf(&store).nodes, IsEmpty());
}

// kube-scheduler translates what old volumes say: nodes may have lost the labels of then.
TEST(ClaimStore, AVolumeWithOldZonesInItsAffinityIsUsedWhereTheZonesAreOfNow) {
  ClaimStore store;
  Volume volume{"pv", NodeSelector(), {}};
  volume.node_affinity->terms.emplace_back().match_expressions = {
      {kBetaZone, SelectorOperator::kIn, {"a"}}, {"disk", SelectorOperator::kExists, {}}};
  store.Put(volume);
  store.Put(VolumeClaim{"d", "c", "pv", true, ""});
  const ClaimWish wish = WishOf(&store);
  EXPECT_TRUE(Accepts(wish, Labelled({{kZone, "a"}, {"disk", ""}})));
  EXPECT_TRUE(Accepts(wish, Labelled({{kBetaZone, "a"}, {"disk", ""}})));
  EXPECT_FALSE(Accepts(wish, Labelled({{kZone, "b"}, {"disk", ""}})));
  EXPECT_FALSE(Accepts(wish, Labelled({{kZone, "a"}})));
}

TEST(ClaimStore, AVolumeThatIsChosenCountsBeforeItIsBound) {
  ClaimStore store;
  store.Put(VolumeOn("n1"));
  store.Put(VolumeClaim{"d", "c", "pv", false, ""});
  EXPECT_TRUE(WishOf(&store).open);
  EXPECT_FALSE(Accepts(WishOf(&store), Labelled({})));
}

TEST(ClaimStore, AVolumeThatIsNotKnownYetAsksNothing) {
  ClaimStore store;
  store.Put(VolumeClaim{"d", "c", "pv", true, ""});
  EXPECT_THAT(WishOf(&store).nodes, IsEmpty());
  store.Put(VolumeOn("n1"));
  EXPECT_THAT(WishOf(&store).nodes, SizeIs(1));
}

// The rule of kube-scheduler's plugin VolumeZone.
struct ZoneRow {
  const char* name;
  StringMap volume;
  StringMap node;
  bool accepted;
};
const ZoneRow kZoneRows[] = {
    {"SameZone", {{kZone, "a"}}, {{kZone, "a"}}, true},
    {"OtherZone", {{kZone, "a"}}, {{kZone, "b"}}, false},
    {"NodeWithoutZones", {{kZone, "a"}}, {}, true},
    {"NodeOfARegionOnly", {{kZone, "a"}}, {{"topology.kubernetes.io/region", "r"}}, false},
    {"OneOfSeveralZones", {{kZone, "a__b"}}, {{kZone, "b"}}, true},
    {"NoneOfSeveralZones", {{kZone, "a__b"}}, {{kZone, "c"}}, false},
    {"OldLabelOfBoth", {{kBetaZone, "a"}}, {{kBetaZone, "a"}}, true},
    {"OldLabelOfTheVolume", {{kBetaZone, "a"}}, {{kZone, "a"}}, true},
    {"OldLabelOfTheVolumeOtherZone", {{kBetaZone, "a"}}, {{kZone, "b"}}, false},
    {"OldLabelOfTheNodeCounts", {{kBetaZone, "a"}}, {{kBetaZone, "b"}, {kZone, "a"}}, false},
    {"OldLabelOfTheNodeOnly", {{kZone, "a"}}, {{kBetaZone, "a"}}, false},
    {"AnEmptyZoneDoesNotCount", {{kBetaZone, ""}}, {{kZone, "b"}}, true},
    {"NorDoesOneOfSeveral", {{kZone, "a____b"}}, {{kZone, "c"}}, true},
    {"ZoneAndRegion",
     {{kZone, "a"}, {"topology.kubernetes.io/region", "r"}},
     {{kZone, "a"}, {"topology.kubernetes.io/region", "other"}},
     false},
};
class Zones : public ::testing::TestWithParam<ZoneRow> {};
TEST_P(Zones, OfAVolume) {
  ClaimStore store;
  store.Put(Volume{"pv", std::nullopt, GetParam().volume});
  store.Put(VolumeClaim{"d", "c", "pv", false, ""});  // so that it is told in any case
  EXPECT_EQ(Accepts(WishOf(&store), Labelled(GetParam().node)), GetParam().accepted);
}
INSTANTIATE_TEST_SUITE_P(A, Zones, ::testing::ValuesIn(kZoneRows),
                         [](const auto& row) { return row.param.name; });

TEST(ClaimStore, ClaimsOfDevicesAskForWhereTheyAreAllocated) {
  ClaimStore store;
  store.Put(DeviceClaim{"d", "open", false, false, std::nullopt});
  store.Put(DeviceClaim{"d", "here", true, true, OnHost("n1")});
  store.Put(DeviceClaim{"d", "everywhere", true, true, std::nullopt});
  // kube-scheduler gives it back where it is in the way.
  store.Put(DeviceClaim{"d", "left-over", true, false, OnHost("n1")});
  const auto table = store.Take();
  ASSERT_THAT(table->devices, SizeIs(4));
  EXPECT_EQ(table->devices.at({"d", "everywhere"}), ClaimWish());
  EXPECT_EQ(table->devices.at({"d", "left-over"}), ClaimWish());
  EXPECT_TRUE(table->devices.at({"d", "open"}).open);
  EXPECT_THAT(table->devices.at({"d", "here"}).nodes, SizeIs(1));
}

TEST(ClaimStore, TellsWhetherAnythingHasChanged) {
  ClaimStore store;
  EXPECT_TRUE(store.Put(VolumeOn("n1")));
  EXPECT_FALSE(store.Put(VolumeOn("n1")));
  EXPECT_TRUE(store.Put(VolumeClaim{"d", "c", "pv", true, ""}));
  EXPECT_FALSE(store.Put(VolumeClaim{"d", "c", "pv", true, ""}));
  EXPECT_TRUE(store.Put(DeviceClaim{"d", "c", true, true, std::nullopt}));
  EXPECT_FALSE(store.Put(DeviceClaim{"d", "c", true, true, std::nullopt}));
  const auto before = store.Take();
  EXPECT_EQ(store.Take(), before) << "nothing has changed";
  EXPECT_TRUE(store.Put(VolumeOn("n2")));
  EXPECT_NE(store.Take(), before);
  EXPECT_TRUE(store.RemoveVolume("pv"));
  EXPECT_FALSE(store.RemoveVolume("pv"));
  EXPECT_TRUE(store.RemoveVolumeClaim("d", "c"));
  EXPECT_FALSE(store.RemoveVolumeClaim("d", "c"));
  EXPECT_TRUE(store.RemoveDeviceClaim("d", "c"));
  EXPECT_FALSE(store.RemoveDeviceClaim("d", "c"));
  EXPECT_THAT(store.Take()->volumes, IsEmpty());
  EXPECT_THAT(before->volumes, SizeIs(1)) << "what was taken stays as it was";
}

// What plugin VolumeBinding refuses before it looks at nodes.
TEST(ClaimStore, TellsWhyPodsAreRefusedForAClaim) {
  ClaimStore store;
  store.Put(Volume{"pv", {}, {}});
  store.Put(StorageClass{"late", true});
  store.Put(StorageClass{"soon", false});
  const auto refused = [&store](VolumeClaim claim) {
    store.Put(std::move(claim));
    return WishOf(&store).refused;
  };
  EXPECT_EQ(refused({"d", "c", "pv", true, ""}), "");
  EXPECT_EQ(refused({"d", "c", "lost", true, ""}),
            "is bound to the PersistentVolume lost, which is not there");
  EXPECT_EQ(refused({"d", "c", "pv", false, "", "late"}), "is not bound to pv yet");
  EXPECT_EQ(refused({"d", "c", "", false, ""}),
            "is not bound, and has no StorageClass that binds late");
  EXPECT_EQ(refused({"d", "c", "", false, "", "soon"}),
            "is not bound, and its StorageClass soon binds at once");
  EXPECT_EQ(refused({"d", "c", "", false, "", "late"}), "");
  EXPECT_EQ(refused({"d", "c", "pv", true, "", "late", true}), "is being deleted");
  EXPECT_EQ(refused({"d", "c", "", false, "", "other"}),
            "is not bound, and its StorageClass other is not known");
  EXPECT_TRUE(store.Put(StorageClass{"other", true}));
  EXPECT_EQ(WishOf(&store).refused, "");
  EXPECT_TRUE(store.RemoveStorageClass("other"));
  EXPECT_FALSE(store.RemoveStorageClass("other"));
  EXPECT_NE(WishOf(&store).refused, "");
}

TEST(ClaimStore, TellsWhetherClaimsOfDevicesAreServed) {
  ClaimStore store;
  EXPECT_FALSE(store.Take()->device_claims_served) << "they were not listed yet";
  EXPECT_TRUE(store.SetDeviceClaimsServed(true));
  EXPECT_FALSE(store.SetDeviceClaimsServed(true));
  EXPECT_TRUE(store.Take()->device_claims_served);
}

TEST(ClaimStore, KnowsAClaimThatAsksNothing) {
  ClaimStore store;
  store.Put(DeviceClaim{"d", "c", true, false});
  const auto table = store.Take();
  ASSERT_THAT(table->devices, SizeIs(1));
  EXPECT_EQ(table->devices.begin()->second, ClaimWish());
  DeviceClaim going{"d", "c", true, false};
  going.being_deleted = true;
  store.Put(going);
  EXPECT_EQ(store.Take()->devices.begin()->second.refused, "is being deleted");
}

}  // namespace
}  // namespace outrigger::cluster
