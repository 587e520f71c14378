#include <algorithm>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "console/pages/page_text.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

constexpr std::string_view kSince = "since";

// "AGE" for since, "GROUP-PRIORITY" for groupPriority.
std::string TitleOf(const std::string& column) {
  if (column == kSince) return "AGE";
  std::string title;
  for (const char c : column) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper) title += '-';
    title += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return title;
}

// In three digits, or all of those before the point.
std::string NumberText(double number) {
  constexpr double kFourDigits = 1000;
  return number < kFourDigits && number > -kFourDigits ? fmt::format("{:.3g}", number)
                                                       : fmt::format("{:.0f}", number);
}

Cell CellOf(const PageColumn& column, const PageCell& cell, const PageForm& form) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    return {column.name == kSince ? SinceText(*text, form.now) : *text,
            form.style_of == nullptr ? Style::kPlain : form.style_of(column.name, *text)};
  }
  if (const auto* integer = std::get_if<int64_t>(&cell)) {
    return {std::to_string(*integer), Style::kPlain, true};
  }
  if (const auto* number = std::get_if<double>(&cell)) {
    return {NumberText(*number), Style::kPlain, true};
  }
  if (const auto* truth = std::get_if<bool>(&cell)) return {*truth ? "yes" : "no"};
  return {"-"};
}

}  // namespace

std::string AgeText(int64_t seconds) {
  constexpr int64_t kMinute = 60;
  constexpr int64_t kHour = 60 * kMinute;
  constexpr int64_t kDay = 24 * kHour;
  if (seconds < 2 * kMinute) return fmt::format("{}s", std::max<int64_t>(seconds, 0));
  if (seconds < 2 * kHour) return fmt::format("{}m", seconds / kMinute);
  if (seconds < 2 * kDay) return fmt::format("{}h", seconds / kHour);
  return fmt::format("{}d", seconds / kDay);
}

std::string SinceText(const std::string& since, int64_t now) {
  absl::Time time;
  if (!absl::ParseTime(absl::RFC3339_full, since, &time, nullptr)) return since;
  return AgeText(now - absl::ToUnixSeconds(time));
}

std::string PageText(const PageTable& page, const PageForm& form) {
  std::vector<std::vector<Cell>> rows(1);
  for (const PageColumn& column : page.columns()) {
    const bool is_number =
        column.type == PageColumn::Type::kInteger || column.type == PageColumn::Type::kNumber;
    rows[0].push_back({TitleOf(column.name), Style::kStrong, is_number});
  }
  for (const std::vector<PageCell>& cells : page.rows()) {
    std::vector<Cell>& row = rows.emplace_back();
    for (size_t i = 0; i < cells.size(); ++i) {
      row.push_back(CellOf(page.columns()[i], cells[i], form));
    }
  }
  return TextTable(rows, form.color, form.columns);
}

}  // namespace outrigger::cli
