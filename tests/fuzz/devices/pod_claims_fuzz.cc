// The annotation in which a pod names its device claims.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "check.h"
#include "devices/objects/objects.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"
#include "outrigger/k8s/label_syntax.h"

namespace outrigger::fuzz {
namespace {

using devices::PodClaim;
using nlohmann::json;

void CheckRefusal(const absl::Status& status) {
  OUTRIGGER_REQUIRE(absl::IsInvalidArgument(status));
  const std::string text(status.message());
  OUTRIGGER_REQUIRE(text.starts_with("claims") && text.size() < 8192);
  OUTRIGGER_REQUIRE(Shortened(text, 8192) == text);
}

void CheckEmbedded(const PodClaim& claim) {
  OUTRIGGER_REQUIRE(claim.claim_name == devices::EmbeddedClaimName("pod", claim.name));
  const json object = json::parse(devices::EmbeddedClaim("ns", "pod", "uid", claim));
  OUTRIGGER_REQUIRE(object.at("spec") == json::parse(claim.embedded_spec));
  OUTRIGGER_REQUIRE(object.at("metadata").at("name") == claim.claim_name);
}

void Run(std::string_view input) {
  const auto claims = devices::ParsePodClaims(input, "pod");
  if (!claims.ok()) return CheckRefusal(claims.status());
  OUTRIGGER_REQUIRE(claims->size() <= devices::kMostPodClaims);
  std::set<std::string> names;
  for (const PodClaim& claim : *claims) {
    OUTRIGGER_REQUIRE(names.insert(claim.name).second);
    OUTRIGGER_REQUIRE(IsDnsLabel(claim.name) && IsDnsSubdomain(claim.claim_name));
    if (!claim.embedded_spec.empty()) CheckEmbedded(claim);
  }
  const json parsed = Trimmed(input).empty() ? json() : json::parse(input);
  OUTRIGGER_REQUIRE(parsed.size() == claims->size());
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
