// Fields of specs that are unknown, or that k8srm-prototype has under another name.
#include <string>
#include <vector>

#include "devices/objects/objects.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::devices {
namespace {

using ::testing::HasSubstr;

std::string ObjectOf(const std::string& kind, const std::string& spec) {
  return fmt::format(
      R"({{"kind":"{}","metadata":{{"name":"x","x":1}},"spec":{},"status":{{"x":1}}}})", kind,
      spec);
}

/// Why an object of this spec is refused; empty: it is not.
std::string FaultOf(const std::string& kind, const std::string& spec) {
  const std::string text = ObjectOf(kind, spec);
  absl::Status status;
  if (kind == kPoolKind.kind) {
    status = ParsePool(text).status();
  } else if (kind == kClassKind.kind) {
    const auto of = ParseClass(text);
    status = of.ok() ? CheckClass(of->of) : of.status();
  } else {
    const auto claim = ParseClaim(text);
    status = claim.ok() ? CheckClaim(claim->claim) : claim.status();
  }
  return std::string(status.message());
}

TEST(OldNames, AreReadAsTheNewOnes) {
  struct Row {
    const char* kind;
    const char* old_spec;
    const char* spec;
  };
  for (const Row& row : {
           Row{"DeviceClaim", R"({"deviceClass":"k","attributeMatches":["numa"]})",
               R"({"deviceClass":"k","matchAttributes":["numa"]})"},
           Row{"DeviceClaim",
               R"({"deviceClass":"k","AttributeMatches":["numa"],"deviceMaxCount":2})",
               R"({"deviceClass":"k","matchAttributes":["numa"],"maxDeviceCount":2})"},
           Row{"DeviceClaim", R"({"attributeMatches":["numa"],"claims":[{"deviceClass":"k"}]})",
               R"({"matchAttributes":["numa"],"claims":[{"deviceClass":"k"}]})"},
           Row{"DeviceClaim", R"({"claims":[{"deviceTypes":["nic"],"attributeMatches":["a"]}]})",
               R"({"claims":[{"deviceType":"nic","matchAttributes":["a"]}]})"},
           Row{"DeviceClaim",
               R"({"claims":[{"oneOf":[{"deviceTypes":["nic"],"attributeMatches":["a"]}]}]})",
               R"({"claims":[{"oneOf":[{"deviceType":"nic","matchAttributes":["a"]}]}]})"},
           Row{"DeviceClaim",
               R"({"deviceClass":"k","matchAttributes":["a"],"attributeMatches":["a"]})",
               R"({"deviceClass":"k","matchAttributes":["a"]})"},
           Row{"DeviceClass",
               R"({"deviceTypes":["nic"],"deviceMaxCount":2,"attributeMatches":["numa"]})",
               R"({"deviceType":"nic","maxDeviceCount":2,"matchAttributes":["numa"]})"},
       }) {
    EXPECT_EQ(FaultOf(row.kind, row.old_spec), "") << row.old_spec;
    if (row.kind == kClassKind.kind) {
      EXPECT_EQ(ParseClass(ObjectOf(row.kind, row.old_spec))->of,
                ParseClass(ObjectOf(row.kind, row.spec))->of);
    } else {
      EXPECT_EQ(ParseClaim(ObjectOf(row.kind, row.old_spec))->claim,
                ParseClaim(ObjectOf(row.kind, row.spec))->claim);
    }
  }
}

TEST(UnknownFields, AreRefusedByName) {
  struct Row {
    const char* kind;
    const char* spec;
    const char* fault;
  };
  for (const Row& row : {
           // Nothing is unknown in these.
           Row{"DeviceClaim", R"({"deviceClass":"k"})", ""},
           Row{"DeviceClass", R"({"deviceType":"t"})", ""},
           Row{"DevicePool", R"({"driver":"d","count":1})", ""},

           Row{"DeviceClaim", R"({"deviceClass":"k","matchAttribute":["numa"]})",
               "spec.matchAttribute: \"matchAttribute\" is not a known field; did you mean "
               "matchAttributes?"},
           Row{"DeviceClaim", R"({"deviceClass":"k","attributeMatch":["numa"]})",
               "spec.attributeMatch: \"attributeMatch\" is not a known field; did you mean "
               "matchAttributes?"},
           Row{"DeviceClaim", R"({"deviceClass":"k","accessMode":"WriteExclusive"})",
               "spec.accessMode: \"accessMode\" is not one of the fields deviceClass, driver, "
               "constraints, minDeviceCount, maxDeviceCount, matchAttributes, configs, claims"},
           Row{"DeviceClaim", R"({"claims":[{"deviceClass":"k"},{"deviceClass":"k","limit":{}}]})",
               "spec.claims[1].limit: \"limit\" is not a known field; did you mean limits?"},
           Row{"DeviceClaim", R"({"claims":[{"oneOf":[{"deviceClass":"k","oneOf":[]}]}]})",
               "spec.claims[0].oneOf[0].oneOf: \"oneOf\" is not one of the fields deviceClass, "
               "deviceType, constraints, requests, limits, matchAttributes, configs"},
           Row{"DeviceClaim", R"({"deviceClass":"k","configs":[{"nmae":"a"}]})",
               "spec.configs[0].nmae: \"nmae\" is not a known field; did you mean name?"},
           Row{"DevicePrivilegedClaim", R"({"driver":"d","matchAttributes":["numa"]})",
               "spec: a DevicePrivilegedClaim has only driver, constraints and configs"},
           Row{"DeviceClass", R"({"deviceType":"t","selector":{}})",
               "spec.selector: \"selector\" is not one of the fields driver, deviceType, "},
           Row{"DevicePool", R"({"driver":"d","nodename":"a","nodNmae":"a"})",
               "spec.nodNmae: \"nodNmae\" is not a known field; did you mean nodeName?"},
           Row{"DevicePool", R"({"driver":"d","attributes":[{"name":"a","boolValue":true}]})",
               "spec.attributes[0].boolValue: \"boolValue\" is not one of the fields name, "
               "stringValue, intValue, quantityValue, semVerValue"},
           Row{"DevicePool", R"({"driver":"d","devices":[{"name":"a","resources":[{"block":1}]}]})",
               "spec.devices[0].resources[0].block: \"block\" is not one of the fields name, "
               "capacity, blockSize"},
       }) {
    const std::string fault = FaultOf(row.kind, row.spec);
    EXPECT_THAT(fault, HasSubstr(row.fault)) << row.spec;
    EXPECT_EQ(fault.empty(), std::string(row.fault).empty()) << row.spec << fault;
  }
}

TEST(OldNames, ThatContradictTheNewOnesAreRefused) {
  struct Row {
    const char* kind;
    const char* spec;
    const char* fault;
  };
  for (const Row& row : {
           Row{"DeviceClaim",
               R"({"deviceClass":"k","matchAttributes":["a"],"attributeMatches":["b"]})",
               "spec.attributeMatches: \"attributeMatches\" is not equal to matchAttributes, its "
               "new "
               "name; give matchAttributes alone"},
           Row{"DeviceClaim", R"({"deviceClass":"k","deviceMaxCount":2,"maxDeviceCount":1})",
               "spec.deviceMaxCount: \"deviceMaxCount\" is not equal to maxDeviceCount"},
           Row{"DeviceClaim", R"({"claims":[{"oneOf":[{"deviceType":"a","deviceTypes":["b"]}]}]})",
               "spec.claims[0].oneOf[0].deviceTypes: \"deviceTypes\" is not equal to deviceType"},
           Row{"DeviceClaim", R"({"claims":[{"deviceTypes":["a","b"]}]})",
               "spec.claims[0].deviceTypes: \"a, b\" is not one type; give deviceType"},
           Row{"DeviceClass",
               R"({"deviceType":"t","attributeMatches":["a"],"matchAttributes":["b"]})",
               "spec.attributeMatches: "},
           Row{"DeviceClaim", R"({"deviceMaxCount":1,"claims":[{"deviceClass":"k"}]})",
               "spec.claims and fields of the count dialect exclude each other"},
           Row{"DeviceClaim",
               R"({"claims":[{"attributeMatches":["a"],"oneOf":[{"deviceClass":"k"}]}]})",
               "spec.claims[0].oneOf: \"oneOf\" is not alone; move the other fields into its"},
           Row{"DeviceClaim",
               R"({"claims":[{"configs":[{"name":"a"}],"oneOf":[{"deviceClass":"k"}]}]})",
               "spec.claims[0].oneOf: \"oneOf\" is not alone"},
       }) {
    EXPECT_THAT(FaultOf(row.kind, row.spec), HasSubstr(row.fault)) << row.spec;
  }
}

}  // namespace
}  // namespace outrigger::devices
