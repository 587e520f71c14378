#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace outrigger::pigeon {

/// What a placement is judged by; of all of them a smaller value is better.
enum class Objective : uint8_t {
  kBinPack,      ///< A_BINPACK: |gamma of the nodes - gamma of the demand|, both of all resources
  kLoadBalance,  ///< LOAD_BALANCE: standard deviation of the utilization of the prime resource
  kConsolidate,  ///< CONSOLIDATE: how far nodes are from being full or empty of it
};

inline constexpr std::string_view kObjectiveNames = "A_BINPACK|LOAD_BALANCE|CONSOLIDATE";
/// The same one by one, in the order of Objective.
inline constexpr std::array<std::string_view, 3> kNamesOfObjectives = {"A_BINPACK", "LOAD_BALANCE",
                                                                       "CONSOLIDATE"};

/// The objective of that name, written exactly so; nothing for any other text.
inline std::optional<Objective> ObjectiveOf(std::string_view name) {
  for (size_t i = 0; i < kNamesOfObjectives.size(); ++i) {
    if (kNamesOfObjectives[i] == name) return static_cast<Objective>(i);
  }
  return std::nullopt;
}
inline std::string_view NameOf(Objective objective) {
  return kNamesOfObjectives[static_cast<size_t>(objective)];
}

}  // namespace outrigger::pigeon
