#include "console/reading/agent_events.h"

#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

std::string TextAt(const nlohmann::json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_string()) return "";
  return object[key].get<std::string>();
}

}  // namespace

std::optional<Told> ReadTold(std::string_view json) {
  const nlohmann::json event = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  Told told{TextAt(event, "reason"), TextAt(event, "note"), TextAt(event, "eventTime"), {}};
  if (told.note.empty()) return std::nullopt;
  if (event.contains("series")) {
    const std::string last = TextAt(event["series"], "lastObservedTime");
    if (!last.empty()) told.time = last;
  }
  if (event.contains("regarding")) {
    told.about = {TextAt(event["regarding"], "kind"), TextAt(event["regarding"], "uid")};
  }
  return told;
}

}  // namespace outrigger::cli
