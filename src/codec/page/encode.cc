#include <cmath>
#include <variant>

#include "codec/json/text.h"
#include "codec/page/page.h"
#include "codec/page/type_names.h"
#include "fmt/format.h"

namespace outrigger::page {
namespace {

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
    *out += fmt::format(",\"type\":\"{}\"}}", NameOf(column.type));
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
