#include "kube/watch/served_versions.h"

#include <algorithm>
#include <vector>

#include "nlohmann/json.hpp"
#include "sdk/base/url.h"

namespace outrigger::kube {
namespace {

using Json = nlohmann::json;

// An API group has three versions or so; names are DNS labels.
constexpr size_t kMostVersions = 16;
constexpr size_t kLongestName = 63;

bool IsVersionName(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

std::string FieldText(const Json& object, const char* key) {
  const bool has = object.is_object() && object.contains(key) && object.at(key).is_string();
  return has ? object.at(key).get<std::string>() : "";
}

// The texts of `key` in the objects of the list `list`.
std::vector<std::string> TextsOf(const Json& answer, const char* list, const char* key) {
  std::vector<std::string> texts;
  if (!answer.is_object() || !answer.contains(list) || !answer.at(list).is_array()) return texts;
  for (const Json& item : answer.at(list)) texts.push_back(FieldText(item, key));
  return texts;
}

absl::StatusOr<Json> Ask(Api& api, std::string path, const std::stop_token& stop) {
  ApiRequest request;
  request.path = std::move(path);
  request.stop = stop;
  const auto answer = api.Call(request);
  if (absl::IsNotFound(answer.status())) return Json();
  if (!answer.ok()) return answer.status();
  return Json::parse(answer->body, nullptr, false);
}

}  // namespace

absl::StatusOr<ServedVersions> FindServedVersions(Api& api, const Resource& resource,
                                                  std::span<const std::string_view> known,
                                                  const std::stop_token& stop) {
  const std::string path = "/apis/" + Escape(resource.group);
  const auto group = Ask(api, path, stop);
  if (!group.ok()) return group.status();
  const std::vector<std::string> versions = TextsOf(*group, "versions", "version");
  const auto serves = [&](std::string_view version) -> absl::StatusOr<bool> {
    const auto answer = Ask(api, path + "/" + Escape(version), stop);
    if (!answer.ok()) return answer.status();
    const auto names = TextsOf(*answer, "resources", "name");
    return std::find(names.begin(), names.end(), resource.plural) != names.end();
  };
  ServedVersions served;
  for (const std::string_view version : known) {
    if (std::find(versions.begin(), versions.end(), version) == versions.end()) continue;
    const auto has = serves(version);
    if (!has.ok()) return has.status();
    if (!*has) continue;
    served.known = version;
    return served;
  }
  for (size_t i = 0; i < std::min(versions.size(), kMostVersions); ++i) {
    const std::string& version = versions[i];
    if (!IsVersionName(version)) continue;
    if (std::find(known.begin(), known.end(), version) != known.end()) continue;
    const auto has = serves(version);
    if (!has.ok()) return has.status();
    if (*has) served.unknown += (served.unknown.empty() ? "" : ", ") + version;
  }
  return served;
}

}  // namespace outrigger::kube
