#include "kube/write/priority_class.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "kube/errors.h"
#include "kube/json_text.h"
#include "kube/resource.h"
#include "kube/stream/priority_class_reader.h"
#include "nlohmann/json.hpp"
#include "sdk/base/url.h"

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

namespace {

using OrderedJson = nlohmann::ordered_json;

// What the API server sets by itself, or takes as a precondition.
constexpr std::string_view kOfTheServer[] = {
    "uid",      "resourceVersion", "creationTimestamp", "generation",
    "selfLink", "managedFields",   "deletionTimestamp", "deletionGracePeriodSeconds",
};

CallOptions Once(const CallOptions& options) {
  CallOptions once = options;
  once.rate_limited = false;
  once.may_retry = false;
  return once;
}

absl::StatusOr<PriorityClass> ClassOf(absl::StatusOr<std::string> text) {
  if (!text.ok()) return text.status();
  auto read = ParsePriorityClass(*text);
  if (read.ok()) return read;
  return absl::InternalError(
      fmt::format("the PriorityClass of an answer cannot be read: {}", MessageOf(read.status())));
}

absl::StatusOr<OrderedJson> ObjectOf(std::string_view manifest) {
  OrderedJson object = OrderedJson::parse(manifest, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || !object.contains("metadata") || !object["metadata"].is_object()) {
    return absl::InvalidArgumentError("a manifest that is no object of the API server");
  }
  const auto kind = object.find("kind");
  if (kind != object.end() && *kind != std::string(kPriorityClasses.kind)) {
    return absl::InvalidArgumentError(
        fmt::format("a manifest of kind {}, not PriorityClass",
                    kind->dump(-1, ' ', false, OrderedJson::error_handler_t::replace)));
  }
  return object;
}

// The object to create, as JSON.
absl::StatusOr<std::string> NewObject(const NewPriorityClass& made) {
  auto object = ObjectOf(made.manifest);
  if (!object.ok()) return object.status();
  (*object)["apiVersion"] = ApiVersionOf(kPriorityClasses);
  (*object)["kind"] = kPriorityClasses.kind;
  (*object)["value"] = made.value;
  OrderedJson& metadata = (*object)["metadata"];
  for (const std::string_view key : kOfTheServer) metadata.erase(std::string(key));
  metadata.erase("annotations");
  for (const auto& [key, value] : made.annotations) {
    metadata["annotations"][std::string(key)] = value;
  }
  return object->dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

// A pod that Pod Security admits at its strictest level, and quotas of any resource.
std::string PodOf(std::string_view class_name) {
  const OrderedJson amounts = {{"cpu", "1m"}, {"memory", "1Mi"}};
  const OrderedJson container = {{"name", "none"},
                                 {"image", "registry.k8s.io/pause:3.10"},
                                 {"resources", {{"requests", amounts}, {"limits", amounts}}},
                                 {"securityContext",
                                  {{"allowPrivilegeEscalation", false},
                                   {"readOnlyRootFilesystem", true},
                                   {"capabilities", {{"drop", OrderedJson::array({"ALL"})}}}}}};
  const OrderedJson pod = {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata", {{"generateName", "outrigger-penalty-"}}},
      {"spec",
       {{"priorityClassName", class_name},
        {"automountServiceAccountToken", false},
        {"restartPolicy", "Never"},
        {"securityContext",
         {{"runAsNonRoot", true}, {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
        {"containers", OrderedJson::array({container})}}}};
  return pod.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

absl::StatusOr<PriorityClass> Post(Api& api, const NewPriorityClass& made, bool dry_run,
                                   const CallOptions& options) {
  const auto body = NewObject(made);
  if (!body.ok()) return body.status();
  return ClassOf(Create(api, kPriorityClasses, "", *body, Once(options), dry_run));
}

}  // namespace

absl::StatusOr<PriorityClass> ParsePriorityClass(std::string_view manifest) {
  const auto object = ObjectOf(manifest);
  if (!object.ok()) return object.status();
  auto read = ReadPriorityClassJson(manifest);
  if (read.ok()) read->manifest = manifest;
  return read;
}

absl::StatusOr<PriorityClass> ReadPriorityClass(Api& api, std::string_view name,
                                                const CallOptions& options) {
  return ClassOf(Get(api, kPriorityClasses, {"", name}, Once(options)));
}

absl::StatusOr<PriorityClass> CreatePriorityClass(Api& api, const NewPriorityClass& made,
                                                  const CallOptions& options) {
  return Post(api, made, /*dry_run=*/false, options);
}

absl::Status TryCreatePriorityClass(Api& api, const NewPriorityClass& made,
                                    const CallOptions& options) {
  absl::Status status = Post(api, made, /*dry_run=*/true, options).status();
  // Whether the name is free is asked last, when admission has let the object through.
  return absl::IsAlreadyExists(status) ? absl::OkStatus() : status;
}

absl::Status DeletePriorityClass(Api& api, std::string_view name, std::string_view uid,
                                 std::string_view resource_version, const CallOptions& options) {
  if (uid.empty() || resource_version.empty()) {
    return absl::InvalidArgumentError("priorityclasses: a UID and a version are missing");
  }
  const DeleteOptions what{.uid = std::string(uid),
                           .resource_version = std::string(resource_version),
                           .grace_period_seconds = std::nullopt,
                           .propagation = "Background",
                           .dry_run = false};
  return Delete(api, kPriorityClasses, {"", name}, what, Once(options));
}

absl::StatusOr<AdmittedPod> TryPod(Api& api, std::string_view namespace_,
                                   std::string_view class_name, const CallOptions& options) {
  const auto text =
      Create(api, kPods, namespace_, PodOf(class_name), Once(options), /*dry_run=*/true);
  // The Priority plugin's words; any other refusal has another cause.
  if (absl::IsPermissionDenied(text.status()) &&
      text.status().message().find("no PriorityClass with name") != std::string_view::npos) {
    return absl::NotFoundError(text.status().message());
  }
  if (!text.ok()) return text.status();
  const auto pod = OrderedJson::parse(*text, nullptr, /*allow_exceptions=*/false);
  const auto spec = pod.is_object() ? pod.find("spec") : pod.end();
  if (spec == pod.end() || !spec->is_object()) {
    return absl::InternalError("the pod of an answer cannot be read");
  }
  const auto priority = spec->find("priority");
  const auto name = spec->find("priorityClassName");
  if (priority == spec->end() || !priority->is_number_integer() || name == spec->end() ||
      !name->is_string()) {
    return absl::InternalError("the pod of an answer has no priority");
  }
  return AdmittedPod{name->get<std::string>(), priority->get<int32_t>()};
}

}  // namespace outrigger::kube
