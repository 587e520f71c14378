#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace outrigger::names {

/// absl::Hash of a text: seeded anew in each process, so that nobody can choose names that collide.
inline uint64_t HashOf(std::string_view text) {
  return absl::Hash<absl::string_view>()(absl::string_view(text.data(), text.size()));
}

/// Names with their hashes, which are as many: HashOf() each. Views.
struct HashedNames {
  std::span<const std::string_view> names;
  std::span<const uint64_t> hashes;
};

}  // namespace outrigger::names
