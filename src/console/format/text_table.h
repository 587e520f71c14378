#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace outrigger::cli {

enum class Style : uint8_t { kPlain, kStrong, kGood, kBad, kUnsure, kFaint };

struct Cell {
  std::string text;
  Style style = Style::kPlain;
  bool to_the_right = false;
};

/// Rows of cells, two blanks between columns, nothing behind the last one. Texts are made
/// printable. `columns` cuts each line there (0: nowhere), with "..." for what is missing; `color`
/// puts styles into escape sequences.
std::string TextTable(const std::vector<std::vector<Cell>>& rows, bool color, size_t columns);

/// `text` in `style`, if `color`.
std::string Styled(std::string_view text, Style style, bool color);

}  // namespace outrigger::cli
