#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace outrigger::cel {

/// A format of Kubernetes' names and values, as format.dns1123Label().
struct NamedFormat {
  std::string_view name;      // as in format.named(name)
  uint32_t pattern_size = 0;  // what its pattern counts for in costs
  /// What is wrong with `text`; empty if nothing is.
  std::vector<std::string> (*validate)(std::string_view text) = nullptr;
};

std::span<const NamedFormat> NamedFormats();

/// nullptr if there is none of this name.
const NamedFormat* FindFormat(std::string_view name);

}  // namespace outrigger::cel
