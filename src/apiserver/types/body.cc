#include "apiserver/types/body.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "codec/json/text.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr size_t kMaxDuplicates = 100;  // as many as upstream keeps

// Follows the parser: it finds what comes twice, and ends it where a body is nested too deeply.
class BodyWatch {
 public:
  explicit BodyWatch(std::vector<std::string>* duplicates) : duplicates_(*duplicates) {}

  void See(Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_end || event == Event::array_end) return levels_.pop_back();
    if (event == Event::key) return SeeKey(parsed.get_ref<const std::string&>());
    if (!levels_.empty()) ++levels_.back().values;
    if (event == Event::value) return;
    if (levels_.size() >= kMaxDepth) throw std::length_error("exceeded max depth");
    levels_.push_back({.is_array = event == Event::array_start});
  }

 private:
  struct Level {
    bool is_array = false;
    size_t values = 0;
    std::set<std::string> keys = {};
    const std::string* key = nullptr;  // the last one
  };

  void SeeKey(const std::string& key) {
    const auto [place, is_new] = levels_.back().keys.insert(key);
    levels_.back().key = &*place;
    if (is_new || duplicates_.size() >= kMaxDuplicates) return;
    std::string path;
    for (const Level& level : levels_) {
      path += level.is_array ? fmt::format("[{}]", level.values - 1)
                             : fmt::format("{}{}", path.empty() ? "" : ".", *level.key);
    }
    std::string text = fmt::format("duplicate field {}", Json(path).dump());
    if (std::find(duplicates_.begin(), duplicates_.end(), text) != duplicates_.end()) return;
    duplicates_.push_back(std::move(text));
  }

  std::vector<std::string>& duplicates_;
  std::vector<Level> levels_;
};

}  // namespace

std::string AsUtf8(std::string_view text) {
  std::string clean;
  json::AppendUtf8(text, &clean);
  return clean;
}

std::optional<std::string> ParseJson(std::string_view text, Json* value,
                                     std::vector<std::string>* duplicates) {
  *value = nullptr;
  std::string clean;
  if (!json::IsUtf8(text)) text = clean = AsUtf8(text);  // as Go reads it
  BodyWatch watch(duplicates);
  const auto see = [&watch](int /*depth*/, Json::parse_event_t event, const Json& parsed) {
    watch.See(event, parsed);
    return true;
  };
  try {
    *value = Json::parse(text.begin(), text.end(), see);
    return std::nullopt;
  } catch (const Json::exception& error) {
    const std::string_view what = error.what();
    return AsUtf8(what.substr(what.find(']') + 2));  // without the library's name of it
  } catch (const std::length_error& error) {
    return error.what();
  }
}

std::optional<Failure> ParseBody(std::string_view text, std::string_view kind, Json* object,
                                 std::vector<std::string>* duplicates) {
  std::optional<std::string> problem = ParseJson(text, object, duplicates);
  if (!problem && object->is_object()) return std::nullopt;
  if (!problem)
    problem = fmt::format("an object is wanted, this is a JSON {}", object->type_name());
  return Failure::BadRequest(
      fmt::format("the object provided is unrecognized (must be of type {}): couldn't get "
                  "version/kind; json parse error: {}",
                  kind, *problem));
}

}  // namespace outrigger::apiserver
