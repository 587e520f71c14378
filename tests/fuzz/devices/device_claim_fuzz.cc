// A DeviceClaim or DevicePrivilegedClaim in JSON.
#include <cstdint>
#include <string>
#include <string_view>

#include "check.h"
#include "devices/objects/objects.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"

namespace outrigger::fuzz {
namespace {

using devices::ClaimObject;
using devices::ClaimStatus;
using nlohmann::json;

void CheckRefusal(const absl::Status& status) {
  OUTRIGGER_REQUIRE(absl::IsInvalidArgument(status));
  const std::string text(status.message());
  OUTRIGGER_REQUIRE(!text.empty() && text.size() < 8192);
  OUTRIGGER_REQUIRE(Shortened(text, 8192) == text);
}

std::string PatchOf(const ClaimObject& claim) {
  ClaimStatus status;
  status.state = claim.state;
  status.class_text = devices::ClassText(claim.claim);
  status.node = claim.node;
  status.message = claim.message;
  status.observed_generation = claim.observed_generation;
  status.allocations = claim.claim.allocations;
  status.pods = claim.pods;
  return devices::ClaimStatusPatch(status);
}

void Run(std::string_view input) {
  const auto claim = devices::ParseClaim(input);
  if (!claim.ok()) return CheckRefusal(claim.status());
  OUTRIGGER_REQUIRE(!claim->claim.name.empty());
  OUTRIGGER_REQUIRE(claim->claim.uid == claim->version.uid);
  (void)devices::CheckClaim(claim->claim);
  json patch = json::parse(PatchOf(*claim));
  json object = {{"metadata", {{"name", "c"}}}};
  object.merge_patch({{"status", patch}});
  auto again = devices::ParseClaim(object.dump());
  OUTRIGGER_REQUIRE(again.ok());
  // What is written is read as it is: written again, it is the same.
  again->claim.requests = claim->claim.requests;
  OUTRIGGER_REQUIRE(json::parse(PatchOf(*again)) == patch);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
