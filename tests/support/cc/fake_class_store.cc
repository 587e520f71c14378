#include "fake_class_store.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

namespace outrigger::testing {
namespace {

using nlohmann::json;

constexpr int32_t kHighestUserValue = 1'000'000'000;
constexpr size_t kMostAnnotations = 256 * 1024;

StringMap MapOf(const json& metadata, const char* field) {
  StringMap map;
  if (!metadata.contains(field)) return map;
  for (const auto& [key, value] : metadata[field].items()) map.Set(key, value.get<std::string>());
  return map;
}

json JsonOf(const StringMap& map) {
  json object = json::object();
  for (const auto& [key, value] : map) object[key] = value;
  return object;
}

void SetOrErase(json* object, const char* field, json value) {
  if (value.empty()) {
    object->erase(field);
  } else {
    (*object)[field] = std::move(value);
  }
}

std::vector<OwnerReference> OwnersOf(const json& metadata) {
  std::vector<OwnerReference> owners;
  for (const json& owner : metadata.value("ownerReferences", json::array())) {
    owners.push_back({.kind = owner.value("kind", ""),
                      .name = owner.value("name", ""),
                      .uid = owner.value("uid", ""),
                      .api_version = owner.value("apiVersion", "")});
  }
  return owners;
}

json JsonOf(const std::vector<OwnerReference>& owners) {
  json list = json::array();
  for (const OwnerReference& owner : owners) {
    list.push_back({{"apiVersion", owner.api_version},
                    {"kind", owner.kind},
                    {"name", owner.name},
                    {"uid", owner.uid}});
  }
  return list;
}

json ManagersOf(const std::vector<std::string>& managers) {
  json list = json::array();
  for (const std::string& manager : managers) {
    list.push_back({{"manager", manager}, {"operation", "Update"}});
  }
  return list;
}

PriorityClass ClassOf(const json& object) {
  static const json kNone = json::object();
  const json& metadata = object.contains("metadata") ? object["metadata"] : kNone;
  PriorityClass parsed;
  parsed.name = metadata.value("name", "");
  parsed.uid = metadata.value("uid", "");
  parsed.resource_version = metadata.value("resourceVersion", "");
  parsed.value = object.value("value", 0);
  parsed.global_default = object.value("globalDefault", false);
  parsed.preemption_policy = object.value("preemptionPolicy", "");
  parsed.description = object.value("description", "");
  parsed.labels = MapOf(metadata, "labels");
  parsed.annotations = MapOf(metadata, "annotations");
  parsed.owners = OwnersOf(metadata);
  parsed.finalizers = metadata.value("finalizers", std::vector<std::string>());
  parsed.is_deleted = metadata.contains("deletionTimestamp");
  for (const json& entry : metadata.value("managedFields", json::array())) {
    parsed.managers.push_back(entry.value("manager", ""));
  }
  return parsed;
}

// Writes into `object` what can be updated of a class.
void SetMutable(json* object, const PriorityClass& parsed) {
  json& metadata = (*object)["metadata"];
  SetOrErase(&metadata, "labels", JsonOf(parsed.labels));
  SetOrErase(&metadata, "annotations", JsonOf(parsed.annotations));
  SetOrErase(&metadata, "ownerReferences", JsonOf(parsed.owners));
  SetOrErase(&metadata, "finalizers", parsed.finalizers);
  SetOrErase(&metadata, "managedFields", ManagersOf(parsed.managers));
  SetOrErase(object, "description", parsed.description);
  object->erase("globalDefault");
  if (parsed.global_default) (*object)["globalDefault"] = true;
}

absl::Status NoSuchClass(std::string_view name) {
  return absl::NotFoundError(
      fmt::format("priorityclasses.scheduling.k8s.io \"{}\" not found", name));
}

}  // namespace

absl::StatusOr<PriorityClass> FakeClassStore::Read(std::string_view name) const {
  const auto found = classes_.find(name);
  if (found == classes_.end()) return NoSuchClass(name);
  return found->second.parsed;
}

absl::StatusOr<PriorityClass> FakeClassStore::Parse(std::string_view manifest) {
  if (!manifest.empty() && manifest == last_parsed_.manifest) return last_parsed_;
  const json object = json::parse(manifest, nullptr, false);
  if (!object.is_object() || object.value("kind", "") != "PriorityClass") {
    return absl::InvalidArgumentError("the manifest is no PriorityClass");
  }
  last_parsed_ = ClassOf(object);
  last_parsed_.manifest = manifest;
  return last_parsed_;
}

absl::Status FakeClassStore::Validate(const PriorityClass& made) const {
  if (made.name.starts_with("system-")) {
    return absl::InvalidArgumentError(
        "priority class names with 'system-' prefix are reserved for system use only");
  }
  if (made.value > kHighestUserValue) {
    return absl::InvalidArgumentError(
        "maximum allowed value of a user defined priority is 1000000000");
  }
  if (made.preemption_policy != "Never" && made.preemption_policy != "PreemptLowerPriority") {
    return absl::InvalidArgumentError("preemptionPolicy: Unsupported value");
  }
  size_t bytes = 0;
  for (const auto& [key, value] : made.annotations) bytes += key.size() + value.size();
  if (bytes > kMostAnnotations) {
    return absl::InvalidArgumentError(
        "metadata.annotations: Too long: may not be more than 262144");
  }
  if (!made.global_default) return absl::OkStatus();
  for (const auto& [name, stored] : classes_) {
    if (stored.parsed.global_default && name != made.name) {
      return absl::PermissionDeniedError(
          fmt::format("PriorityClass {} is already marked as default", name));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<PriorityClass> FakeClassStore::Create(const Made& made, bool dry_run) {
  json object = json::parse(made.manifest, nullptr, false);
  if (!object.is_object() || !object.contains("metadata")) {
    return absl::InvalidArgumentError("the body is no object of the API server");
  }
  json& metadata = object["metadata"];
  for (const char* field : {"uid", "resourceVersion", "creationTimestamp", "generation",
                            "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields"}) {
    metadata.erase(field);
  }
  object["value"] = made.value;
  SetOrErase(&metadata, "annotations", JsonOf(made.annotations));
  if (metadata.contains("annotations")) metadata["annotations"].erase(stripped_);
  SetOrErase(&metadata, "managedFields", ManagersOf({made.manager}));
  if (!object.contains("preemptionPolicy")) object["preemptionPolicy"] = "PreemptLowerPriority";
  const PriorityClass parsed = ClassOf(object);
  if (admission_) {
    if (absl::Status refused = admission_(parsed, dry_run); !refused.ok()) return refused;
  }
  if (absl::Status wrong = Validate(parsed); !wrong.ok()) return wrong;
  if (classes_.contains(parsed.name)) {
    return absl::AlreadyExistsError(
        fmt::format("priorityclasses.scheduling.k8s.io \"{}\" already exists", parsed.name));
  }
  if (dry_run) return parsed;
  metadata["uid"] = fmt::format("uid-{}", ++last_uid_);
  metadata["generation"] = 1;
  return Store(std::move(object));
}

const PriorityClass& FakeClassStore::Store(json object) {
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  PriorityClass parsed = ClassOf(object);
  parsed.manifest = object.dump();
  Stored& stored = classes_[parsed.name];
  stored = {std::move(object), std::move(parsed)};
  return stored.parsed;
}

absl::Status FakeClassStore::Delete(std::string_view name, std::string_view uid,
                                    std::string_view resource_version) {
  const auto found = classes_.find(name);
  if (name.starts_with("system-")) {
    return absl::PermissionDeniedError("this is a system priority class and cannot be deleted");
  }
  if (found == classes_.end()) return NoSuchClass(name);
  const PriorityClass& there = found->second.parsed;
  if (!uid.empty() && uid != there.uid) {
    return absl::AbortedError(
        fmt::format("Precondition failed: UID in precondition: {}, UID in "
                    "object meta: {}",
                    uid, there.uid));
  }
  if (!resource_version.empty() && resource_version != there.resource_version) {
    return absl::AbortedError("Precondition failed: ResourceVersion");
  }
  if (there.finalizers.empty()) {
    classes_.erase(found);
    ++version_;
  } else if (!there.is_deleted) {
    json object = found->second.object;
    object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    Store(std::move(object));
  }
  return absl::OkStatus();
}

absl::Status FakeClassStore::Edit(std::string_view name,
                                  const std::function<void(PriorityClass*)>& edit) {
  const auto found = classes_.find(name);
  if (found == classes_.end()) return NoSuchClass(name);
  const PriorityClass& before = found->second.parsed;
  PriorityClass edited = before;
  edit(&edited);
  if (edited.value != before.value || edited.preemption_policy != before.preemption_policy) {
    return absl::InvalidArgumentError("value: Forbidden: may not be changed in an update.");
  }
  if (edited == before) return absl::OkStatus();
  if (edited.is_deleted && edited.finalizers.empty()) {
    classes_.erase(found);
    ++version_;
    return absl::OkStatus();
  }
  json object = found->second.object;
  SetMutable(&object, edited);
  Store(std::move(object));
  return absl::OkStatus();
}

PriorityClass FakeClassStore::Put(PriorityClass made) {
  json object = json::parse(made.manifest, nullptr, false);
  if (!object.is_object()) {
    object = {{"apiVersion", "scheduling.k8s.io/v1"}, {"kind", "PriorityClass"}};
  }
  if (!object.contains("metadata")) object["metadata"] = json::object();
  if (made.preemption_policy.empty()) made.preemption_policy = "PreemptLowerPriority";
  SetMutable(&object, made);
  json& metadata = object["metadata"];
  metadata["name"] = made.name;
  metadata["uid"] = made.uid.empty() ? fmt::format("uid-{}", ++last_uid_) : made.uid;
  metadata["creationTimestamp"] = "2026-01-01T00:00:00Z";
  metadata["generation"] = 1;
  if (made.is_deleted) metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  object["value"] = made.value;
  object["preemptionPolicy"] = made.preemption_policy;
  return Store(std::move(object));
}

void FakeClassStore::CollectGarbage() {
  const auto is_garbage = [this](const auto& entry) {
    const std::vector<OwnerReference>& owners = entry.second.parsed.owners;
    return !owners.empty() &&
           std::none_of(owners.begin(), owners.end(),
                        [this](const OwnerReference& owner) { return HasOwner(owner.uid); });
  };
  if (std::erase_if(classes_, is_garbage) > 0) ++version_;
}

std::vector<PriorityClass> FakeClassStore::All() const {
  std::vector<PriorityClass> all;
  for (const auto& [name, stored] : classes_) {
    all.push_back(stored.parsed);
    all.back().manifest.clear();
  }
  return all;
}

void FakeClassStore::SetOwner(const std::string& uid, bool exists) {
  if (exists) {
    owners_.insert(uid);
  } else {
    owners_.erase(uid);
  }
}

}  // namespace outrigger::testing
