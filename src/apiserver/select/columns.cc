#include "apiserver/select/columns.h"

#include <algorithm>
#include <map>
#include <utility>

#include "apiserver/select/cells.h"
#include "apiserver/select/column_table.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// "1h5m", "1h" if the smaller unit is zero.
std::string TwoUnits(int64_t large, const char* large_unit, int64_t small, const char* small_unit) {
  if (small == 0) return fmt::format("{}{}", large, large_unit);
  return fmt::format("{}{}{}{}", large, large_unit, small, small_unit);
}

// "*#Title!=function:path?otherwise"; see column_table.h.
Column ParseColumn(std::string_view text) {
  Column column;
  const std::string_view title = text.substr(0, text.find('='));
  std::string_view source = title == text ? "" : text.substr(title.size() + 1);
  for (const char c : title) {
    if (c == '*') column.priority = 1;
    if (c == '#') column.type = "integer";
    if (c == '?') column.type = "boolean";
    if (c == '!') column.format = "name";
    if (std::string_view("*#?!").find(c) == std::string_view::npos) column.name += c;
  }
  if (title == text) {
    source = column.name == "Name" ? "metadata.name" : "age:metadata.creationTimestamp";
  }
  if (const size_t colon = source.find(':'); colon != std::string_view::npos) {
    column.function = source.substr(0, colon);
    source.remove_prefix(colon + 1);
  }
  const size_t mark = source.find('?');
  column.path = source.substr(0, mark);
  column.has_otherwise = mark != std::string_view::npos;
  if (column.has_otherwise) column.otherwise = source.substr(mark + 1);
  if (!column.has_otherwise && column.function == "age") column.otherwise = "<unknown>";
  return column;
}

std::vector<Column> ParseColumns(std::string_view text) {
  std::vector<Column> columns;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find("; "));
    columns.push_back(ParseColumn(one));
    text.remove_prefix(std::min(text.size(), one.size() + 2));
  }
  return columns;
}

// What the type of the column makes of a field's value.
Json FieldCell(const Column& column, const Json* value) {
  if (column.type == "integer") return value == nullptr ? Json(0) : *value;
  if (column.type == "boolean") return value == nullptr ? Json(column.otherwise == "true") : *value;
  const bool is_text = value != nullptr && value->is_string();
  if (value == nullptr || (is_text && value->get_ref<const std::string&>().empty())) {
    return column.otherwise;
  }
  return is_text ? *value : Json(value->dump());
}

Json BuiltInCell(const Column& column, const Json& object, absl::Time now) {
  if (column.function.empty()) return FieldCell(column, ValueAt(object, column.path));
  const CellFunction function = FindCellFunction(column.function);
  Json cell = function(object, column.path, now);
  return cell.is_null() ? Json(column.otherwise) : cell;
}

// As upstream's tableconvertor: a value of another type than the column's is not shown.
Json CustomCell(const Column& column, const Json& object, absl::Time now) {
  const Json* value = column.json_path.Find(object);
  if (value == nullptr || value->is_null()) return nullptr;
  if (column.type == "string") return value->is_string() ? *value : Json(value->dump());
  if (column.type == "boolean") return value->is_boolean() ? *value : Json();
  if (column.type == "date") {
    if (!value->is_string()) return nullptr;
    const Json age = AgeCell(*value, "", now);
    return age.is_null() ? Json("<invalid>") : age;
  }
  if (!value->is_number()) return nullptr;
  return column.type == "integer" ? Json(value->get<int64_t>()) : Json(value->get<double>());
}

using KindColumns = std::map<std::pair<std::string_view, std::string_view>, Columns>;

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

const Columns& Columns::OfKind(std::string_view group, std::string_view kind) {
  static const Columns* const others = [] {
    auto* columns = new Columns;
    columns->columns_ = ParseColumns("Name!; Created At=metadata.creationTimestamp");
    columns->columns_[1].type = "date";
    return columns;
  }();
  static const KindColumns* const known = [] {
    auto* kinds = new KindColumns;
    for (const ColumnsRow& row : kColumnTable) {
      (*kinds)[{row.group, row.kind}].columns_ = ParseColumns(row.columns);
    }
    return kinds;
  }();
  const auto found = known->find({group, kind});
  return found == known->end() ? *others : found->second;
}

Columns Columns::OfCustomResource(const Json& printer_columns) {
  Columns columns;
  columns.columns_ = ParseColumns("Name!");
  const Json age = {
      {{"name", "Age"}, {"type", "date"}, {"jsonPath", ".metadata.creationTimestamp"}}};
  for (const Json& given : printer_columns.is_array() ? printer_columns : age) {
    Column column = {.name = TextAt(given, "name"),
                     .type = TextAt(given, "type"),
                     .format = TextAt(given, "format"),
                     .description = TextAt(given, "description"),
                     .priority = static_cast<int>(NumberAt(given, "priority")),
                     .function = "custom",
                     .path = TextAt(given, "jsonPath")};
    if (column.description.empty()) {
      column.description = "Custom resource definition column (in JSONPath format): " + column.path;
    }
    if (!column.json_path.Parse(column.path)) column.json_path.Parse(".metadata['']");
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
                           {"description", column.description},
                           {"priority", column.priority}});
  }
  return definitions;
}

Json Columns::CellsOf(const Json& object, absl::Time now) const {
  Json cells = Json::array();
  for (const Column& column : columns_) {
    const bool custom = column.function == "custom";
    cells.push_back(custom ? CustomCell(column, object, now) : BuiltInCell(column, object, now));
  }
  return cells;
}

}  // namespace outrigger::apiserver
