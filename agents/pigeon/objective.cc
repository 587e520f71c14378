#include "objective.h"

#include <array>

namespace outrigger::pigeon {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"A_BINPACK", "LOAD_BALANCE", "CONSOLIDATE"};

}  // namespace

std::optional<Objective> ObjectiveOf(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Objective>(i);
  }
  return std::nullopt;
}

std::string_view NameOf(Objective objective) {
  return kNames[static_cast<size_t>(objective)];
}

}  // namespace outrigger::pigeon
