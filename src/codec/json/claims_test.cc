#include "codec/json/object_list.h"
#include "json_testing.h"

// Volumes, their claims, and claims of devices.

namespace outrigger::json {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

template <typename Item>
absl::Status Decode(absl::Status (*decode)(const ListedObject& object, Item* item),
                    std::string_view text, Item* item) {
  const PaddedBody body(text);
  return decode({"", body, "", ""}, item);
}

TEST(VolumeReader, ReadsWhereItMayBeUsed) {
  Volume volume;
  ASSERT_THAT(Decode(DecodeVolume, R"({"apiVersion":"v1","kind":"PersistentVolume",
    "metadata":{"name":"pv-1","labels":{"topology.kubernetes.io/zone":"a"}},
    "spec":{"capacity":{"storage":"1Gi"},"nodeAffinity":{"required":{"nodeSelectorTerms":[
      {"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"In","values":["n1"]}]}]}}},
    "status":{"phase":"Bound"}})",
                     &volume),
              IsOk());
  EXPECT_EQ(volume.name, "pv-1");
  EXPECT_EQ(volume.labels.Get("topology.kubernetes.io/zone"), "a");
  ASSERT_TRUE(volume.node_affinity.has_value());
  ASSERT_THAT(volume.node_affinity->terms, SizeIs(1));
  const SelectorRequirement& wish = volume.node_affinity->terms[0].match_expressions[0];
  EXPECT_EQ(wish.key, "kubernetes.io/hostname");
  EXPECT_THAT(wish.values, ElementsAre("n1"));
}

TEST(VolumeReader, ReadsOneOfEverywhere) {
  Volume volume;
  volume.node_affinity.emplace();
  ASSERT_THAT(
      Decode(DecodeVolume,
             R"({"metadata":{"name":"pv"},"spec":{"nodeAffinity":{"required":null}}})", &volume),
      IsOk());
  EXPECT_FALSE(volume.node_affinity.has_value());
}

TEST(VolumeReader, NamesWhatIsOff) {
  Volume volume;
  EXPECT_THAT(Decode(DecodeVolume, R"({"spec":{}})", &volume),
              IsInvalid("metadata.name: is empty"));
  EXPECT_THAT(
      Decode(DecodeVolume, R"({"metadata":{"name":"pv"},"spec":{"nodeAffinity":{"required":7}}})",
             &volume),
      IsInvalid("spec.nodeAffinity.required: expected an object"));
}

struct ClaimRow {
  const char* name;
  const char* annotations;
  const char* volume;
  VolumeClaim wanted;
};
const ClaimRow kClaimRows[] = {
    {"Fresh", "{}", "", {"d", "c", "", false, ""}},
    {"BeingMadeForANode",
     R"({"volume.kubernetes.io/selected-node":"n1"})",
     "",
     {"d", "c", "", false, "n1"}},
    {"ChosenAndNotYetBound", "{}", "pv-1", {"d", "c", "pv-1", false, ""}},
    {"Bound", R"({"pv.kubernetes.io/bind-completed":"yes"})", "pv-1", {"d", "c", "pv-1", true, ""}},
    {"BoundToNothing",
     R"({"pv.kubernetes.io/bind-completed":"yes"})",
     "",
     {"d", "c", "", false, ""}},
};
class VolumeClaimReader : public ::testing::TestWithParam<ClaimRow> {};
TEST_P(VolumeClaimReader, Reads) {
  const ClaimRow& row = GetParam();
  VolumeClaim claim{"old", "old", "old", true, "old"};
  const std::string text = R"({"metadata":{"name":"c","namespace":"d","annotations":)" +
                           std::string(row.annotations) + R"(},"spec":{"volumeName":")" +
                           row.volume + R"("}})";
  ASSERT_THAT(Decode(DecodeVolumeClaim, text, &claim), IsOk());
  EXPECT_EQ(claim, row.wanted);
}
INSTANTIATE_TEST_SUITE_P(A, VolumeClaimReader, ::testing::ValuesIn(kClaimRows),
                         [](const auto& row) { return row.param.name; });

TEST(VolumeClaimParts, ReadsItsClassAndThatItIsBeingDeleted) {
  VolumeClaim claim;
  ASSERT_THAT(Decode(DecodeVolumeClaim, R"({"metadata":{"name":"c","namespace":"d",
    "deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"storageClassName":"late"}})",
                     &claim),
              IsOk());
  EXPECT_TRUE(claim.being_deleted);
  EXPECT_EQ(claim.storage_class, "late");
  ASSERT_THAT(Decode(DecodeVolumeClaim, R"({"metadata":{"name":"c","annotations":
    {"volume.beta.kubernetes.io/storage-class":"former"}},"spec":{"storageClassName":"late"}})",
                     &claim),
              IsOk());
  EXPECT_FALSE(claim.being_deleted);
  EXPECT_EQ(claim.storage_class, "former");
}

TEST(DeviceClaimReader, ReadsWhatIsAllocated) {
  DeviceClaim claim;
  ASSERT_THAT(Decode(DecodeDeviceClaim, R"({"metadata":{"name":"gpu","namespace":"d"},
    "status":{"allocation":{"devices":{"results":[]},"nodeSelector":{"nodeSelectorTerms":[
      {"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}]}},"reservedFor":[{"resource":"pods","name":"p","uid":"u"}]}})",
                     &claim),
              IsOk());
  EXPECT_EQ(claim.namespace_ + "/" + claim.name, "d/gpu");
  EXPECT_TRUE(claim.reserved);
  EXPECT_TRUE(claim.allocated);
  ASSERT_TRUE(claim.nodes.has_value());
  EXPECT_EQ(claim.nodes->terms[0].match_fields[0].values, std::vector<std::string>{"n1"});
}

TEST(DeviceClaimReader, ReadsWhatIsAllocatedForAllNodes) {
  DeviceClaim claim;
  ASSERT_THAT(
      Decode(DecodeDeviceClaim,
             R"({"metadata":{"name":"gpu"},"status":{"allocation":{},"reservedFor":[]}})", &claim),
      IsOk());
  EXPECT_TRUE(claim.allocated);
  EXPECT_FALSE(claim.reserved);
  EXPECT_FALSE(claim.nodes.has_value());
}

TEST(DeviceClaimReader, ReadsWhatIsNotAllocated) {
  DeviceClaim claim{"old", "old", true, true, NodeSelector()};
  ASSERT_THAT(Decode(DecodeDeviceClaim,
                     R"({"metadata":{"name":"gpu"},"status":{"allocation":null}})", &claim),
              IsOk());
  EXPECT_FALSE(claim.allocated);
  EXPECT_FALSE(claim.reserved);
  EXPECT_FALSE(claim.nodes.has_value());
}

}  // namespace
}  // namespace outrigger::json
