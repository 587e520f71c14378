#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "board_testing.h"
#include "fmt/format.h"
#include "gang/desk/pages.h"
#include "gmock/gmock.h"

// Pages of the desk as tests compare them.

namespace outrigger::desk {

inline std::string TextOfCell(const PageCell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* truth = std::get_if<bool>(&cell)) return *truth ? "yes" : "no";
  return std::holds_alternative<std::monostate>(cell) ? "-" : "a number";
}

/// The page of that name, filled.
inline PageTable Filled(const Board& board, std::string_view page,
                        const WorkedOutWhy& why = nullptr, size_t max_rows = 100) {
  for (const PageSpec& spec : DeskPages()) {
    if (spec.name != page) continue;
    PageTable table(spec.columns, max_rows);
    EXPECT_TRUE(FillDeskPage(page, board, why, &table).ok());
    EXPECT_EQ(table.fault(), "");
    return table;
  }
  ADD_FAILURE() << page;
  return {{}, 0};
}

/// "default/train | waits": these columns of each row.
inline std::vector<std::string> Rows(const PageTable& table,
                                     const std::vector<std::string>& columns) {
  std::vector<std::string> rows;
  for (const std::vector<PageCell>& cells : table.rows()) {
    std::string& row = rows.emplace_back();
    for (const std::string& column : columns) {
      for (size_t i = 0; i < cells.size(); ++i) {
        if (table.columns()[i].name != column) continue;
        row += fmt::format("{}{}", row.empty() ? "" : " | ", TextOfCell(cells[i]));
      }
    }
  }
  return rows;
}

}  // namespace outrigger::desk
