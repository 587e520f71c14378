#include "kube/write/config_map.h"

#include <chrono>
#include <optional>
#include <string>

#include "kube/json_text.h"
#include "kube/resource.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
namespace {

using Json = nlohmann::json;

CallOptions Unhindered(const CallOptions& options, bool may_retry) {
  CallOptions changed = options;
  changed.rate_limited = false;
  changed.may_retry = may_retry;
  return changed;
}

// Entries of `from` that are texts, into a map of either kind.
template <typename Put>
void TakeTexts(const Json& object, const char* pointer, const Put& put) {
  const Json::json_pointer at(pointer);
  if (!object.contains(at) || !object.at(at).is_object()) return;
  for (const auto& [key, value] : object.at(at).items()) {
    if (value.is_string()) put(key, value.template get<std::string>());
  }
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
  }
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
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
