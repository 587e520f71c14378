#include "kube/write/priority_class.h"

#include <string>
#include <utility>

#include "fmt/format.h"
#include "kube/resource.h"
#include "kube/status_text.h"
#include "kube/stream/priority_class_reader.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
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

}  // namespace outrigger::kube
