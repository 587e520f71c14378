// A DevicePool in JSON.
#include <cstdint>
#include <string>
#include <string_view>

#include "check.h"
#include "devices/objects/objects.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"

namespace outrigger::fuzz {
namespace {

using devices::PoolObject;
using nlohmann::json;

void CheckRefusal(const absl::Status& status) {
  OUTRIGGER_REQUIRE(absl::IsInvalidArgument(status));
  const std::string text(status.message());
  OUTRIGGER_REQUIRE(!text.empty() && text.size() < 8192);
  OUTRIGGER_REQUIRE(Shortened(text, 8192) == text);
}

// The status as it is written.
json StatusOf(const PoolObject& pool) {
  const json status = json::parse(devices::PoolStatusPatch(pool, pool.entries));
  const auto total = status.at("totalDevices").get<int64_t>();
  const auto free = status.at("freeDevices").get<int64_t>();
  OUTRIGGER_REQUIRE(free >= 0 && free <= total);
  for (const json& entry : status.at("allocations")) {
    OUTRIGGER_REQUIRE(entry.contains("deviceCount") != entry.contains("devices"));
  }
  return status;
}

void Run(std::string_view input) {
  const auto pool = devices::ParsePool(input);
  if (!pool.ok()) return CheckRefusal(pool.status());
  OUTRIGGER_REQUIRE(!pool->pool.name.empty());
  (void)devices::CheckPool(pool->pool);
  const json written = StatusOf(*pool);
  const json object = {{"metadata", {{"name", "p"}}}, {"status", written}};
  const auto again = devices::ParsePool(object.dump());
  OUTRIGGER_REQUIRE(again.ok());
  OUTRIGGER_REQUIRE(again->entries.size() == pool->entries.size());
  OUTRIGGER_REQUIRE(again->total == written.at("totalDevices").get<int64_t>());
  OUTRIGGER_REQUIRE(StatusOf(*again).at("allocations") == written.at("allocations"));
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
