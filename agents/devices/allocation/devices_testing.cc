#include "devices/allocation/devices_testing.h"

#include "devices/objects/decode.h"
#include "gtest/gtest.h"

namespace outrigger::devices {
namespace {

template <typename T, typename Decode>
void ReadAll(const nlohmann::json& input, const char* key, Decode decode, std::vector<T>* out) {
  for (const nlohmann::json& item : input.value(key, nlohmann::json::array())) {
    const std::string text = item.dump();
    const std::string padded = text + std::string(json::kPadding, ' ');
    const std::string kind = item.at("kind");
    std::vector<json::MalformedValue> malformed;
    const absl::Status status =
        decode(json::ListedObject{kind, {padded.data(), text.size()}, "", ""}, &out->emplace_back(),
               &malformed);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_TRUE(malformed.empty()) << malformed[0].field;
  }
}

}  // namespace

Objects ReadObjects(const nlohmann::json& input) {
  Objects objects;
  ReadAll(input, "pools", device_objects::DecodePool, &objects.pools);
  ReadAll(input, "classes", device_objects::DecodeClass, &objects.classes);
  ReadAll(input, "drivers", device_objects::DecodeDriver, &objects.drivers);
  ReadAll(input, "claims", device_objects::DecodeClaim, &objects.claims);
  return objects;
}

Inventory InventoryOf(const Objects& objects) {
  Inventory inventory;
  for (const Pool& pool : objects.pools) inventory.SetPool(pool);
  for (const Class& of : objects.classes) inventory.SetClass(of);
  for (const Driver& driver : objects.drivers) inventory.SetDriver(driver);
  return inventory;
}

}  // namespace outrigger::devices
