#include "families.h"

namespace outrigger::load_bench {

std::string_view NameOf(Family family) {
  switch (family) {
    case Family::kSteps:
      return "steps";
    case Family::kRamps:
      return "ramps";
    case Family::kDays:
      return "days";
    case Family::kNoise:
      return "noise";
    case Family::kBursts:
      return "bursts";
    case Family::kUnlike:
      return "unlike requests";
    case Family::kNewNodes:
      return "new nodes";
    case Family::kMissedScrapes:
      return "missed scrapes";
    case Family::kCounterResets:
      return "counter resets";
  }
  return "";
}

Seeds SeedsOf(Family family) {
  switch (family) {
    case Family::kSteps:
      return {.open = {1101, 1102}, .held_out = {1151, 1152}};
    case Family::kRamps:
      return {.open = {1201, 1202}, .held_out = {1251, 1252}};
    case Family::kDays:
      return {.open = {1301, 1302}, .held_out = {1351, 1352}};
    case Family::kNoise:
      return {.open = {1401, 1402}, .held_out = {1451, 1452}};
    case Family::kBursts:
      return {.open = {1501, 1502}, .held_out = {1551, 1552}};
    case Family::kUnlike:
      return {.open = {1601, 1602}, .held_out = {1651, 1652}};
    case Family::kNewNodes:
      return {.open = {1701, 1702}, .held_out = {1751, 1752}};
    case Family::kMissedScrapes:
      return {.open = {1801, 1802}, .held_out = {1851, 1852}};
    case Family::kCounterResets:
      return {.open = {1901, 1902}, .held_out = {1951, 1952}};
  }
  return {};
}

}  // namespace outrigger::load_bench
