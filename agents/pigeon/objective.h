#pragma once

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

/// The objective of that name, written exactly so; nothing for any other text.
std::optional<Objective> ObjectiveOf(std::string_view name);
std::string_view NameOf(Objective objective);

}  // namespace outrigger::pigeon
