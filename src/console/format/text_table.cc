#include "console/format/text_table.h"

#include <algorithm>

#include "console/format/text.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
}

// In characters of UTF-8, taken as one column each.
size_t Width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !IsContinuation(c); }));
}

// At most `width` characters of `text`; what is missing shows as "..." if there is room for it.
std::string CutTo(std::string_view text, size_t width) {
  constexpr std::string_view kMore = "...";
  if (Width(text) <= width) return std::string(text);
  const size_t kept = width > kMore.size() ? width - kMore.size() : width;
  size_t end = 0;
  for (size_t seen = 0; end < text.size(); ++end) {
    if (!IsContinuation(text[end]) && seen++ == kept) break;
  }
  return std::string(text.substr(0, end)) + std::string(width > kMore.size() ? kMore : "");
}

std::string_view Sequence(Style style) {
  switch (style) {
    case Style::kPlain:
      break;
    case Style::kStrong:
      return "\x1b[1m";
    case Style::kGood:
      return "\x1b[32m";
    case Style::kBad:
      return "\x1b[31m";
    case Style::kUnsure:
      return "\x1b[33m";
    case Style::kFaint:
      return "\x1b[2m";
  }
  return "";
}

// Appends a cell, of which `room` columns can be shown.
void AppendCell(const Cell& cell, size_t width, bool is_last, bool color, size_t* room,
                std::string* line) {
  const std::string blanks(width - Width(cell.text), ' ');
  const std::string before = cell.to_the_right ? blanks : "";
  const std::string behind = cell.to_the_right || is_last ? "" : blanks;
  const size_t indent = std::min(before.size(), *room);
  *line += before.substr(0, indent);
  const std::string shown = CutTo(cell.text, *room - indent);
  *line += Styled(shown, cell.style, color);
  const size_t used = indent + Width(shown);
  const size_t pad = std::min(behind.size() + (is_last ? 0 : 2), *room - used);
  line->append(pad, ' ');
  *room -= used + pad;
}

}  // namespace

std::string Styled(std::string_view text, Style style, bool color) {
  const std::string_view sequence = Sequence(style);
  if (!color || sequence.empty() || text.empty()) return std::string(text);
  return fmt::format("{}{}\x1b[0m", sequence, text);
}

std::string TextTable(const std::vector<std::vector<Cell>>& rows, bool color, size_t columns) {
  std::vector<std::vector<Cell>> clean = rows;
  std::vector<size_t> widths;
  for (std::vector<Cell>& row : clean) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      row[i].text = Printable(row[i].text);
      widths[i] = std::max(widths[i], Width(row[i].text));
    }
  }
  std::string text;
  for (const std::vector<Cell>& row : clean) {
    std::string line;
    size_t room = columns == 0 ? SIZE_MAX : columns;
    for (size_t i = 0; i < row.size(); ++i) {
      AppendCell(row[i], widths[i], i + 1 == row.size(), color, &room, &line);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace outrigger::cli
