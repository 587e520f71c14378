#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace outrigger::fuzz {

/// `text` in pieces: of `size` bytes each, with a first one of `first`.
inline std::vector<std::string_view> Pieces(std::string_view text, size_t first, size_t size) {
  std::vector<std::string_view> pieces{text.substr(0, first)};
  for (size_t at = pieces[0].size(); at < text.size(); at += size) {
    pieces.push_back(text.substr(at, size));
  }
  return pieces;
}

}  // namespace outrigger::fuzz
