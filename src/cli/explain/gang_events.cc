#include "cli/explain/gang_events.h"

#include "absl/time/time.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

// In seconds: the agent's clock may be so far behind that of the API server.
constexpr int64_t kSkew = 5;

std::string TextAt(const nlohmann::json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_string()) return "";
  return object[key].get<std::string>();
}

// "2026-11-24T03:00:12.123456Z", in whole seconds.
std::string WholeSeconds(const std::string& time) {
  const size_t point = time.find('.');
  return point == std::string::npos ? time : time.substr(0, point) + "Z";
}

bool IsOfThisOne(const Told& told, const plan::UnitKey& gang, int64_t oldest) {
  if (!gang.uid.empty()) return told.about.kind == "PodGroup" && told.about.uid == gang.uid;
  if (told.about.kind == "PodGroup") return false;
  absl::Time time;
  const bool is_read = absl::ParseTime(absl::RFC3339_full, told.time, &time, nullptr);
  return !is_read || absl::ToUnixSeconds(time) >= oldest - kSkew;
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

std::optional<Told> LastTold(std::span<const Told> all, const plan::UnitKey& gang, int64_t oldest) {
  const std::string about = fmt::format("gang {} ", plan::TextOf(gang));
  const Told* last = nullptr;
  for (const Told& told : all) {
    if (!told.note.starts_with(about) || !IsOfThisOne(told, gang, oldest)) continue;
    if (last == nullptr || last->time < told.time) last = &told;
  }
  if (last == nullptr) return std::nullopt;
  return Told{last->reason, last->note.substr(about.size()), WholeSeconds(last->time), last->about};
}

}  // namespace outrigger::cli
