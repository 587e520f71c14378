#include "kube/write/config_map.h"

#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "kube/json_text.h"
#include "kube/resource.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
namespace {

using Json = nlohmann::json;

// Entries of `from` that are texts, into a map of either kind.
template <typename Put>
void TakeTexts(const Json& object, const char* pointer, const Put& put) {
  const Json::json_pointer at(pointer);
  if (!object.contains(at) || !object.at(at).is_object()) return;
  for (const auto& [key, value] : object.at(at).items()) {
    if (value.is_string()) put(key, value.template get<std::string>());
  }
}

constexpr std::array kRestOfMetadata = {"annotations", "finalizers", "ownerReferences"};
constexpr const char* kBinaryData = "binaryData";

std::string Text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// What is neither in the fields of a ConfigMap nor the API server's own.
void CopyRest(const Json& from, Json* to) {
  const auto metadata = from.find("metadata");
  for (const char* key : kRestOfMetadata) {
    if (metadata == from.end() || !metadata->is_object() || !metadata->contains(key)) continue;
    (*to)["metadata"][key] = metadata->at(key);
  }
  const auto binary = from.find(kBinaryData);
  if (binary != from.end() && binary->is_object()) (*to)[kBinaryData] = *binary;
}

std::string RestOf(const Json& object) {
  Json rest;
  CopyRest(object, &rest);
  return rest.is_null() ? "" : Text(rest);
}

void AddRest(const ConfigMap& map, Json* body) {
  const Json rest = Json::parse(map.rest, nullptr, /*allow_exceptions=*/false);
  if (!rest.is_object()) return;
  CopyRest(rest, body);
  if (!body->contains(kBinaryData)) return;
  // The API server takes a key in one of them only.
  for (const auto& [key, text] : map.data) (*body)[kBinaryData].erase(key);
}

absl::StatusOr<ConfigMap> MapOf(const absl::StatusOr<std::string>& text) {
  if (!text.ok()) return text.status();
  const Json object = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return absl::InternalError("a ConfigMap that is no JSON object");
  ConfigMap map;
  map.namespace_ = TextAt(object, "/metadata/namespace");
  map.name = TextAt(object, "/metadata/name");
  map.uid = TextAt(object, "/metadata/uid");
  map.resource_version = TextAt(object, "/metadata/resourceVersion");
  TakeTexts(object, "/metadata/labels",
            [&](const std::string& key, const std::string& value) { map.labels.Set(key, value); });
  TakeTexts(object, "/data",
            [&](const std::string& key, const std::string& value) { map.data[key] = value; });
  map.rest = RestOf(object);
  return map;
}

std::string BodyOf(const ConfigMap& map) {
  Json body = {{"apiVersion", ApiVersionOf(kConfigMaps)},
               {"kind", kConfigMaps.kind},
               {"metadata", {{"name", map.name}, {"namespace", map.namespace_}}},
               {"data", map.data}};
  for (const auto& [key, value] : map.labels) body["metadata"]["labels"][std::string(key)] = value;
  if (!map.resource_version.empty()) {
    body["metadata"]["resourceVersion"] = map.resource_version;
    if (!map.uid.empty()) body["metadata"]["uid"] = map.uid;
    AddRest(map, &body);
  }
  return Text(body);
}

}  // namespace

absl::StatusOr<ConfigMap> ReadConfigMap(Api& api, std::string_view namespace_,
                                        std::string_view name, const CallOptions& options) {
  return MapOf(Get(api, kConfigMaps, {namespace_, name}, Unhindered(options, true)));
}

absl::StatusOr<ConfigMap> WriteConfigMap(Api& api, const ConfigMap& map,
                                         const CallOptions& options) {
  const std::string body = BodyOf(map);
  const CallOptions once = Unhindered(options, false);
  if (map.resource_version.empty()) {
    if (map.name.empty()) return absl::InvalidArgumentError("configmaps: a name is missing");
    return MapOf(Create(api, kConfigMaps, map.namespace_, body, once));
  }
  const auto begin = std::chrono::steady_clock::now();
  const ObjectName name{map.namespace_, map.name};
  const auto written = Update(api, kConfigMaps, name, body, once);
  if (!absl::IsAborted(written.status())) return MapOf(written);
  // Kubernetes 1.33 calls it a conflict of UIDs, too, where there is no object at all.
  const auto present = Get(api, kConfigMaps, name, WithTimeLeft(once, begin));
  return absl::IsNotFound(present.status()) ? present.status() : written.status();
}

absl::Status DeleteConfigMap(Api& api, const ConfigMap& map, const CallOptions& options) {
  if (map.uid.empty() || map.resource_version.empty()) {
    return absl::InvalidArgumentError("configmaps: a UID and a version are missing");
  }
  const DeleteOptions what{.uid = map.uid,
                           .resource_version = map.resource_version,
                           .grace_period_seconds = std::nullopt,
                           .propagation = "Background",
                           .dry_run = false};
  return Delete(api, kConfigMaps, {map.namespace_, map.name}, what, Unhindered(options, false));
}

}  // namespace outrigger::kube
