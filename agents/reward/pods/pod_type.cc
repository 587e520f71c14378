#include "pods/pod_type.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace outrigger::reward {
namespace {

constexpr std::array<std::string_view, 3> kLabels = {"podtype", "app", "name"};
constexpr size_t kLongestName = 253;

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

}  // namespace

std::string_view TypeOf(const Pod& pod) {
  for (const std::string_view label : kLabels) {
    if (const auto* const value = pod.labels.Find(label)) return *value;
  }
  return pod.name;
}

std::string_view TypeOf(const PodView& pod) {
  for (const std::string_view label : kLabels) {
    const std::string_view value = pod.Label(label);
    if (value.data() != nullptr) return value;
  }
  return pod.Name();
}

bool IsName(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && std::ranges::all_of(text, IsNameCharacter);
}

}  // namespace outrigger::reward
