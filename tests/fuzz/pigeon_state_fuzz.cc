// The statistics of demand that agent pigeon keeps, as anybody may have edited them.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "demand/book.h"
#include "demand/resources.h"
#include "demand/text.h"
#include "judge.h"

namespace outrigger::fuzz {
namespace {

using pigeon::Resources;

// What no text may say: a reason that would steer a terminal.
void CheckError(const absl::Status& error) {
  OUTRIGGER_REQUIRE(absl::IsInvalidArgument(error) || absl::IsFailedPrecondition(error));
  OUTRIGGER_REQUIRE(!error.message().empty() && error.message().size() < 500);
  for (const char c : error.message()) {
    OUTRIGGER_REQUIRE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  }
}

// Whatever was read, pods are scored by it.
void CheckUse(const pigeon::DemandState& state, const Resources& resources) {
  pigeon::Fleet fleet(resources.Weights(), 0);
  const pigeon::Amounts capacity(resources.size(), 4000);
  fleet.Add(capacity, pigeon::Amounts(resources.size(), 1000), true);
  pigeon::DemandBook book(resources.size());
  book.Adopt(state);
  Pod pod;
  pod.uid = "fuzz";
  book.Count(pod, pigeon::Amounts(resources.size(), 100));
  OUTRIGGER_REQUIRE(book.demand().pods() > 0);
  const double gamma = pigeon::DemandGamma(fleet, book.demand());
  OUTRIGGER_REQUIRE(std::isfinite(gamma) && gamma >= 0);
}

void Check(std::string_view text, const Resources& resources) {
  const auto state = pigeon::ParseDemand(text, resources);
  if (!state.ok()) {
    CheckError(state.status());
    return;
  }
  OUTRIGGER_REQUIRE(state->demand.resources() == resources.size());
  OUTRIGGER_REQUIRE(state->pods.size() <= pigeon::DemandBook::kMostStored);
  const std::string printed = PrintDemand(*state, resources);
  OUTRIGGER_REQUIRE(printed.size() <= pigeon::kMostStateText);
  const auto again = pigeon::ParseDemand(printed, resources);
  OUTRIGGER_REQUIRE(again.ok());
  OUTRIGGER_REQUIRE(PrintDemand(*again, resources) == printed);
  CheckUse(*state, resources);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  outrigger::fuzz::Check(text, outrigger::pigeon::Resources::First(2, "nvidia.com/gpu"));
  outrigger::fuzz::Check(text, outrigger::pigeon::Resources::First(1, "nvidia.com/gpu"));
  return 0;
}
