// Requests that write: their bodies, and what they are answered with.

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "apiserver/patch/go_text.h"
#include "apiserver/patch/json_patch.h"
#include "apiserver/patch/merge_patch.h"
#include "apiserver/patch/type_schema.h"
#include "apiserver/select/field_path.h"
#include "apiserver/types/body.h"
#include "apiserver/types/conform.h"
#include "apiserver/types/defaults.h"
#include "apiserver/types/protobuf.h"
#include "apiserver/verbs/events.h"
#include "apiserver/verbs/options.h"
#include "apiserver/verbs/writes.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

std::string_view MediaTypeOf(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  const size_t end = type.find_last_not_of(' ');
  return end == type.npos ? std::string_view() : type.substr(0, end + 1);
}

bool IsDryRun(const Call& call) {
  return call.query.Text("dryRun") == "All";
}

// Unknown and duplicate fields, as the query says: refused, warned of, or ignored.
std::optional<Failure> Validate(Call* call, const std::vector<std::string>& found) {
  const std::string mode = call->query.Text("fieldValidation");
  if (found.empty() || mode == "Ignore") return std::nullopt;
  if (mode == "Strict") {
    return Failure::BadRequest(fmt::format(
        "{} in version \"{}\" cannot be handled as a {}: strict decoding error: {}",
        call->served->kind, call->served->version, call->served->kind, absl::StrJoin(found, ", ")));
  }
  for (const std::string& one : found) call->warnings.push_back(one);
  return std::nullopt;
}

std::string NotRegistered(const std::string& kind, const std::string& version) {
  return fmt::format(
      "no kind \"{}\" is registered for version \"{}\" in scheme \"pkg/runtime/scheme.go:111\"",
      kind, version);
}

// As a package of Go is called: "apps" of "apps", "core" of "" and of events.
std::string PackageOf(const std::string& group) {
  return group.empty() || group == kEventsGroup ? "core" : group.substr(0, group.find('.'));
}

std::optional<Failure> CheckCustomKind(const Served& served, const Json& object,
                                       const std::string& version, const std::string& kind) {
  if (kind.empty()) {
    return Failure::BadRequest(
        fmt::format("the object provided is unrecognized (must be of type {}): Object 'Kind' is "
                    "missing in '{}'",
                    served.kind, object.dump()));
  }
  if (version != served.GroupVersion()) {
    return Failure::BadRequest(
        fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                    version, served.GroupVersion()));
  }
  if (kind == served.kind) return std::nullopt;
  return Failure::Invalid({served.group, kind, TextAt(object, "metadata.name")},
                          {InvalidValue("kind", kind, "must be " + served.kind)});
}

std::optional<Failure> CheckKind(const Call& call, const Catalog& catalog, const Json& object) {
  const Served& served = *call.served;
  const std::string own = served.GroupVersion();
  const std::string version = object.contains("apiVersion") ? TextAt(object, "apiVersion") : own;
  const std::string kind = TextAt(object, "kind");
  if (served.custom != nullptr) return CheckCustomKind(served, object, version, kind);
  if (kind.empty() || (version == own && kind == served.kind)) return std::nullopt;
  const size_t slash = version.find('/');
  const std::string group = slash == version.npos ? "" : version.substr(0, slash);
  const std::string of_group = version.substr(slash == version.npos ? 0 : slash + 1);
  const bool is_known = catalog.FindKind(group, of_group, kind) != nullptr;
  if (is_known && kind == served.kind) {
    return Failure::BadRequest(
        fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                    version, own));
  }
  return Failure::BadRequest(fmt::format(
      "{} in version \"{}\" cannot be handled as a {}: {}", kind, served.version, served.kind,
      is_known ? fmt::format("converting ({}.{}) to ({}.{}): unknown conversion", of_group, kind,
                             PackageOf(served.group), served.kind)
               : NotRegistered(kind, version)));
}

}  // namespace

// By the schema of its definition; metadata is that of all objects.
std::optional<Failure> Writes::DecodeCustom(Call* call, Json* object) const {
  const Served& served = *call->served;
  const StructuralSchema& schema = *served.custom->schema;
  Json metadata = object->value("metadata", Json::object());
  std::vector<std::string> unknown;
  const Type* const type =
      TypeTable::Get().FindType("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  if (auto failure = Conform(*type, &metadata, &unknown)) return failure;
  (*object)["metadata"] = std::move(metadata);
  unknown.clear();
  schema.Prune(object, &unknown);
  for (std::string& one : unknown) one = fmt::format("unknown field \"{}\"", one);
  if (auto failure = Validate(call, unknown)) return failure;
  schema.SetDefaults(object);
  (*object)["apiVersion"] = served.GroupVersion();
  (*object)["kind"] = served.kind;
  std::vector<Cause> causes = schema.Validate(*object);
  object->erase("apiVersion");
  object->erase("kind");
  for (const std::string& rule : schema.UncheckedRules()) {
    call->warnings.push_back(
        fmt::format("the rule {} was not checked: the lab has no CEL here", rule));
  }
  if (!served.custom->deprecation_warning.empty()) {
    call->warnings.push_back(served.custom->deprecation_warning);
  }
  if (causes.empty()) return std::nullopt;
  return Failure::Invalid({served.group, served.kind, TextAt(*object, "metadata.name")},
                          std::move(causes));
}

// Of a body, or of what a patch made: types, unknown fields, defaults.
std::optional<Failure> Writes::Decode(Call* call, Json* object) const {
  const Served& served = *call->served;
  if (!object->is_object()) return Failure::BadRequest("the body is no object");
  if (auto failure = CheckKind(*call, *deps_.catalog, *object)) return failure;
  object->erase("apiVersion");
  object->erase("kind");
  std::vector<std::string> unknown;
  if (served.type != nullptr) {
    if (auto failure = Conform(*served.type, object, &unknown)) return failure;
    if (auto failure = Validate(call, unknown)) return failure;
    SetDefaults(*served.type, object);
  } else if (served.custom != nullptr) {
    if (auto failure = DecodeCustom(call, object)) return failure;
  }
  if (!object->contains("metadata") || !(*object)["metadata"].is_object()) {
    (*object)["metadata"] = Json::object();
  }
  return std::nullopt;
}

std::optional<Failure> Writes::ReadObject(Call* call, Json* object) const {
  const std::string_view type = MediaTypeOf(call->http.content_type);
  const std::string_view body = call->http.body;
  if (type == "application/vnd.kubernetes.protobuf") return FromProtobuf(body, object);
  if (type == "application/json" || type.empty()) {
    std::vector<std::string> duplicates;
    if (auto failure = ParseBody(body, call->served->kind, object, &duplicates)) return failure;
    return Validate(call, duplicates);
  }
  return Failure::UnsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: "
      "application/json, application/vnd.kubernetes.protobuf");
}

// Name and namespace of the path are those of the object.
std::optional<Failure> Writes::Adopt(Call* call, Json* object) const {
  Json& metadata = (*object)["metadata"];
  const Target& target = call->target;
  const std::string namespace_ = TextAt(metadata, "namespace");
  if (call->served->namespaced) {
    if (!namespace_.empty() && namespace_ != target.namespace_) {
      return Failure::BadRequest(
          "the namespace of the provided object does not match the namespace sent on the request");
    }
    metadata["namespace"] = target.namespace_;
  } else if (!namespace_.empty()) {
    return Failure::BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  const std::string name = TextAt(metadata, "name");
  if (target.name.empty() || name == target.name) return std::nullopt;
  if (name.empty() && call->http.method == "PUT") {
    return Failure::BadRequest("name must be provided");
  }
  return Failure::BadRequest(fmt::format(
      "the name of the object ({}) does not match the name on the URL ({})", name, target.name));
}

std::optional<Failure> Writes::Create(Call* call, Reply* reply) const {
  const bool has_no_place = call->served->namespaced && call->target.namespace_.empty();
  if (!call->target.name.empty() || has_no_place) return Failure::MethodNotAllowed();
  if (auto failure = CheckWriteOptions(call->query, "CreateOptions")) return failure;
  Json object;
  if (auto failure = ReadObject(call, &object)) return failure;
  if (auto failure = Decode(call, &object)) return failure;
  if (auto failure = Adopt(call, &object)) return failure;
  if (!TextAt(object["metadata"], "resourceVersion").empty()) {
    return Failure{.reason = "",
                   .message = "resourceVersion should not be set on objects to be created"};
  }
  StoredPtr stored;
  if (auto failure =
          Add(*call->served, std::move(object), IsDryRun(*call), &call->warnings, &stored)) {
    return failure;
  }
  reply->code = 201;
  reply->name = stored->name.name;
  reply->body = deps_.reads->ObjectText(*call, *stored);
  return std::nullopt;
}

std::optional<Failure> Writes::Update(Call* call, Reply* reply) const {
  if (auto failure = CheckWriteOptions(call->query, "UpdateOptions")) return failure;
  Json given;
  if (auto failure = ReadObject(call, &given)) return failure;
  if (auto failure = Decode(call, &given)) return failure;
  if (auto failure = Adopt(call, &given)) return failure;
  if (call->served->group == kEventsGroup) given = FromEventsFace(std::move(given));
  const Part part = call->target.subresource == "status" ? Part::kStatus : Part::kMain;
  StoredPtr stored;
  const auto change = [&](const Json&, Json* object) -> std::optional<Failure> {
    *object = given;
    return std::nullopt;
  };
  if (auto failure = Change(*call->served, call->object_name(), part, IsDryRun(*call), change,
                            &call->warnings, &stored)) {
    return failure;
  }
  reply->body = deps_.reads->ObjectText(*call, *stored);
  return std::nullopt;
}

std::optional<Failure> Writes::PatchOne(Call* call, const Json& patch, const Json& old,
                                        Json* object) const {
  const Served& served = *call->served;
  const std::string_view type = MediaTypeOf(call->http.content_type);
  *object = served.group == kEventsGroup ? ToEventsFace(old) : old;
  (*object)["apiVersion"] = served.GroupVersion();
  (*object)["kind"] = served.kind;
  std::string made;  // what a refusal shows
  if (type == "application/json-patch+json") {
    if (auto failure = ApplyJsonPatch(patch, object)) return failure;
  } else if (type == "application/merge-patch+json") {
    if (auto failure = ApplyMergePatch(patch, object)) return failure;
  } else {
    made = GoText(patch);
    if (auto failure = ApplyStrategicMergePatch(patch, TypeSchema(*served.type), object)) {
      return failure;
    }
  }
  if (made.empty()) made = object->dump();
  auto failure = Decode(call, object);
  if (!failure) {
    if (served.group == kEventsGroup) *object = FromEventsFace(std::move(*object));
    return std::nullopt;
  }
  if (failure->code != 400) return failure;
  const std::string said = fmt::format(" cannot be handled as a {}: ", served.kind);
  const size_t at = failure->message.find(said);
  return Failure::Invalid(
      {}, {InvalidValue("patch", made,
                        failure->message.substr(at == said.npos ? 0 : at + said.size()))});
}

namespace {

std::optional<Failure> ParsePatch(std::string_view body, Json* patch) {
  std::vector<std::string> duplicates;
  if (ParseJson(body, patch, &duplicates)) {
    return Failure::BadRequest("invalid JSON patch");
  }
  return std::nullopt;
}

std::optional<Failure> CheckPatch(const Call& call) {
  const std::string_view type = MediaTypeOf(call.http.content_type);
  const bool is_strategic = type == "application/strategic-merge-patch+json";
  if (type.starts_with("application/apply-patch")) {
    return Failure::UnsupportedMediaType(
        "server-side apply is not served here: use `kubectl apply` without --server-side");
  }
  if (type != "application/json-patch+json" && type != "application/merge-patch+json" &&
      !(is_strategic && call.served->type != nullptr)) {
    return Failure::UnsupportedMediaType("415: Unsupported Media Type");
  }
  return CheckWriteOptions(call.query, "PatchOptions");
}

}  // namespace

std::optional<Failure> Writes::PatchScale(Call* call, Json* scale) const {
  if (auto failure = CheckPatch(*call)) return failure;
  Json patch;
  if (auto failure = ParsePatch(call->http.body, &patch)) return failure;
  const bool is_list = MediaTypeOf(call->http.content_type) == "application/json-patch+json";
  return is_list ? ApplyJsonPatch(patch, scale) : ApplyMergePatch(patch, scale);
}

std::optional<Failure> Writes::Patch(Call* call, Reply* reply) const {
  if (auto failure = CheckPatch(*call)) return failure;
  Json patch;
  if (auto failure = ParsePatch(call->http.body, &patch)) return failure;
  const Part part = call->target.subresource == "status" ? Part::kStatus : Part::kMain;
  StoredPtr stored;
  const auto change = [&](const Json& old, Json* object) {
    call->warnings.clear();
    if (auto failure = PatchOne(call, patch, old, object)) return failure;
    return Adopt(call, object);
  };
  if (auto failure = Change(*call->served, call->object_name(), part, IsDryRun(*call), change,
                            &call->warnings, &stored)) {
    return failure;
  }
  reply->body = deps_.reads->ObjectText(*call, *stored);
  return std::nullopt;
}

// What only the body says of a deletion; `both`: two ways of saying who goes with it.
std::optional<Failure> ReadDeleteOptions(const Call& call, Deletion* deletion, bool* both) {
  deletion->grace = call.query.Number("gracePeriodSeconds");
  deletion->propagation = call.query.Text("propagationPolicy");
  deletion->dry_run = IsDryRun(call);
  if (call.http.body.empty()) return std::nullopt;
  Json options;
  if (MediaTypeOf(call.http.content_type) == "application/vnd.kubernetes.protobuf") {
    if (auto failure = FromProtobuf(call.http.body, &options)) return failure;
  } else {
    std::vector<std::string> duplicates;
    if (const auto wrong = ParseJson(call.http.body, &options, &duplicates)) {
      return Failure::BadRequest("couldn't get version/kind; json parse error: " + *wrong);
    }
  }
  if (options.is_null()) return std::nullopt;
  if (options.is_object()) {
    if (const std::string kind = TextAt(options, "kind");
        !kind.empty() && kind != "DeleteOptions") {
      return Failure::BadRequest(NotRegistered(kind, TextAt(options, "apiVersion")));
    }
  }
  const Type* const type =
      TypeTable::Get().FindType("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions");
  std::vector<std::string> unknown;
  if (auto failure = Conform(*type, &options, &unknown)) return failure;
  if (options.contains("gracePeriodSeconds")) deletion->grace = options["gracePeriodSeconds"];
  if (options.contains("propagationPolicy")) deletion->propagation = options["propagationPolicy"];
  *both = options.contains("orphanDependents") && options.contains("propagationPolicy");
  if (options.value("orphanDependents", false)) deletion->propagation = "Orphan";
  const Json preconditions = options.value("preconditions", Json::object());
  deletion->uid = preconditions.value("uid", "");
  deletion->version = preconditions.value("resourceVersion", "");
  deletion->dry_run |= !options.value("dryRun", Json::array()).empty();
  return std::nullopt;
}

std::optional<Failure> ReadDeletion(Call* call, Deletion* deletion) {
  bool both = false;
  if (auto failure = ReadDeleteOptions(*call, deletion, &both)) return failure;
  const std::string& policy = deletion->propagation;
  std::vector<Cause> causes;
  if (both) {
    causes.push_back(InvalidValue("propagationPolicy", policy,
                                  "orphanDependents and deletionPropagation cannot be both set"));
  }
  const std::vector<std::string> known = {"Foreground", "Background", "Orphan", "nil"};
  if (!policy.empty() && std::find(known.begin(), known.end(), policy) == known.end()) {
    causes.push_back(NotSupportedValue("propagationPolicy", policy, known));
  }
  if (!causes.empty()) {
    return Failure::Invalid({"meta.k8s.io", "DeleteOptions", ""}, std::move(causes));
  }
  if (policy.empty() && call->served->group == "batch" && call->served->kind == "Job") {
    deletion->propagation = "Orphan";
    call->warnings.emplace_back(
        "child pods are preserved by default when jobs are deleted; set "
        "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress "
        "this warning");
  }
  return CheckWriteOptions(call->query, "DeleteOptions");
}

std::optional<Failure> Writes::Delete(Call* call, Reply* reply) const {
  Deletion deletion;
  if (auto failure = ReadDeletion(call, &deletion)) return failure;
  const Served& served = *call->served;
  StoredPtr last;
  bool gone = false;
  if (auto failure = Erase(served, call->object_name(), deletion, &last, &gone)) return failure;
  const bool shows_object = !gone || (served.group.empty() && served.kind == "Pod");
  if (shows_object) {
    reply->body = deps_.reads->ObjectText(*call, *last);
    return std::nullopt;
  }
  Json details = {{"name", last->name.name}, {"kind", served.plural}, {"uid", last->uid}};
  if (!served.group.empty()) details["group"] = served.group;
  reply->body = Json{
      {"kind", "Status"},
      {"apiVersion", "v1"},
      {"metadata", Json::object()},
      {"status", "Success"},
      {"details",
       details}}.dump();
  return std::nullopt;
}

std::optional<Failure> Writes::DeleteMany(Call* call, Reply* reply) const {
  Deletion deletion;
  if (auto failure = ReadDeletion(call, &deletion)) return failure;
  Selection selection;
  if (auto failure = ReadSelection(*call, &selection)) return failure;
  Listing listing = deps_.store->List(*call->served->collection, call->target.namespace_);
  std::vector<StoredPtr> deleted;
  for (const StoredPtr& object : listing.objects) {
    if (!selection.Has(*object)) continue;
    StoredPtr last;
    bool gone = false;
    auto failure = Erase(*call->served, object->name, deletion, &last, &gone);
    if (failure && failure->code != 404) return failure;
    if (!failure) deleted.push_back(gone ? object : last);
  }
  reply->body = Face{call->served, false, ""}.ListOf(
      deleted, {{"resourceVersion", std::to_string(deps_.store->version())}});
  return std::nullopt;
}

}  // namespace outrigger::apiserver
