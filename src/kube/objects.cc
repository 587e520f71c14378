#include "kube/objects.h"

#include <utility>

#include "fmt/format.h"
#include "kube/errors.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
namespace {

using Json = nlohmann::json;

constexpr auto kReplace = Json::error_handler_t::replace;

ApiRequest MakeRequest(std::string_view method, std::string path, const CallOptions& options) {
  ApiRequest request;
  request.method = method;
  request.path = std::move(path);
  request.timeout = options.timeout;
  request.stop = options.stop;
  request.rate_limited = options.rate_limited;
  request.may_retry = options.may_retry;
  return request;
}

absl::Status CheckName(const Resource& resource, const ObjectName& object) {
  if (object.name.empty()) {
    return absl::InvalidArgumentError(fmt::format("{}: a name is missing", resource.plural));
  }
  if (resource.namespaced == object.namespace_.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("{} '{}': {}", resource.plural, object.name,
                    resource.namespaced ? "a namespace is missing" : "has no namespace"));
  }
  return absl::OkStatus();
}

std::string PathOf(const Resource& resource, const ObjectName& object) {
  return PathOf(resource, object.namespace_, object.name, object.subresource);
}

absl::StatusOr<std::string> Body(absl::StatusOr<ApiResponse> response) {
  if (!response.ok()) return response.status();
  return std::move(response->body);
}

// Adds the items of a page to `all`. The continuation goes to `next`, empty at the end.
absl::Status TakePage(const std::string& body, ObjectList* all, std::string* next) {
  const Json page = Json::parse(body, nullptr, false);
  if (!page.is_object()) return absl::InternalError("a list that is no JSON object");
  const Json metadata = page.value("metadata", Json::object());
  const auto items = page.find("items");
  if (!metadata.is_object()) return absl::InternalError("a list without metadata");
  if (items != page.end() && !items->is_array() && !items->is_null()) {
    return absl::InternalError("a list whose items are none");
  }
  const auto text = [&](const char* key) {
    const auto found = metadata.find(key);
    return found != metadata.end() && found->is_string() ? found->get<std::string>() : "";
  };
  all->resource_version = text("resourceVersion");
  *next = text("continue");
  if (items == page.end()) return absl::OkStatus();
  for (const Json& item : *items) {
    if (!item.is_object()) return absl::InternalError("a list with an item that is no object");
    all->items.push_back(item.dump(-1, ' ', false, kReplace));
  }
  return absl::OkStatus();
}

ApiRequest PageRequest(const std::string& path, const ListOptions& list, const std::string& next,
                       const CallOptions& options) {
  ApiRequest request = MakeRequest("GET", path, options);
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) request.query.emplace_back(name, value);
  };
  add("labelSelector", list.label_selector);
  add("fieldSelector", list.field_selector);
  if (list.page_size > 0) add("limit", std::to_string(list.page_size));
  add("continue", next);
  // A continuation carries the version.
  if (next.empty()) add("resourceVersion", list.resource_version);
  return request;
}

Json DeleteBody(const DeleteOptions& what) {
  Json body = {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
  if (!what.uid.empty()) body["preconditions"]["uid"] = what.uid;
  if (!what.resource_version.empty()) {
    body["preconditions"]["resourceVersion"] = what.resource_version;
  }
  if (what.grace_period_seconds) body["gracePeriodSeconds"] = *what.grace_period_seconds;
  if (!what.propagation.empty()) body["propagationPolicy"] = what.propagation;
  if (what.dry_run) body["dryRun"] = {"All"};
  return body;
}

std::string_view ContentType(PatchType type) {
  switch (type) {
    case PatchType::kStrategicMerge:
      return "application/strategic-merge-patch+json";
    case PatchType::kApply:
      return "application/apply-patch+yaml";  // JSON is YAML
    case PatchType::kMerge:
      break;
  }
  return "application/merge-patch+json";
}

}  // namespace

CallOptions WithTimeLeft(CallOptions options, std::chrono::steady_clock::time_point began) {
  options.timeout -= std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began);
  return options;
}

CallOptions Unhindered(CallOptions options, bool may_retry) {
  options.rate_limited = false;
  options.may_retry = may_retry;
  return options;
}

absl::StatusOr<std::string> Get(Api& api, const Resource& resource, const ObjectName& object,
                                const CallOptions& options) {
  absl::Status status = CheckName(resource, object);
  if (!status.ok()) return status;
  return Body(api.Call(MakeRequest("GET", PathOf(resource, object), options)));
}

absl::StatusOr<ObjectList> List(Api& api, const Resource& resource, std::string_view namespace_,
                                const ListOptions& list, const CallOptions& options) {
  const std::string path = PathOf(resource, namespace_);
  ListOptions asked = list;
  ObjectList all;
  std::string next;
  do {
    const auto page = api.Call(PageRequest(path, asked, next, options));
    if (absl::IsOutOfRange(page.status()) && !next.empty()) {
      all = {};
      next.clear();
      asked.page_size = 0;
      continue;
    }
    if (!page.ok()) return page.status();
    absl::Status status = TakePage(page->body, &all, &next);
    if (!status.ok()) return status;
    if (next.empty()) return all;
  } while (true);
}

absl::StatusOr<std::string> Create(Api& api, const Resource& resource, std::string_view namespace_,
                                   std::string_view json, const CallOptions& options,
                                   bool dry_run) {
  if (resource.namespaced == namespace_.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: {}", resource.plural,
                    resource.namespaced ? "a namespace is missing" : "has no namespace"));
  }
  ApiRequest request = MakeRequest("POST", PathOf(resource, namespace_), options);
  request.body = json;
  request.may_retry = false;
  if (dry_run) request.query.emplace_back("dryRun", "All");
  return Body(api.Call(request));
}

absl::StatusOr<std::string> Update(Api& api, const Resource& resource, const ObjectName& object,
                                   std::string_view json, const CallOptions& options) {
  absl::Status status = CheckName(resource, object);
  if (!status.ok()) return status;
  ApiRequest request = MakeRequest("PUT", PathOf(resource, object), options);
  request.body = json;
  return Body(api.Call(request));
}

absl::StatusOr<std::string> Patch(Api& api, const Resource& resource, const ObjectName& object,
                                  std::string_view json, const PatchOptions& patch,
                                  const CallOptions& options) {
  absl::Status status = CheckName(resource, object);
  if (!status.ok()) return status;
  if (patch.type == PatchType::kApply && patch.field_manager.empty()) {
    return absl::InvalidArgumentError("a server-side apply needs a field manager");
  }
  ApiRequest request = MakeRequest("PATCH", PathOf(resource, object), options);
  request.body = json;
  request.content_type = ContentType(patch.type);
  if (!patch.field_manager.empty()) request.query.emplace_back("fieldManager", patch.field_manager);
  if (patch.type == PatchType::kApply && patch.force) request.query.emplace_back("force", "true");
  return Body(api.Call(request));
}

absl::StatusOr<std::string> UpdateStatus(Api& api, const Resource& resource, ObjectName object,
                                         std::string_view json, const CallOptions& options) {
  object.subresource = "status";
  return Update(api, resource, object, json, options);
}

absl::StatusOr<std::string> PatchStatus(Api& api, const Resource& resource, ObjectName object,
                                        std::string_view json, const PatchOptions& patch,
                                        const CallOptions& options) {
  object.subresource = "status";
  return Patch(api, resource, object, json, patch, options);
}

absl::Status Delete(Api& api, const Resource& resource, const ObjectName& object,
                    const DeleteOptions& what, const CallOptions& options) {
  absl::Status status = CheckName(resource, object);
  if (!status.ok()) return status;
  ApiRequest request = MakeRequest("DELETE", PathOf(resource, object), options);
  const std::string body = DeleteBody(what).dump(-1, ' ', false, kReplace);
  request.body = body;
  return api.Call(request).status();
}

absl::Status Evict(Api& api, std::string_view namespace_, std::string_view pod,
                   const DeleteOptions& what, const CallOptions& options) {
  const ObjectName object{namespace_, pod, "eviction"};
  absl::Status status = CheckName(kPods, object);
  if (!status.ok()) return status;
  Json eviction = {{"apiVersion", "policy/v1"},
                   {"kind", "Eviction"},
                   {"metadata", {{"name", pod}, {"namespace", namespace_}}}};
  eviction["deleteOptions"] = DeleteBody(what);
  ApiRequest request = MakeRequest("POST", PathOf(kPods, object), options);
  const std::string body = eviction.dump(-1, ' ', false, kReplace);
  request.body = body;
  request.may_retry = false;
  return api.Call(request).status();
}

}  // namespace outrigger::kube
