#include "kube/write/owner.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/url.h"
#include "fmt/format.h"
#include "kube/json_text.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
namespace {

using Json = nlohmann::json;

// "/api/v1", "/apis/apps/v1".
std::string RootOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return "/api/" + Escape(api_version);
  return "/apis/" + Escape(api_version.substr(0, slash)) + "/" +
         Escape(api_version.substr(slash + 1));
}

absl::StatusOr<Json> GetObject(Api& api, const std::string& path, const CallOptions& options) {
  ApiRequest request;
  request.path = path;
  request.timeout = options.timeout;
  request.stop = options.stop;
  request.rate_limited = false;
  request.may_retry = false;
  const auto answer = api.Call(request);
  if (!answer.ok()) return answer.status();
  Json object = Json::parse(answer->body, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return absl::InternalError(fmt::format("{}: no JSON object", path));
  return object;
}

// The plural of the kind without a namespace; empty: there is none.
std::string PluralOf(const Json& resources, const std::string& kind) {
  const auto list = resources.find("resources");
  if (list == resources.end() || !list->is_array()) return "";
  for (const Json& resource : *list) {
    std::string name = TextAt(resource, "/name");
    const bool is_part = name.find('/') != std::string::npos;
    if (is_part || TextAt(resource, "/kind") != kind) continue;
    const auto namespaced = resource.find("namespaced");
    if (namespaced == resource.end() || *namespaced != Json(true)) return name;
  }
  return "";
}

}  // namespace

absl::StatusOr<bool> OwnerExists(Api& api, const OwnerReference& owner,
                                 const CallOptions& options) {
  if (owner.api_version.empty() || owner.kind.empty() || owner.name.empty()) {
    return absl::InvalidArgumentError("an owner without apiVersion, kind or name");
  }
  const auto begin = std::chrono::steady_clock::now();
  const std::string root = RootOf(owner.api_version);
  const auto resources = GetObject(api, root, options);
  if (absl::IsNotFound(resources.status())) return false;
  if (!resources.ok()) return resources.status();
  const std::string plural = PluralOf(*resources, owner.kind);
  if (plural.empty()) return false;
  const auto found = GetObject(api, root + "/" + Escape(plural) + "/" + Escape(owner.name),
                               WithTimeLeft(options, begin));
  if (absl::IsNotFound(found.status())) return false;
  if (!found.ok()) return found.status();
  return TextAt(*found, "/metadata/uid") == owner.uid;
}

}  // namespace outrigger::kube
