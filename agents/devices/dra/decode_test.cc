#include "devices/dra/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/json/body.h"

namespace outrigger::dra {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What a reader makes of a text.
class DraDecode : public ::testing::Test {
 protected:
  json::ListedObject Listed(std::string text, const char* version = "resource.k8s.io/v1") {
    size_ = text.size();
    text_ = std::move(text);
    text_.append(json::kPadding, ' ');
    json::ListedObject object;
    object.kind = "ResourceClaim";
    object.body = {text_.data(), size_};
    object.place = "items[0]";
    object.api_version = version;
    return object;
  }

  std::string text_;
  size_t size_ = 0;
  std::vector<json::MalformedValue> malformed_;
};

constexpr const char* kClaim = R"({"metadata": {"name": "c", "namespace": "a", "uid": "u",
  "ownerReferences": [{"kind": "Pod", "name": "p"}]}, "spec": {"devices": {
  "requests": [{"name": "r", "firstAvailable": [{"name": "x", "deviceClassName": "gpu", "count": 2,
    "selectors": [{"cel": {"expression": "true"}}], "tolerations": [{"operator": "Exists"}],
    "capacity": {"requests": {"memory": "4Gi"}}}, {"name": "y", "deviceClassName": "gpu",
    "allocationMode": "All"}]}],
  "constraints": [{"requests": ["r/x"], "distinctAttribute": "a/b"}]}},
  "status": {"allocation": {"devices": {"results": [{"request": "r/x", "driver": "d", "pool": "q",
    "device": "g", "shareID": "s", "consumedCapacity": {"memory": "4Gi"}}]}},
    "reservedFor": [{"name": "p"}]}})";

TEST_F(DraDecode, ReadsAClaim) {
  Claim claim;
  ASSERT_EQ(DecodeClaim(Listed(kClaim), &claim, &malformed_).ToString(), "OK");
  EXPECT_EQ(NameOf(claim), "a/c");
  EXPECT_EQ(claim.owner, "p");
  ASSERT_EQ(claim.requests.size(), 1u);
  EXPECT_TRUE(claim.requests[0].is_list);
  EXPECT_EQ(claim.requests[0].asks[0].count, 2);
  EXPECT_EQ(claim.requests[0].asks[0].tolerations[0].op, Toleration::Operator::kExists);
  EXPECT_EQ(claim.requests[0].asks[0].capacity.at("memory").ToString(), "4Gi");
  EXPECT_TRUE(claim.requests[0].asks[1].all);
  EXPECT_TRUE(claim.constraints[0].distinct);
  EXPECT_TRUE(claim.allocated);
  EXPECT_TRUE(claim.results[0].share);
  EXPECT_THAT(claim.users, ElementsAre("p"));
  EXPECT_EQ(claim.unknown, "");
}

TEST_F(DraDecode, AFieldThatMayDecideIsNamed) {
  Claim claim;
  const char* text = R"({"metadata": {"name": "c"}, "spec": {"devices": {"requests": [
    {"name": "r", "exactly": {"deviceClassName": "gpu", "derivedAttributes": []}}]}}})";
  ASSERT_TRUE(DecodeClaim(Listed(text), &claim, &malformed_).ok());
  EXPECT_THAT(claim.unknown, HasSubstr("spec.devices.requests[0].exactly.derivedAttributes"));
}

TEST_F(DraDecode, AnAmountThatIsNoneIsListed) {
  Slice slice;
  const char* text = R"({"metadata": {"name": "s"}, "spec": {"driver": "d", "devices": [
    {"name": "g", "capacity": {"memory": {"value": "much"}}}]}})";
  ASSERT_TRUE(DecodeSlice(Listed(text), &slice, &malformed_).ok());
  ASSERT_EQ(malformed_.size(), 1u);
  EXPECT_EQ(malformed_[0].field, "spec.devices[0].capacity.memory.value");
  EXPECT_EQ(malformed_[0].value, "much");
}

TEST_F(DraDecode, OldVersionsAreRefusedByName) {
  Slice slice;
  const absl::Status status =
      DecodeSlice(Listed("{}", "resource.k8s.io/v1beta1"), &slice, &malformed_);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("apiVersion resource.k8s.io/v1beta1 of a ResourceClaim is not supported, "
                        "only resource.k8s.io/v1 and v1beta2"));
}

TEST_F(DraDecode, ReadsV1beta2) {
  Claim claim;
  EXPECT_TRUE(DecodeClaim(Listed(kClaim, "resource.k8s.io/v1beta2"), &claim, &malformed_).ok());
}

struct Broken {
  const char* name;
  const char* text;
  const char* error;
};

TEST_F(DraDecode, WhatIsBrokenIsRefusedWithItsPlace) {
  constexpr Broken kRows[] = {
      {"no name", R"({"metadata": {}})", "metadata.name: is empty"},
      {"no object", "[]", "expected a JSON object"},
      {"a wrong type", R"({"metadata": {"name": "c"}, "spec": {"devices": {"requests": 7}}})",
       "spec.devices.requests: expected"},
      {"cut off", R"({"metadata": {"name": "c")", ""},
  };
  for (const Broken& row : kRows) {
    Claim claim;
    const absl::Status status = DecodeClaim(Listed(row.text), &claim, &malformed_);
    EXPECT_FALSE(status.ok()) << row.name;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.error)) << row.name;
  }
}

TEST_F(DraDecode, APodsClaimsHaveTheNamesOfItsStatus) {
  PodClaims pod;
  const char* text = R"({"metadata": {"name": "p", "namespace": "a"}, "spec": {"resourceClaims": [
    {"name": "one", "resourceClaimName": "c"},
    {"name": "two", "resourceClaimTemplateName": "t"},
    {"name": "three", "resourceClaimTemplateName": "t"}]},
    "status": {"resourceClaimStatuses": [{"name": "two", "resourceClaimName": "p-two-x"}]}})";
  ASSERT_TRUE(DecodePodClaims(Listed(text), &pod).ok());
  ASSERT_EQ(pod.claims.size(), 3u);
  EXPECT_EQ(pod.claims[0].claim, "c");
  EXPECT_EQ(pod.claims[1].claim, "p-two-x");
  EXPECT_EQ(pod.claims[2].claim, "");
  EXPECT_EQ(pod.claims[2].of_template, "t");
}

}  // namespace
}  // namespace outrigger::dra
