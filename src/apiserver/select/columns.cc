#include "apiserver/select/columns.h"

#include <map>
#include <utility>

#include "apiserver/select/cells.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// "1h5m", "1h" if the smaller unit is zero.
std::string TwoUnits(int64_t large, const char* large_unit, int64_t small, const char* small_unit) {
  if (small == 0) return fmt::format("{}{}", large, large_unit);
  return fmt::format("{}{}{}{}", large, large_unit, small, small_unit);
}

Column NameColumn() {
  Column column = {.name = "Name", .format = "name", .cell = TextCell};
  column.path.Parse(".metadata.name");
  return column;
}

// As upstream's tableconvertor: a value of another type than the column's is not shown.
Json CustomCell(const CellSource& source) {
  const Json& value = source.first();
  if (value.is_null()) return nullptr;
  if (source.type == "boolean") return value.is_boolean() ? value : Json();
  if (source.type == "integer") return value.is_number() ? Json(value.get<int64_t>()) : Json();
  if (source.type == "number") return value.is_number() ? Json(value.get<double>()) : Json();
  if (source.type != "date") return value.is_string() ? value : Json(value.dump());
  if (!value.is_string()) return nullptr;
  const Json age = AgeCell(source);
  return age.is_null() ? Json("<invalid>") : age;
}

Column BuiltInColumn(const ColumnRow& row) {
  Column column;
  column.cell = row.cell;
  column.otherwise = row.otherwise;
  column.path.Parse(row.path);
  for (const char c : row.title) {
    if (c == '*') {
      column.priority = 1;
    } else if (c == '#' || c == '?') {
      column.type = c == '#' ? "integer" : "boolean";
    } else if (c == '!') {
      column.format = "name";
    } else {
      column.name += c;
    }
  }
  return column;
}

}  // namespace

std::string AgeText(absl::Duration age) {
  const int64_t seconds = absl::ToInt64Seconds(age);
  const int64_t minutes = seconds / 60;
  const int64_t hours = minutes / 60;
  const int64_t days = hours / 24;
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return fmt::format("{}s", seconds);
  if (minutes < 10) return TwoUnits(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return fmt::format("{}m", minutes);
  if (hours < 8) return TwoUnits(hours, "h", minutes % 60, "m");
  if (hours < 48) return fmt::format("{}h", hours);
  if (days < 8) return TwoUnits(days, "d", hours % 24, "h");
  if (days < 365 * 2) return fmt::format("{}d", days);
  if (days < 365 * 8) return TwoUnits(days / 365, "y", days % 365, "d");
  return fmt::format("{}y", days / 365);
}

const Json& CellSource::first() const {
  static const Json nothing;
  return values.empty() ? nothing : *values.front();
}

const Columns& Columns::OfKind(std::string_view group, std::string_view kind) {
  using KindColumns = std::map<std::string_view, Columns>;
  static const auto* const others = new Columns(OfCustomResource(nullptr));
  static const KindColumns* const known = [] {
    auto* kinds = new KindColumns;
    for (const ColumnRow& row : BuiltInColumns()) {
      std::vector<Column>& columns = (*kinds)[row.kind].columns_;
      // The names of events say nothing.
      if (columns.empty() && row.kind != "Event") columns.push_back(NameColumn());
      columns.push_back(BuiltInColumn(row));
    }
    return kinds;
  }();
  const auto found = known->find(group.empty() ? kind : fmt::format("{}/{}", group, kind));
  return found == known->end() ? *others : found->second;
}

Columns Columns::OfCustomResource(const Json& printer_columns) {
  Columns columns;
  columns.columns_.push_back(NameColumn());
  const Json age = {
      {{"name", "Age"}, {"type", "date"}, {"jsonPath", ".metadata.creationTimestamp"}}};
  for (const Json& given : printer_columns.is_array() ? printer_columns : age) {
    Column column = {.name = TextAt(given, "name"),
                     .type = TextAt(given, "type"),
                     .format = TextAt(given, "format"),
                     .priority = static_cast<int>(NumberAt(given, "priority")),
                     .cell = CustomCell};
    column.path.Parse(TextAt(given, "jsonPath"));
    columns.columns_.push_back(std::move(column));
  }
  return columns;
}

Json Columns::Definitions() const {
  Json definitions = Json::array();
  for (const Column& column : columns_) {
    definitions.push_back({{"name", column.name},
                           {"type", column.type},
                           {"format", column.format},
                           {"description", ""},
                           {"priority", column.priority}});
  }
  return definitions;
}

Json Columns::CellsOf(const Json& object, absl::Time now) const {
  Json cells = Json::array();
  for (const Column& column : columns_) {
    const std::vector<const Json*> values = column.path.Find(object);
    Json cell = column.cell({values, object, now, column.type});
    if (cell.is_null()) cell = column.otherwise;
    cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace outrigger::apiserver
