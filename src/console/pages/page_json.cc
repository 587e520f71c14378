#include <utility>
#include <variant>

#include "console/format/yaml.h"
#include "console/pages/page_text.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

using Json = nlohmann::ordered_json;

Json CellJson(const PageCell& cell) {
  return std::visit(
      [](const auto& value) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
          return nullptr;
        } else {
          return value;
        }
      },
      cell);
}

Json RowsJson(const PageTable& page) {
  Json rows = Json::array();
  for (const std::vector<PageCell>& cells : page.rows()) {
    Json row = Json::object();
    for (size_t i = 0; i < cells.size(); ++i) row[page.columns()[i].name] = CellJson(cells[i]);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json AllJson(const PageTable& page) {
  return {{"rows", RowsJson(page)}, {"total", page.total()}, {"truncated", page.truncated()}};
}

Json AllJson(const std::vector<NamedPage>& pages) {
  Json all = Json::object();
  for (const NamedPage& page : pages) all[page.name] = RowsJson(page.table);
  return all;
}

// Names in objects need not be UTF-8.
std::string Dumped(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string Yaml(const Json& json) {
  return YamlFromJson(Json::parse(Dumped(json, -1)));
}

}  // namespace

std::string PageJson(const PageTable& page) {
  return Dumped(AllJson(page), 2) + "\n";
}

std::string PageYaml(const PageTable& page) {
  return Yaml(AllJson(page));
}

std::string PagesJson(const std::vector<NamedPage>& pages) {
  return Dumped(AllJson(pages), 2) + "\n";
}

std::string PagesYaml(const std::vector<NamedPage>& pages) {
  return Yaml(AllJson(pages));
}

}  // namespace outrigger::cli
