#include "apiserver/verbs/verbs.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "apiserver/admission/admission.h"
#include "apiserver/patch/patch.h"
#include "apiserver/select/field_path.h"
#include "apiserver/types/body.h"
#include "apiserver/types/conform.h"
#include "apiserver/types/defaults.h"
#include "apiserver/types/protobuf.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr std::string_view kJsonPatch = "application/json-patch+json";
constexpr std::string_view kMergePatch = "application/merge-patch+json";
constexpr std::string_view kStrategicPatch = "application/strategic-merge-patch+json";

// Unknown and duplicate fields, as the query says: refused, warned of, or ignored.
std::optional<Failure> ReportFields(Call* call, const std::vector<std::string>& found) {
  const std::string mode = call->query.Text("fieldValidation");
  if (found.empty() || mode == "Ignore") return std::nullopt;
  if (mode == "Strict") {
    return Failure::BadRequest(fmt::format(
        "{} in version \"{}\" cannot be handled as a {}: strict decoding error: {}",
        call->served->kind, call->served->version, call->served->kind, absl::StrJoin(found, ", ")));
  }
  call->warnings.insert(call->warnings.end(), found.begin(), found.end());
  return std::nullopt;
}

// Objects of built-in kinds need not say what the path says.
std::optional<Failure> CheckKind(const Served& served, const Json& object) {
  const std::string own = served.GroupVersion();
  const std::string& version = TextAt(object, "apiVersion");
  const std::string& kind = TextAt(object, "kind");
  const bool may_be_empty = served.custom == nullptr;
  const bool fits = (kind == served.kind || (kind.empty() && may_be_empty)) &&
                    (version == own || (version.empty() && may_be_empty));
  if (fits) return std::nullopt;
  return Failure::BadRequest(
      fmt::format("the object's apiVersion \"{}\" and kind \"{}\" are not those of the request: "
                  "\"{}\" and \"{}\"",
                  version, kind, own, served.kind));
}

// Name and namespace of the path are those of the object.
std::optional<Failure> Adopt(const Call& call, Json* metadata) {
  const Target& target = call.target;
  const std::string& namespace_ = TextAt(*metadata, "namespace");
  if (!namespace_.empty() && namespace_ != target.namespace_) {
    return Failure::BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  if (call.served->namespaced) (*metadata)["namespace"] = target.namespace_;
  const std::string& name = TextAt(*metadata, "name");
  if (target.name.empty() || name == target.name) return std::nullopt;
  return Failure::BadRequest(fmt::format(
      "the name of the object ({}) does not match the name on the URL ({})", name, target.name));
}

// By the schema of its definition; metadata is that of all objects.
std::optional<Failure> PruneCustom(const CustomVersion& custom, Json* object,
                                   std::vector<std::string>* unknown) {
  Json metadata = object->value("metadata", Json::object());
  const Type& type = *TypeTable::Get().FindType("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  std::vector<std::string> ignored;
  if (auto failure = Conform(type, &metadata, &ignored)) return failure;
  (*object)["metadata"] = std::move(metadata);
  custom.schema->Prune(object, unknown);
  for (std::string& one : *unknown) one = fmt::format("unknown field \"{}\"", one);
  return std::nullopt;
}

std::optional<Failure> CheckCustom(Call* call, Json* object) {
  const Served& served = *call->served;
  (*object)["apiVersion"] = served.GroupVersion();
  (*object)["kind"] = served.kind;
  auto [causes, unchecked] = served.custom->schema->Validate(*object);
  object->erase("apiVersion");
  object->erase("kind");
  for (const std::string& one : unchecked) call->warnings.push_back(one + " was not checked");
  if (causes.empty()) return std::nullopt;
  return Failure::Invalid({served.group, served.kind, TextAt(*object, "metadata.name")},
                          std::move(causes));
}

}  // namespace

std::optional<Failure> ReadBody(Call* call, Json* object) {
  const std::string_view type = call->media_type();
  if (type == "application/vnd.kubernetes.protobuf") return FromProtobuf(call->http.body, object);
  if (type != "application/json" && !type.empty()) {
    return Failure::UnsupportedMediaType(
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json, application/vnd.kubernetes.protobuf");
  }
  std::vector<std::string> duplicates;
  if (auto failure = ParseBody(call->http.body, call->served->kind, object, &duplicates)) {
    return failure;
  }
  return ReportFields(call, duplicates);
}

std::optional<Failure> ReadBodyOf(const char* type_name, Call* call, Json* object) {
  if (auto failure = ReadBody(call, object)) return failure;
  const Type& type = *TypeTable::Get().FindType(type_name);
  const std::string& kind = TextAt(*object, "kind");
  if (!kind.empty() && kind != type.kind()) {
    return Failure::BadRequest(
        fmt::format("the body is a {}, where a {} is expected", kind, type.kind()));
  }
  object->erase("apiVersion");
  object->erase("kind");
  std::vector<std::string> unknown;
  return Conform(type, object, &unknown);
}

std::optional<Failure> Shape(const Served& served, bool is_new, Json* object,
                             std::vector<std::string>* unknown) {
  object->erase("apiVersion");
  object->erase("kind");
  if (auto failure = served.custom == nullptr ? Conform(*served.type, object, unknown)
                                              : PruneCustom(*served.custom, object, unknown)) {
    return failure;
  }
  if (!(*object)["metadata"].is_object()) (*object)["metadata"] = Json::object();
  if (is_new && served.HasSubresource("status") &&
      !KeepsStatusOfCreate({served.group, served.kind})) {
    object->erase("status");
    if (!served.empty_status.is_null()) (*object)["status"] = served.empty_status;
  }
  if (served.custom != nullptr) {
    served.custom->schema->SetDefaults(object);
  } else {
    SetDefaults(*served.type, object);
  }
  if (served.group == kEventsGroup) *object = FromEventsFace(std::move(*object));
  return std::nullopt;
}

std::optional<Failure> Decode(Call* call, Json* object) {
  const Served& served = *call->served;
  if (!object->is_object()) return Failure::BadRequest("the body is no object");
  if (auto failure = CheckKind(served, *object)) return failure;
  std::vector<std::string> unknown;
  if (auto failure = Shape(served, call->http.method == "POST", object, &unknown)) return failure;
  if (auto failure = ReportFields(call, unknown)) return failure;
  if (served.custom != nullptr) {
    if (auto failure = CheckCustom(call, object)) return failure;
  }
  return Adopt(*call, &(*object)["metadata"]);
}

std::optional<Failure> ReadPatch(const Call& call, Json* patch) {
  const std::string_view type = call.media_type();
  if (type.starts_with("application/apply-patch")) {
    return Failure::UnsupportedMediaType(
        "server-side apply is not served here: use `kubectl apply` without --server-side");
  }
  const bool is_strategic = type == kStrategicPatch && call.served->type != nullptr;
  if (type != kJsonPatch && type != kMergePatch && !is_strategic) {
    return Failure::UnsupportedMediaType("415: Unsupported Media Type");
  }
  std::vector<std::string> duplicates;
  if (!ParseJson(call.http.body, patch, &duplicates)) return std::nullopt;
  return Failure::BadRequest("invalid JSON patch");
}

std::optional<Failure> ApplyPatch(const Call& call, const Json& patch, Json* object) {
  const std::string_view type = call.media_type();
  if (type == kJsonPatch) return ApplyJsonPatch(patch, object);
  if (type == kMergePatch) return ApplyMergePatch(patch, object);
  return ApplyStrategicMergePatch(patch, *call.served->type, object);
}

}  // namespace outrigger::apiserver
