#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace outrigger::load_bench {

/// What makes a load hard to know.
enum class Family : uint8_t {
  kSteps,          // the use of an application jumps
  kRamps,          // it rises for an hour, and falls
  kDays,           // a day of two hours
  kNoise,          // each pod's use changes from one scrape to the next
  kBursts,         // twenty pods arrive within one scrape
  kUnlike,         // pods use a tenth of what they request, or twice that, by application
  kNewNodes,       // half of the nodes come while pods arrive
  kMissedScrapes,  // exporters miss scrapes, some for minutes
  kCounterResets,  // counters of exporters begin again
};

inline constexpr std::array kFamilies = {
    Family::kSteps,    Family::kRamps,         Family::kDays,
    Family::kNoise,    Family::kBursts,        Family::kUnlike,
    Family::kNewNodes, Family::kMissedScrapes, Family::kCounterResets};

std::string_view NameOf(Family family);

/// The seeds of a family's traces. They were chosen before anything was tuned by what they show,
/// and never change. Those held out are looked at only to judge what is finished (--final): the
/// open ones alone may be looked at while defaults and formulas are changed.
struct Seeds {
  std::array<uint64_t, 2> open;
  std::array<uint64_t, 2> held_out;
};

Seeds SeedsOf(Family family);

}  // namespace outrigger::load_bench
