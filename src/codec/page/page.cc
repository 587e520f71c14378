#include "codec/page/page.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "codec/json/text.h"
#include "fmt/format.h"
#include "outrigger/agent/page.h"
#include "outrigger/base/text.h"

namespace outrigger::page {
namespace {

constexpr std::pair<PageColumn::Type, std::string_view> kTypeNames[] = {
    {PageColumn::Type::kText, "text"},
    {PageColumn::Type::kInteger, "integer"},
    {PageColumn::Type::kNumber, "number"},
    {PageColumn::Type::kBoolean, "boolean"},
};

// Returns the JSON name of a type.
constexpr std::string_view NameOf(PageColumn::Type type) {
  for (const auto& entry : kTypeNames) {
    if (entry.first == type) return entry.second;
  }
  return "";
}

// Returns the type with that JSON name, or nothing.
constexpr std::optional<PageColumn::Type> TypeOf(std::string_view name) {
  for (const auto& entry : kTypeNames) {
    if (entry.second == name) return entry.first;
  }
  return std::nullopt;
}

using Json = nlohmann::json;
using Event = Json::parse_event_t;

// A page has objects in arrays in an object. What is deeper is dropped while it is read.
constexpr int kMaxDepth = 3;
constexpr size_t kMaxQuoted = 100;

absl::Status NoPage(const std::string& text) {
  return absl::InvalidArgumentError("not a page of an agent: " + text);
}

std::string Quoted(const std::string& text) {
  return '"' + Shortened(Printable(text), kMaxQuoted) + '"';
}

/// Returns the member if it is there, else null.
const Json* Find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

absl::StatusOr<std::string> Text(const Json& object, const char* key) {
  const Json* value = Find(object, key);
  if (value == nullptr || !value->is_string()) {
    return NoPage(fmt::format("\"{}\" is not a text", key));
  }
  return value->get<std::string>();
}

absl::Status CheckVersion(const Json& json) {
  const Json* version = Find(json, "version");
  if (version == nullptr || !version->is_number_integer()) {
    return NoPage("\"version\" is not an integer");
  }
  if (*version == kVersion) return absl::OkStatus();
  return absl::UnimplementedError(
      fmt::format("a page of version {}, and this program reads version {}: use the outrigger that "
                  "is as new as the agent",
                  version->dump(), kVersion));
}

absl::StatusOr<PageColumn> ReadColumn(const Json& json) {
  if (!json.is_object()) return NoPage("a column is not an object");
  auto name = Text(json, "name");
  if (!name.ok()) return name.status();
  const auto type_name = Text(json, "type");
  if (!type_name.ok()) return type_name.status();
  const auto type = TypeOf(*type_name);
  if (!type) {
    return NoPage(
        fmt::format("column {}: type {} is not known", Quoted(*name), Quoted(*type_name)));
  }
  PageColumn column{.name = *std::move(name), .type = *type};
  if (const Json* help = Find(json, "help"); help != nullptr && help->is_string()) {
    column.help = help->get<std::string>();
  }
  return column;
}

absl::StatusOr<std::vector<PageColumn>> ReadColumns(const Json& json) {
  const Json* list = Find(json, "columns");
  if (list == nullptr || !list->is_array()) return NoPage("\"columns\" is not an array");
  std::vector<PageColumn> columns;
  for (const Json& entry : *list) {
    auto column = ReadColumn(entry);
    if (!column.ok()) return column.status();
    columns.push_back(*std::move(column));
  }
  return columns;
}

/// Returns nothing if `json` is of another type than the column.
std::optional<PageCell> ReadCell(const Json& json, PageColumn::Type type) {
  if (json.is_null()) return PageCell{};
  switch (type) {
    case PageColumn::Type::kText:
      if (json.is_string()) return PageCell(json.get<std::string>());
      break;
    case PageColumn::Type::kInteger:
      // What is above the largest int64_t is unsigned in this library.
      if (json.is_number_integer() &&
          (!json.is_number_unsigned() ||
           json.get<uint64_t>() <= uint64_t{std::numeric_limits<int64_t>::max()})) {
        return PageCell(json.get<int64_t>());
      }
      break;
    case PageColumn::Type::kNumber:
      if (json.is_number()) return PageCell(json.get<double>());
      break;
    case PageColumn::Type::kBoolean:
      if (json.is_boolean()) return PageCell(json.get<bool>());
      break;
  }
  return std::nullopt;
}

absl::Status ReadRow(const Json& json, size_t index, PageTable* table) {
  if (!json.is_object()) return NoPage(fmt::format("row {} is not an object", index));
  std::vector<PageCell> row;
  for (const PageColumn& column : table->columns()) {
    const auto value = json.find(column.name);
    auto cell = value == json.end() ? PageCell{} : ReadCell(*value, column.type);
    if (!cell) {
      return NoPage(fmt::format("row {}: column {} is not of type {}", index, Quoted(column.name),
                                NameOf(column.type)));
    }
    row.push_back(*std::move(cell));
  }
  table->Add(std::move(row));
  return absl::OkStatus();
}

absl::Status ReadRows(const Json& json, PageTable* table) {
  const Json* rows = Find(json, "rows");
  if (rows == nullptr || !rows->is_array()) return NoPage("\"rows\" is not an array");
  for (size_t i = 0; i < rows->size(); ++i) {
    absl::Status status = ReadRow((*rows)[i], i, table);
    if (!status.ok()) return status;
  }
  const Json* total = Find(json, "total");
  if (total == nullptr || !total->is_number_unsigned() || total->get<uint64_t>() < rows->size()) {
    return NoPage("\"total\" is not the number of rows or more");
  }
  table->Count(total->get<uint64_t>() - rows->size());
  return absl::OkStatus();
}

// For the end of the page, which comes after the last row.
constexpr size_t kEndBytes = 100;

struct AppendCell {
  std::string* out;
  void operator()(std::monostate) const { *out += "null"; }
  void operator()(const std::string& text) const { json::AppendString(text, out); }
  void operator()(int64_t value) const { *out += fmt::format("{}", value); }
  void operator()(double value) const {
    *out += std::isfinite(value) ? fmt::format("{}", value) : "null";  // JSON has no infinity
  }
  void operator()(bool value) const { *out += value ? "true" : "false"; }
};

void AppendKey(std::string_view name, std::string* out) {
  json::AppendString(name, out);
  *out += ':';
}

void AppendHead(const Page& page, std::string* out) {
  *out += fmt::format("{{\"version\":{},\"agent\":", kVersion);
  json::AppendString(page.agent, out);
  *out += ",\"page\":";
  json::AppendString(page.name, out);
  *out += ",\"columns\":[";
  std::string_view separator;
  for (const PageColumn& column : page.table.columns()) {
    *out += separator;
    *out += "{\"name\":";
    json::AppendString(column.name, out);
    *out += fmt::format(",\"type\":\"{}\"", NameOf(column.type));
    if (!column.help.empty()) {
      *out += ",\"help\":";
      json::AppendString(column.help, out);
    }
    *out += '}';
    separator = ",";
  }
  *out += "],\"rows\":[";
}

void AppendRow(const std::vector<PageColumn>& columns, const std::vector<PageCell>& row,
               std::string* out) {
  *out += '{';
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) *out += ',';
    AppendKey(columns[i].name, out);
    std::visit(AppendCell{out}, row[i]);
  }
  *out += '}';
}

}  // namespace

absl::StatusOr<Page> Decode(std::string_view text) {
  const auto keep = [](int depth, Event event, Json& /*parsed*/) {
    const bool opens = event == Event::object_start || event == Event::array_start;
    return !opens || depth < kMaxDepth;
  };
  const Json json = Json::parse(text, keep, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object()) return NoPage("it is not a JSON object");
  const absl::Status version = CheckVersion(json);
  if (!version.ok()) return version;
  auto agent = Text(json, "agent");
  if (!agent.ok()) return agent.status();
  auto name = Text(json, "page");
  if (!name.ok()) return name.status();
  auto columns = ReadColumns(json);
  if (!columns.ok()) return columns.status();
  Page page{.agent = *std::move(agent),
            .name = *std::move(name),
            .table = PageTable(*std::move(columns), std::numeric_limits<size_t>::max())};
  const absl::Status rows = ReadRows(json, &page.table);
  if (!rows.ok()) return rows;
  return page;
}

void Encode(const Page& page, size_t max_bytes, std::string* out) {
  const size_t start = out->size();
  AppendHead(page, out);
  size_t written = 0;
  for (const std::vector<PageCell>& row : page.table.rows()) {
    const size_t before = out->size();
    *out += written == 0 ? "\n" : ",\n";
    AppendRow(page.table.columns(), row, out);
    if (out->size() - start + kEndBytes > max_bytes) {
      out->resize(before);
      break;
    }
    ++written;
  }
  *out += fmt::format("\n],\"total\":{},\"truncated\":{}}}\n", page.table.total(),
                      page.table.total() > written);
}

}  // namespace outrigger::page
