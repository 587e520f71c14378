#include "outrigger/agent/page.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "fmt/format.h"

namespace outrigger {
namespace {

// With /readyz comes /readyz?verbose; /healthz is what a person tries first.
constexpr std::string_view kTaken[] = {"livez",   "readyz", "healthz", "metrics",
                                       "version", "pages",  "history"};

bool IsKebabCase(std::string_view text) {
  if (text.empty() || !absl::ascii_islower(static_cast<unsigned char>(text.front())) ||
      text.ends_with('-'))
    return false;
  if (text.find("--") != std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-';
  });
}

bool IsColumnName(std::string_view text) {
  if (text.empty() || !absl::ascii_islower(static_cast<unsigned char>(text.front()))) return false;
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

bool IsLine(std::string_view text) {
  return !text.empty() && text.find_first_of("\r\n") == std::string_view::npos;
}

bool Matches(const PageCell& cell, PageColumn::Type type) {
  switch (type) {
    case PageColumn::Type::kText:
      return std::holds_alternative<std::string>(cell);
    case PageColumn::Type::kInteger:
      return std::holds_alternative<int64_t>(cell);
    case PageColumn::Type::kNumber:
      return std::holds_alternative<double>(cell);
    case PageColumn::Type::kBoolean:
      return std::holds_alternative<bool>(cell);
  }
  return false;
}

std::string FaultOfRow(const std::vector<PageCell>& row, const std::vector<PageColumn>& columns) {
  if (row.size() != columns.size()) {
    return fmt::format("{} cells for {} columns", row.size(), columns.size());
  }
  for (size_t i = 0; i < row.size(); ++i) {
    if (std::holds_alternative<std::monostate>(row[i]) || Matches(row[i], columns[i].type)) {
      continue;
    }
    return fmt::format("the cell of column {} is of another type than the column", columns[i].name);
  }
  return "";
}

}  // namespace

std::string FaultOf(const PageSpec& spec) {
  if (!IsKebabCase(spec.name)) {
    return fmt::format("page name {:?} is not accepted; expected kebab-case, such as \"queue\"",
                       spec.name);
  }
  if (std::find(std::begin(kTaken), std::end(kTaken), spec.name) != std::end(kTaken)) {
    return fmt::format("page /{}: the admin port has this path itself", spec.name);
  }
  if (!IsLine(spec.help)) return fmt::format("page /{}: its help is not one line", spec.name);
  if (spec.columns.empty()) return fmt::format("page /{} has no columns", spec.name);
  std::set<std::string_view> names;
  for (const PageColumn& column : spec.columns) {
    if (!IsColumnName(column.name)) {
      return fmt::format(
          "page /{}: column name {:?} is not accepted; expected camelCase, such as "
          "\"waitingSeconds\"",
          spec.name, column.name);
    }
    if (!column.help.empty() && !IsLine(column.help)) {
      return fmt::format("page /{}: the help of column {} is not one line", spec.name, column.name);
    }
    if (!names.insert(column.name).second) {
      return fmt::format("page /{} has two columns {}", spec.name, column.name);
    }
  }
  return "";
}

PageCell TextOrAbsent(std::string_view text) {
  return text.empty() ? PageCell() : PageCell(std::string(text));
}

void PageTable::Add(std::vector<PageCell> row) {
  const std::string fault = FaultOfRow(row, columns_);
  if (!fault.empty() && fault_.empty()) fault_ = fmt::format("row {}: {}", total_, fault);
  ++total_;
  if (fault.empty() && !full()) rows_.push_back(std::move(row));
}

}  // namespace outrigger
