#include "apiserver/verbs/writes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "apiserver/select/field_path.h"
#include "apiserver/types/conform.h"
#include "apiserver/types/defaults.h"
#include "apiserver/verbs/events.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr std::string_view kModified =
    "the object has been modified; please apply your changes to the latest version and try again";

// Keys that the server alone writes.
constexpr const char* kServerKeys[] = {"uid", "creationTimestamp", "deletionTimestamp",
                                       "deletionGracePeriodSeconds", "generation"};

void KeepKey(const char* key, const Json& old, Json* object) {
  const auto found = old.find(key);
  if (found == old.end()) {
    object->erase(key);
  } else {
    (*object)[key] = *found;
  }
}

// All but metadata and status: what a generation counts.
bool IsSameSpec(Json a, Json b) {
  for (Json* object : {&a, &b}) {
    for (const char* key : {"metadata", "status", "apiVersion", "kind"}) object->erase(key);
  }
  return a == b;
}

bool IsNamespace(const Served& served) {
  return served.group.empty() && served.kind == "Namespace";
}

// Of namespaces also those of their spec.
bool HasFinalizers(const Served& served, const Json& object) {
  return !ListAt(object, "metadata.finalizers").empty() ||
         (IsNamespace(served) && !ListAt(object, "spec.finalizers").empty());
}

void CheckFinalizersOfDeleted(const Json& old, const Json& object, std::vector<Cause>* causes) {
  const Json before = old.at("metadata").value("finalizers", Json::array());
  std::string found;
  for (const Json& one : object.at("metadata").value("finalizers", Json::array())) {
    if (std::find(before.begin(), before.end(), one) != before.end()) continue;
    found += (found.empty() ? "" : ", ") + one.dump();
  }
  if (found.empty()) return;
  causes->push_back(ForbiddenValue("metadata.finalizers",
                                   fmt::format("no new finalizers can be added if the object is "
                                               "being deleted, found new finalizers []string{{{}}}",
                                               found)));
}

KindName KindOf(const Served& served) {
  return {served.group, served.kind};
}

}  // namespace

Writes::Writes(Deps deps) : deps_(std::move(deps)) {}

std::optional<Failure> Writes::CheckNamespace(const Served& served, const Json& object) const {
  if (!served.namespaced) return std::nullopt;
  const std::string name = TextAt(object.at("metadata"), "namespace");
  const ServedPtr namespaces = deps_.catalog->Find("", "v1", "namespaces");
  const StoredPtr found = deps_.store->Get(*namespaces->collection, {"", name});
  if (found == nullptr) return Failure::NotFound(namespaces->SubjectOf(name));
  if (!found->deleting) return std::nullopt;
  Failure failure = Failure::Forbidden(
      served.SubjectOf(TextAt(object.at("metadata"), "name")),
      fmt::format("unable to create new content in namespace {} because it is being terminated",
                  name));
  failure.causes = {{"NamespaceTerminating", fmt::format("namespace {} is being terminated", name),
                     "metadata.namespace"}};
  return failure;
}

std::optional<Failure> Writes::Add(const Served& served, Json object, bool dry_run,
                                   std::vector<std::string>* warnings, StoredPtr* stored) const {
  Json& metadata = object["metadata"];
  const bool counts = HasGeneration(KindOf(served)) || served.custom != nullptr;
  for (const char* key : kServerKeys) {
    if (counts || std::string_view(key) != "generation") metadata.erase(key);
  }
  for (const char* key : {"managedFields", "selfLink"}) metadata.erase(key);
  const std::string given = TextAt(metadata, "name");
  const std::string prefix = TextAt(metadata, "generateName");
  if (given.empty() && !prefix.empty()) {
    metadata["name"] = prefix.substr(0, 58) + deps_.ids->NameEnd();
  }
  metadata["uid"] = deps_.ids->Uid();
  metadata["creationTimestamp"] = TimeText(deps_.clock.wall());
  if (counts) metadata["generation"] = 1;
  if (served.HasSubresource("status") && !KeepsStatusOfCreate(KindOf(served))) {
    object.erase("status");
  }
  if (served.type != nullptr) {
    // A status has what Go always prints; of a controller's pod the template had not all defaults.
    std::vector<std::string> ignored;
    if (auto failure = Conform(*served.type, &object, &ignored)) return failure;
    SetDefaults(*served.type, &object);
    if (served.group == kEventsGroup) object = FromEventsFace(std::move(object));
  }
  if (auto failure = CheckNamespace(served, object)) return failure;
  std::vector<Cause> causes = CheckMetadata(KindOf(served), served.namespaced, object);
  if (!causes.empty()) {
    return Failure::Invalid({served.group, served.kind, TextAt(metadata, "name")},
                            std::move(causes));
  }
  if (auto failure = deps_.admission->OnCreate(KindOf(served), &object, warnings)) return failure;
  const std::string name = TextAt(object["metadata"], "name");
  if (dry_run) {
    const ObjectName at{TextAt(object["metadata"], "namespace"), name};
    if (deps_.store->Get(*served.collection, at) != nullptr) {
      return Failure::AlreadyExists(served.SubjectOf(name));
    }
    *stored = deps_.store->Draft(*served.collection, std::move(object));
    return std::nullopt;
  }
  if (deps_.store->Create(served.collection, std::move(object), stored) == Written::kExists) {
    return Failure::AlreadyExists(served.SubjectOf(name));
  }
  return std::nullopt;
}

// What a write must not change stays as it was.
std::optional<Failure> Writes::Retain(const Served& served, Part part, const Json& old,
                                      Json* object) const {
  Json& metadata = (*object)["metadata"];
  const Json& before = old.at("metadata");
  const std::string uid = TextAt(metadata, "uid");
  if (!uid.empty() && uid != TextAt(before, "uid")) {
    return Failure::Conflict(
        served.SubjectOf(TextAt(before, "name")),
        fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid,
                    TextAt(before, "uid")));
  }
  for (const char* key : kServerKeys) KeepKey(key, before, &metadata);
  for (const char* key : {"managedFields", "selfLink"}) metadata.erase(key);
  const bool has_status = served.HasSubresource("status");
  if (has_status && part == Part::kMain) KeepKey("status", old, object);
  if (part == Part::kStatus) {
    Json status = object->value("status", Json::object());
    const Json labels = metadata.value("labels", Json());
    const Json annotations = metadata.value("annotations", Json());
    *object = old;
    (*object)["status"] = std::move(status);
    // Of most kinds a status' writer may set these, too.
    if (served.custom == nullptr) {
      for (const auto& [key, value] : {std::pair{"labels", labels}, {"annotations", annotations}}) {
        (*object)["metadata"].erase(key);
        if (!value.is_null()) (*object)["metadata"][key] = value;
      }
    }
  }
  // Binding is no change of a pod's spec; of classes only their making counts.
  const bool counts = (HasGeneration(KindOf(served)) || served.custom != nullptr) &&
                      part != Part::kBinding && served.kind != "PriorityClass";
  if (counts && !IsSameSpec(old, *object)) {
    (*object)["metadata"]["generation"] = before.value("generation", int64_t{0}) + 1;
  }
  return std::nullopt;
}

std::optional<Failure> Writes::Change(const Served& served, const ObjectName& name, Part part,
                                      bool dry_run, const Changing& change,
                                      std::vector<std::string>* warnings, StoredPtr* stored) const {
  while (true) {
    const StoredPtr base = deps_.store->Get(*served.collection, name);
    if (base == nullptr) return Failure::NotFound(served.SubjectOf(name.name));
    const Json old = base->Parse();
    Json object = old;
    if (auto failure = change(old, &object)) return failure;
    const std::string version = TextAt(object.at("metadata"), "resourceVersion");
    if (version.empty() && served.custom != nullptr) {
      return Failure::Invalid(
          {served.group, served.plural, name.name},
          {InvalidValue("metadata.resourceVersion", 0, "must be specified for an update")});
    }
    if (!version.empty() && version != std::to_string(base->version)) {
      return Failure::Conflict(served.SubjectOf(name.name), std::string(kModified));
    }
    if (auto failure = Retain(served, part, old, &object)) return failure;
    std::vector<Cause> causes = CheckMetadata(KindOf(served), served.namespaced, object);
    if (base->deleting) CheckFinalizersOfDeleted(old, object, &causes);
    if (!causes.empty()) {
      return Failure::Invalid({served.group, served.kind, name.name}, std::move(causes));
    }
    if (auto failure = deps_.admission->OnUpdate(KindOf(served), part, old, &object, warnings)) {
      return failure;
    }
    if (dry_run) {
      object["metadata"]["resourceVersion"] = std::to_string(base->version);
      *stored = deps_.store->Draft(*served.collection, std::move(object));
      return std::nullopt;
    }
    // The last finalizer of what is to be deleted has gone.
    const bool is_over = base->deleting && HasFinalizers(served, old) &&
                         !HasFinalizers(served, object) &&
                         object["metadata"].value("deletionGracePeriodSeconds", 0) == 0;
    const Written written =
        is_over ? deps_.store->Remove(served.collection, base, std::move(object), stored)
                : deps_.store->Replace(served.collection, base, std::move(object), stored);
    if (written == Written::kMissing) return Failure::NotFound(served.SubjectOf(name.name));
    // Tried again on the newest state; where a version was asked for, that is another one now.
    if (written != Written::kConflict) return std::nullopt;
  }
}

namespace {

// How long a pod that is deleted has: nothing for one that does not run.
int64_t GraceOf(const Json& pod, const std::optional<int64_t>& asked) {
  const Json& spec = pod.at("spec");
  if (TextAt(spec, "nodeName").empty()) return 0;
  const std::string phase = TextAt(pod.value("status", Json::object()), "phase");
  if (phase == "Failed" || phase == "Succeeded") return 0;
  const int64_t grace = asked.value_or(spec.value("terminationGracePeriodSeconds", int64_t{30}));
  return grace < 0 ? 1 : grace;
}

// Finalizers by which those who collect garbage do what the deletion asks for.
void SetPropagation(const std::string& propagation, Json* metadata) {
  std::vector<std::string> kept;
  if (const auto found = metadata->find("finalizers"); found != metadata->end()) {
    for (const Json& finalizer : *found) {
      if (finalizer != "foregroundDeletion" && finalizer != "orphan") kept.push_back(finalizer);
    }
  }
  if (propagation == "Foreground") kept.emplace_back("foregroundDeletion");
  if (propagation == "Orphan") kept.emplace_back("orphan");
  metadata->erase("finalizers");
  if (!kept.empty()) (*metadata)["finalizers"] = kept;
}

std::optional<Failure> CheckPreconditions(const Served& served, const Stored& object,
                                          const Deletion& deletion) {
  if (!deletion.uid.empty() && deletion.uid != object.uid) {
    return Failure::Conflict(
        {served.group, served.kind, object.name.name},
        fmt::format("the UID in the precondition ({}) does not match the UID in record ({}). The "
                    "object might have been deleted and then recreated",
                    deletion.uid, object.uid));
  }
  if (!deletion.version.empty() && deletion.version != std::to_string(object.version)) {
    return Failure::Conflict(
        {served.group, served.kind, object.name.name},
        fmt::format("the ResourceVersion in the precondition ({}) does not match the "
                    "ResourceVersion in record ({}). The object might have been modified",
                    deletion.version, object.version));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Failure> Writes::Erase(const Served& served, const ObjectName& name,
                                     const Deletion& deletion, StoredPtr* last, bool* gone) const {
  while (true) {
    const StoredPtr base = deps_.store->Get(*served.collection, name);
    if (base == nullptr) return Failure::NotFound(served.SubjectOf(name.name));
    if (auto failure = CheckPreconditions(served, *base, deletion)) return failure;
    if (auto failure = deps_.admission->OnDelete(KindOf(served), name.name)) return failure;
    Json object = base->Parse();
    Json& metadata = object["metadata"];
    const bool is_pod = served.group.empty() && served.kind == "Pod";
    int64_t grace = is_pod ? GraceOf(object, deletion.grace) : 0;
    if (base->deleting) {
      grace = std::min(grace, metadata.value("deletionGracePeriodSeconds", int64_t{0}));
    }
    if (!deletion.propagation.empty()) SetPropagation(deletion.propagation, &metadata);
    // What it defines goes first (verbs/definitions.h).
    if (served.kind == "CustomResourceDefinition") {
      metadata["finalizers"] = {"customresourcecleanup.apiextensions.k8s.io"};
    }
    *gone = grace == 0 && !HasFinalizers(served, object);
    *last = base;
    if (deletion.dry_run) return std::nullopt;
    Written written = Written::kDone;
    if (!*gone || is_pod) {
      if (!base->deleting) {
        metadata["deletionTimestamp"] = TimeText(deps_.clock.wall() + std::chrono::seconds(grace));
        if (metadata.contains("generation")) {
          metadata["generation"] = metadata["generation"].get<int64_t>() + 1;
        }
      }
      if (!IsNamespace(served)) metadata["deletionGracePeriodSeconds"] = grace;
      if (IsNamespace(served)) object["status"]["phase"] = "Terminating";
    }
    written = *gone ? deps_.store->Remove(served.collection, base, std::move(object), last)
                    : deps_.store->Replace(served.collection, base, std::move(object), last);
    if (written == Written::kMissing) return Failure::NotFound(served.SubjectOf(name.name));
    if (written != Written::kConflict) return std::nullopt;
  }
}

}  // namespace outrigger::apiserver
