#include <array>
#include <span>
#include <string_view>

#include "load/usage/source.h"

namespace outrigger::usage {
namespace {

constexpr std::array kGaps = {Gap::kNoSeries, Gap::kSeveralSeries, Gap::kNotFinite,
                              Gap::kFailed,   Gap::kTooYoung,      Gap::kUnit};

}  // namespace

std::string_view ToString(Gap gap) {
  switch (gap) {
    case Gap::kNone:
      return "none";
    case Gap::kNoSeries:
      return "no-series";
    case Gap::kSeveralSeries:
      return "several-series";
    case Gap::kNotFinite:
      return "not-finite";
    case Gap::kFailed:
      return "failed";
    case Gap::kTooYoung:
      return "too-young";
    case Gap::kUnit:
      return "unit";
  }
  return "none";
}

std::span<const Gap> AllGaps() {
  return kGaps;
}

}  // namespace outrigger::usage
