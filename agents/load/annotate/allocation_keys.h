#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace outrigger::annotate {

/// A resource of which `annotate allocation` writes what is requested and what is free.
struct AllocatedResource {
  std::string_view name;  // in the annotations: "requested-cpu"
  std::string_view unit;  // for people
};

/// In the order of the original program, which the agent pigeon shares.
inline constexpr std::array<AllocatedResource, 5> kAllocated = {{
    {"cpu", "millicores"},
    {"memory", "bytes"},
    {"pods", "pods"},
    {"gpu", "devices"},
    {"ephemeral-storage", "bytes"},
}};

inline constexpr std::string_view kRequestedPrefix = "requested-";
inline constexpr std::string_view kFreePrefix = "free-";

/// requested-X and free-X of all resources, sorted.
std::vector<std::string> AllocationKeys();

}  // namespace outrigger::annotate
