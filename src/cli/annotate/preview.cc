#include "cli/annotate/preview.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "annotate/measurement.h"
#include "cli/format/text.h"
#include "cli/format/text_table.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

// The wrong spelling has the same values, and the time of the measurement stands above the table.
bool IsShown(std::string_view key) {
  return !key.starts_with("forcasted-") && key != annotate::kMeasured;
}

// Annotations that are missing for the same reason stand together.
std::string MissingText(const annotate::NodeValues& values, size_t columns) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> by_cause;
  for (const annotate::MissingValue& missing : values.missing) {
    if (missing.lack == annotate::Lack::kOff || !IsShown(missing.annotation)) continue;
    by_cause[{missing.cause, missing.detail}].push_back(missing.annotation);
  }
  std::string text;
  for (const auto& [cause, annotations] : by_cause) {
    const std::string which = annotations.size() == columns ? "all" : Listed(annotations);
    text += fmt::format("{}{}: {}{}", text.empty() ? "" : "; ", which, cause.first,
                        cause.second.empty() ? "" : fmt::format(" ({})", cause.second));
  }
  return text;
}

std::vector<Cell> RowOf(const PreviewRow& row, const std::vector<std::string>& keys,
                        bool has_series) {
  std::vector<Cell> cells = {{row.wanted.node}};
  if (has_series) cells.push_back({row.wanted.series.empty() ? "-" : row.wanted.series});
  for (const std::string& key : keys) {
    const auto found = row.wanted.values.find(key);
    cells.push_back({found == row.wanted.values.end() ? "-" : found->second, Style::kPlain, true});
  }
  cells.push_back(
      {row.change.empty() ? "-" : std::to_string(row.change.size()), Style::kPlain, true});
  const std::string missing = MissingText(row.wanted, keys.size());
  cells.push_back({missing.empty() ? "-" : missing, missing.empty() ? Style::kFaint : Style::kBad});
  return cells;
}

std::string Heading(const std::vector<PreviewRow>& rows) {
  for (const PreviewRow& row : rows) {
    if (row.wanted.measured) {
      return fmt::format("measured: {}\n", annotate::PrintMeasurement(*row.wanted.measured));
    }
  }
  return "";
}

}  // namespace

std::string PreviewTable(std::vector<PreviewRow> rows, const std::vector<std::string>& keys,
                         const Terminal& terminal) {
  std::sort(rows.begin(), rows.end(),
            [](const PreviewRow& a, const PreviewRow& b) { return a.wanted.node < b.wanted.node; });
  const bool has_series = std::any_of(rows.begin(), rows.end(), [](const PreviewRow& row) {
    return row.wanted.measured.has_value();
  });
  std::vector<std::string> columns;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(columns), IsShown);
  std::vector<Cell> head = {{"NODE", Style::kStrong}};
  if (has_series) head.push_back({"SERIES", Style::kStrong});
  for (const std::string& key : columns) {
    std::string title = UpperCase(key);
    std::replace(title.begin(), title.end(), '_', '-');
    head.push_back({std::move(title), Style::kStrong, true});
  }
  head.push_back({"WRITES", Style::kStrong, true});
  head.push_back({"MISSING", Style::kStrong});
  std::vector<std::vector<Cell>> table = {std::move(head)};
  for (const PreviewRow& row : rows) table.push_back(RowOf(row, columns, has_series));
  return Heading(rows) + TextTable(table, terminal.is_one, terminal.columns);
}

}  // namespace outrigger::cli
