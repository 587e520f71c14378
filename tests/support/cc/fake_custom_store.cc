#include "fake_custom_store.h"

#include "fmt/format.h"

namespace outrigger::testing {
namespace {

using Json = nlohmann::json;

constexpr const char* kCreated = "2026-01-01T00:00:00Z";

// What the API server sets by itself.
constexpr const char* kServerFields[] = {
    "uid",           "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp",
    "managedFields", "selfLink"};

// What a generation counts.
Json SpecOf(Json object) {
  object.erase("metadata");
  object.erase("status");
  return object;
}

// Of a POST, the client's checks first.
absl::Status CheckNew(const CustomKind& kind, std::string_view namespace_, const Json& object) {
  if (kind.namespaced == namespace_.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: {}", kind.plural, kind.namespaced ? "a namespace is missing" : "has no namespace"));
  }
  if (!object.is_object()) return absl::InvalidArgumentError("the body is no object");
  if (object.value("kind", "") != kind.kind ||
      object.value("apiVersion", "") != fmt::format("{}/{}", kind.group, kind.version)) {
    return absl::InvalidArgumentError("the body is of another kind");
  }
  const std::string stated = MetadataOf(object, "namespace");
  if (!stated.empty() && stated != namespace_) {
    return absl::InvalidArgumentError(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  if (!MetadataOf(object, "name").empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("metadata.name: Required value: name is required");
}

}  // namespace

std::string CustomNameOf(const CustomKind& kind) {
  return fmt::format("{}.{}", kind.plural, kind.group);
}

std::string MetadataOf(const Json& object, const char* field) {
  const auto metadata = object.find("metadata");
  return metadata == object.end() ? "" : metadata->value(field, "");
}

absl::Status CustomNotServed(const CustomKind& kind) {
  return absl::NotFoundError(
      fmt::format("{} of {}/{} is not served by the API server: apply its CustomResourceDefinition",
                  kind.kind, kind.group, kind.version));
}

FakeCustomStore::Kind& FakeCustomStore::KindOf(const CustomKind& kind) {
  return kinds_[CustomNameOf(kind)];
}

const FakeCustomStore::Kind& FakeCustomStore::KindOf(const CustomKind& kind) const {
  static const Kind none;
  const auto found = kinds_.find(CustomNameOf(kind));
  return found == kinds_.end() ? none : found->second;
}

std::string FakeCustomStore::NewUid() {
  return fmt::format("uid-{}", ++last_uid_);
}

const Json& FakeCustomStore::Store(const CustomKind& kind, Json object) {
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  Json& stored =
      KindOf(kind).objects[{MetadataOf(object, "namespace"), MetadataOf(object, "name")}];
  stored = std::move(object);
  listener_.put(kind, stored);
  return stored;
}

absl::StatusOr<Json> FakeCustomStore::Read(const CustomKind& kind,
                                           const CustomObjectName& object) const {
  const Kind& of = KindOf(kind);
  if (!of.served) return CustomNotServed(kind);
  const auto found = of.objects.find({std::string(object.namespace_), std::string(object.name)});
  if (found != of.objects.end()) return found->second;
  return absl::NotFoundError(fmt::format("{} \"{}\" not found", CustomNameOf(kind), object.name));
}

absl::StatusOr<Json> FakeCustomStore::Create(const CustomKind& kind, std::string_view namespace_,
                                             std::string_view json) {
  if (!IsServed(kind)) return CustomNotServed(kind);
  Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (absl::Status wrong = CheckNew(kind, namespace_, object); !wrong.ok()) return wrong;
  const std::string name = MetadataOf(object, "name");
  if (Read(kind, {.namespace_ = namespace_, .name = name}).ok()) {
    return absl::AlreadyExistsError(
        fmt::format("{} \"{}\" already exists", CustomNameOf(kind), name));
  }
  object.erase("status");
  Json& metadata = object["metadata"];
  for (const char* field : kServerFields) metadata.erase(field);
  if (kind.namespaced) metadata["namespace"] = namespace_;
  metadata["uid"] = NewUid();
  metadata["generation"] = 1;
  metadata["creationTimestamp"] = kCreated;
  return Store(kind, std::move(object));
}

absl::StatusOr<Json> FakeCustomStore::PatchStatus(const CustomKind& kind,
                                                  const CustomObjectName& object,
                                                  std::string_view status_patch) {
  const Json patch = Json::parse(status_patch, nullptr, /*allow_exceptions=*/false);
  if (!patch.is_object()) return absl::InvalidArgumentError("the patch of a status is no object");
  const absl::StatusOr<Json> there = Read(kind, object);
  if (!there.ok()) return there;
  const bool is_another = !object.uid.empty() && object.uid != MetadataOf(*there, "uid");
  if (is_another && object.resource_version.empty()) {
    return absl::AbortedError(fmt::format("{} {}/{} was replaced: it no longer has the UID {}",
                                          CustomNameOf(kind), object.namespace_, object.name,
                                          object.uid));
  }
  if (!object.resource_version.empty() &&
      object.resource_version != MetadataOf(*there, "resourceVersion")) {
    return absl::AbortedError(
        "the object has been modified; please apply your changes to the latest version");
  }
  Json patched = *there;
  patched.merge_patch({{"status", patch}});
  if (patched != *there) patched = Store(kind, std::move(patched));
  // The API server looks at the version alone.
  if (!is_another) return patched;
  return absl::InternalError(fmt::format("{} {}/{} was written, and is not that of the UID {}",
                                         CustomNameOf(kind), object.namespace_, object.name,
                                         object.uid));
}

Json FakeCustomStore::Put(const CustomKind& kind, Json object) {
  if (!object.contains("kind")) object["kind"] = kind.kind;
  if (!object.contains("apiVersion")) {
    object["apiVersion"] = fmt::format("{}/{}", kind.group, kind.version);
  }
  Json& metadata = object["metadata"];
  const Name name{metadata.value("namespace", ""), metadata.value("name", "")};
  const absl::StatusOr<Json> there = Read(kind, {.namespace_ = name.first, .name = name.second});
  Json before = there.ok() ? *there : Json::object();
  if (metadata.contains("uid") && there.ok() && metadata["uid"] != MetadataOf(*there, "uid")) {
    Delete(kind, name);
    before = Json::object();
  }
  const Json was = before.value("metadata", Json::object());
  if (!metadata.contains("uid"))
    metadata["uid"] = was.contains("uid") ? was["uid"] : Json(NewUid());
  if (!metadata.contains("creationTimestamp")) metadata["creationTimestamp"] = kCreated;
  const bool differs = SpecOf(before) != SpecOf(object);
  metadata["generation"] = was.value("generation", 0) + (differs ? 1 : 0);
  metadata["resourceVersion"] = was.value("resourceVersion", "");
  return object == before ? before : Store(kind, std::move(object));
}

bool FakeCustomStore::Delete(const CustomKind& kind, const Name& name) {
  if (KindOf(kind).objects.erase(name) == 0) return false;
  ++version_;
  listener_.removed(kind, name, Version());
  return true;
}

void FakeCustomStore::SetServed(const CustomKind& kind, bool served) {
  Kind& of = KindOf(kind);
  if (of.served == served) return;
  of.served = served;
  std::vector<Name> names;
  for (const auto& [name, object] : of.objects) names.push_back(name);
  of.objects.clear();
  served ? listener_.served(kind) : listener_.not_served(kind, names);
}

bool FakeCustomStore::IsServed(const CustomKind& kind) const {
  return KindOf(kind).served;
}

std::vector<Json> FakeCustomStore::All(const CustomKind& kind) const {
  std::vector<Json> all;
  for (const auto& [name, object] : KindOf(kind).objects) all.push_back(object);
  return all;
}

}  // namespace outrigger::testing
