#pragma once

#include <cstdint>
#include <string_view>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace outrigger::names {

/// absl::Hash of a text: seeded anew in each process, so that nobody can choose names that collide.
inline uint64_t HashOf(std::string_view text) {
  return absl::Hash<absl::string_view>()(absl::string_view(text.data(), text.size()));
}

}  // namespace outrigger::names
