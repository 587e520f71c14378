#include <variant>

#include "cli/explain/queue_text.h"
#include "cli/format/yaml.h"
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

// Names in objects need not be UTF-8.
std::string AllJson(const PageTable& queue, int indent) {
  Json rows = Json::array();
  for (const std::vector<PageCell>& cells : queue.rows()) {
    Json row = Json::object();
    for (size_t i = 0; i < cells.size(); ++i) row[queue.columns()[i].name] = CellJson(cells[i]);
    rows.push_back(std::move(row));
  }
  const Json json = {
      {"rows", std::move(rows)}, {"total", queue.total()}, {"truncated", queue.truncated()}};
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string QueueJson(const PageTable& queue) {
  return AllJson(queue, 2) + "\n";
}

std::string QueueYaml(const PageTable& queue) {
  return YamlFromJson(Json::parse(AllJson(queue, -1)));
}

}  // namespace outrigger::cli
