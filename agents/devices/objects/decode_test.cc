#include "devices/objects/decode.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::device_objects {
namespace {

using devices::Claim;
using devices::Class;
using devices::Driver;
using devices::Pool;
using devices::Version;
using json::MalformedValue;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

template <typename T>
struct Read {
  T object;
  absl::Status status;
  std::vector<MalformedValue> malformed;
};

template <typename T>
Read<T> Decode(absl::Status (*decode)(const json::ListedObject& object, T* item,
                                      std::vector<MalformedValue>* malformed),
               std::string_view text, std::string_view kind = "") {
  const std::string padded = std::string(text) + std::string(json::kPadding, ' ');
  Read<T> read;
  read.status = decode({kind, {padded.data(), text.size()}, "", ""}, &read.object, &read.malformed);
  return read;
}

Quantity Q(std::string_view text) {
  return *Quantity::Parse(text);
}

TEST(PoolReader, ReadsTheDialectOfCounts) {
  const auto read = Decode(DecodePool, R"({"apiVersion":"devmgmtproto.k8s.io/v1alpha1",
    "kind":"DevicePool","metadata":{"name":"p"},"spec":{"nodeName":"n","driver":"d","count":7,
    "attributes":[{"name":"vendor","stringValue":"acme"},{"name":"gen","intValue":2},
      {"name":"mem","quantityValue":"8Gi"},{"name":"fw","semVerValue":"1.10.0"},{"name":"none"}]},
    "status":{"availableDevices":7}})");
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_THAT(read.malformed, IsEmpty());
  const Pool& pool = read.object;
  EXPECT_EQ(pool.name, "p");
  EXPECT_EQ(pool.node, "n");
  EXPECT_EQ(pool.driver, "d");
  EXPECT_EQ(pool.count, 7);
  ASSERT_THAT(pool.attributes, SizeIs(5));
  EXPECT_EQ(std::get<std::string>(pool.attributes[0].value), "acme");
  EXPECT_EQ(std::get<int64_t>(pool.attributes[1].value), 2);
  EXPECT_EQ(std::get<Quantity>(pool.attributes[2].value), Q("8Gi"));
  EXPECT_EQ(std::get<Version>(pool.attributes[3].value).text, "1.10.0");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(pool.attributes[4].value));
}

TEST(PoolReader, ReadsTheDialectOfDevicesAndItsCapitals) {
  const auto read = Decode(DecodePool, R"({"metadata":{"name":"p"},"spec":{"Driver":"d",
    "resources":[{"name":"slots","capacity":7}],"devices":[{"name":"half",
    "attributes":[{"name":"numa","stringValue":"0"}],"requests":{"slots":"3"},
    "resources":[{"name":"memory","capacity":"8Gi","blockSize":"1Gi"},
                 {"name":"lanes","capacity":"4"}]}]}})");
  ASSERT_TRUE(read.status.ok()) << read.status;
  const Pool& pool = read.object;
  EXPECT_EQ(pool.driver, "d");
  EXPECT_FALSE(pool.count.has_value());
  ASSERT_THAT(pool.resources, SizeIs(1));
  EXPECT_EQ(pool.resources[0].capacity, Q("7"));
  ASSERT_THAT(pool.devices, SizeIs(1));
  EXPECT_EQ(pool.devices[0].requests.at("slots"), Q("3"));
  ASSERT_THAT(pool.devices[0].resources, SizeIs(2));
  EXPECT_EQ(*pool.devices[0].resources[0].block_size, Q("1Gi"));
  EXPECT_FALSE(pool.devices[0].resources[1].block_size.has_value());
}

TEST(PoolReader, ListsWhatIsMalformed) {
  const auto read = Decode(DecodePool, R"({"metadata":{"name":"p"},"spec":{
    "attributes":[{"name":"mem","quantityValue":"8Gx"},{"name":"two","intValue":1,"stringValue":""}],
    "devices":[{"name":"a","requests":{"slots":"x"}}]}})");
  ASSERT_TRUE(read.status.ok()) << read.status;
  std::vector<std::string> fields;
  for (const MalformedValue& value : read.malformed) fields.push_back(value.field);
  EXPECT_THAT(fields, ElementsAre("spec.attributes[0].quantityValue", "spec.attributes[1]",
                                  "spec.devices[0].requests.slots"));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(read.object.attributes[0].value));
}

TEST(PoolReader, NamesThePlaceOfWrongTypes) {
  struct Row {
    const char* text;
    const char* error;
  };
  for (const Row& row : {
           Row{R"({"metadata":{}})", "metadata.name: is empty"},
           Row{R"({"metadata":{"name":"p"},"spec":{"count":"two"}})", "spec.count"},
           Row{R"({"metadata":{"name":"p"},"spec":{"count":1e99}})", "spec.count"},
           Row{R"({"metadata":{"name":"p"},"spec":{"devices":[{"attributes":7}]}})",
               "spec.devices[0].attributes"},
           Row{R"({"metadata":{"name":"p"},"spec":{"driver":"a","Driver":"b"}})", "given twice"},
       }) {
    const auto read = Decode(DecodePool, row.text);
    EXPECT_EQ(read.status.code(), absl::StatusCode::kInvalidArgument) << row.text;
    EXPECT_THAT(std::string(read.status.message()), HasSubstr(row.error));
  }
}

TEST(ClassReader, ReadsBothDialects) {
  const auto read = Decode(DecodeClass, R"({"metadata":{"name":"foozer"},"spec":{"driver":"d",
    "DeviceType":"gpu","constraints":"device.gen > 1","minDeviceCount":2,"maxDeviceCount":4,
    "matchAttributes":["numa"],"adminAccess":true}})");
  ASSERT_TRUE(read.status.ok()) << read.status;
  const Class& of = read.object;
  EXPECT_EQ(of.name, "foozer");
  EXPECT_EQ(of.device_type, "gpu");
  EXPECT_EQ(of.constraints, "device.gen > 1");
  EXPECT_EQ(of.min_count, 2);
  EXPECT_EQ(of.max_count, 4);
  EXPECT_THAT(of.match_attributes, ElementsAre("numa"));
  EXPECT_TRUE(of.admin_access);
}

TEST(DriverReader, ReadsTypes) {
  const auto read =
      Decode(DecodeDriver, R"({"metadata":{"name":"d"},"deviceTypes":["gpu","nic"]})");
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_EQ(read.object.name, "d");
  EXPECT_THAT(read.object.device_types, ElementsAre("gpu", "nic"));
}

TEST(ClaimReader, ReadsTheDialectOfCounts) {
  const auto read = Decode(DecodeClaim, R"({"metadata":{"name":"c","namespace":"ns","uid":"u"},
    "spec":{"deviceClass":"k","driver":"d","constraints":"true","minDeviceCount":-2,
    "maxDeviceCount":3,"matchAttributes":["numa","model"]},
    "status":{"allocations":[{"devicePoolName":"p","deviceCount":2}],"podNames":["a"]}})");
  ASSERT_TRUE(read.status.ok()) << read.status;
  const Claim& claim = read.object;
  EXPECT_EQ(NameOf(claim), "ns/c");
  EXPECT_EQ(claim.uid, "u");
  EXPECT_TRUE(claim.counts);
  EXPECT_THAT(claim.match_attributes, IsEmpty());
  ASSERT_THAT(claim.requests, SizeIs(1));
  const devices::Detail& detail = claim.requests[0].details.at(0);
  EXPECT_EQ(detail.min_count, -2);
  EXPECT_EQ(detail.max_count, 3);
  EXPECT_THAT(detail.match_attributes, ElementsAre("numa", "model"));
  EXPECT_THAT(claim.allocations, ElementsAre(devices::Allocation{"p", "", 2, {}}));
  EXPECT_THAT(claim.pods, ElementsAre("a"));
}

TEST(ClaimReader, ReadsTheDialectOfDevices) {
  const auto read = Decode(DecodeClaim, R"({"metadata":{"name":"c"},"spec":{
    "matchAttributes":["numa"],"claims":[{"deviceClass":"k","requests":{"count":2,"memory":"1Gi"},
    "limits":{"count":"4"}},{"oneOf":[{"deviceType":"gpu"},{"deviceType":"nic"}]}]},
    "status":{"allocations":[{"devicePoolName":"p","deviceName":"x",
      "allocations":[{"name":"memory","allocation":"2Gi"}]}]}})");
  ASSERT_TRUE(read.status.ok()) << read.status;
  const Claim& claim = read.object;
  EXPECT_FALSE(claim.counts);
  EXPECT_EQ(claim.fault, "");
  ASSERT_THAT(claim.requests, SizeIs(2));
  const devices::Detail& first = claim.requests[0].details.at(0);
  EXPECT_EQ(first.min_count, 2);
  EXPECT_EQ(first.max_count, 4);
  EXPECT_THAT(first.amounts, SizeIs(1));
  ASSERT_THAT(claim.requests[1].details, SizeIs(2));
  EXPECT_EQ(claim.requests[1].details[1].device_type, "nic");
  ASSERT_THAT(claim.allocations, SizeIs(1));
  EXPECT_EQ(claim.allocations[0].amounts.at("memory"), Q("2Gi"));
}

TEST(ClaimReader, APrivilegedClaimIsForAll) {
  const auto read = Decode(DecodeClaim, R"({"metadata":{"name":"c"},"spec":{"driver":"d"}})",
                           "DevicePrivilegedClaim");
  ASSERT_TRUE(read.status.ok()) << read.status;
  const devices::Detail& detail = read.object.requests.at(0).details.at(0);
  EXPECT_TRUE(detail.all);
  EXPECT_TRUE(detail.admin_access);
  EXPECT_FALSE(read.object.counts);
}

TEST(ClaimReader, WhatIsWrongIsAFault) {
  struct Row {
    const char* spec;
    const char* fault;
  };
  for (const Row& row : {
           Row{R"({"deviceClass":"k","claims":[{"deviceClass":"k"}]})",
               "spec.claims and fields of the count dialect exclude each other"},
           Row{R"({"claims":[{"deviceClass":"k","requests":{"count":"two"}}]})",
               "spec.claims[0].requests.count: \"two\" is not a quantity"},
           Row{R"({"claims":[{"deviceClass":"k","requests":{"count":"1500m"}}]})",
               "spec.claims[0].requests.count: \"1500m\" is not a whole number of devices"},
           Row{R"({"claims":[]})", "it requests nothing"},
           Row{R"({})", "neither deviceClass nor deviceType is given"},
           Row{R"({"claims":[{"deviceClass":"k","requests":{"count":"1E"}}]})",
               "1000000001 devices at least: must be from 1 to 1000000000"},
           Row{R"({"claims":[{"deviceClass":"k","requests":{"count":"-2"}}]})",
               "-2 devices at least: must be from 1 to 1000000000"},
       }) {
    const auto read =
        Decode(DecodeClaim, R"({"metadata":{"name":"c"},"spec":)" + std::string(row.spec) + "}");
    ASSERT_TRUE(read.status.ok()) << read.status;
    EXPECT_THAT(std::string(CheckClaim(read.object).message()), HasSubstr(row.fault));
  }
}

}  // namespace
}  // namespace outrigger::device_objects
