#include "apiserver/verbs/writes.h"

#include <algorithm>
#include <utility>

#include "apiserver/select/field_path.h"
#include "apiserver/verbs/verbs.h"
#include "boost/uuid/random_generator.hpp"
#include "boost/uuid/uuid_io.hpp"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// Keys that the server alone writes, or that nobody does.
constexpr const char* kServerKeys[] = {
    "uid",        "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
    "generation", "managedFields",     "selfLink"};

void KeepKey(const char* key, const Json& old, Json* object) {
  object->erase(key);
  if (old.contains(key)) (*object)[key] = old[key];
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

// Five characters that make no words (apimachinery's SimpleNameGenerator).
std::string NameEnd(std::mt19937_64* random) {
  constexpr std::string_view kCharacters = "bcdfghjklmnpqrstvwxz2456789";
  std::string end;
  for (int i = 0; i < 5; ++i) end += kCharacters[(*random)() % kCharacters.size()];
  return end;
}

KindName KindOf(const Served& served) {
  return {served.group, served.kind};
}

bool CountsGenerations(const Served& served) {
  return HasGeneration(KindOf(served)) || served.custom != nullptr;
}

// By the rules of its definition, which may name apiVersion and kind.
void CheckRules(const Served& served, const Json* old, Json object, std::vector<Cause>* causes) {
  Json before = old == nullptr ? Json::object() : *old;
  for (Json* one : {&object, &before}) {
    (*one)["apiVersion"] = served.GroupVersion();
    (*one)["kind"] = served.kind;
  }
  served.custom->schema->CheckRules(object, old == nullptr ? nullptr : &before, causes);
}

// Names, labels and so on; what is being deleted gets no new finalizers.
std::optional<Failure> CheckObject(const Served& served, const Json* old, const Json& object) {
  std::vector<Cause> causes = CheckMetadata(KindOf(served), served.namespaced, object);
  if (old != nullptr && old->at("metadata").contains("deletionTimestamp")) {
    const Json& before = ListAt(*old, "metadata.finalizers");
    for (const Json& one : ListAt(object, "metadata.finalizers")) {
      if (std::find(before.begin(), before.end(), one) != before.end()) continue;
      causes.push_back(ForbiddenValue("metadata.finalizers",
                                      fmt::format("no new finalizers can be added if the object is "
                                                  "being deleted, found new finalizers "
                                                  "[]string{{{}}}",
                                                  one.dump())));
    }
  }
  if (served.custom != nullptr) CheckRules(served, old, object, &causes);
  if (causes.empty()) return std::nullopt;
  return Failure::Invalid({served.group, served.kind, TextAt(object, "metadata.name")},
                          std::move(causes));
}

// What a write asks of the state that it finds; empty: any.
std::optional<Failure> CheckPreconditions(const Served& served, const Stored& base,
                                          const std::string& uid, const std::string& version) {
  const Subject subject = served.SubjectOf(base.name.name);
  if (!version.empty() && version != std::to_string(base.version)) {
    return Failure::Conflict(
        subject,
        "the object has been modified; please apply your changes to the latest "
        "version and try again");
  }
  if (uid.empty() || uid == base.uid) return std::nullopt;
  return Failure::Conflict(
      subject, fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}",
                           uid, base.uid));
}

// What a write must not change stays as it was.
void Retain(const Served& served, Part part, const Json& old, Json* object) {
  Json& metadata = (*object)["metadata"];
  const Json& before = old.at("metadata");
  for (const char* key : kServerKeys) KeepKey(key, before, &metadata);
  if (part == Part::kMain && served.HasSubresource("status")) KeepKey("status", old, object);
  // The finalizers of a namespace stay until it is emptied.
  if (IsNamespace(served) && !before.contains("deletionTimestamp")) KeepKey("spec", old, object);
  if (part == Part::kStatus) {
    Json kept = old;
    kept["status"] = object->value("status", Json::object());
    // Of most kinds a status' writer may set these, too.
    if (served.custom == nullptr) {
      for (const char* key : {"labels", "annotations"}) KeepKey(key, metadata, &kept["metadata"]);
    }
    *object = std::move(kept);
  }
  // Binding is no change of a pod's spec; of classes only their making counts.
  const bool counts =
      CountsGenerations(served) && part != Part::kBinding && served.kind != "PriorityClass";
  if (counts && !IsSameSpec(old, *object)) {
    (*object)["metadata"]["generation"] = before.value("generation", int64_t{0}) + 1;
  }
}

// How long what is deleted has: of a pod that runs its time, of all others none.
int64_t GraceOf(const Served& served, const Stored& base, const Json& object,
                const std::optional<int64_t>& asked) {
  const std::string& phase = TextAt(object, "status.phase");
  if (!served.group.empty() || served.kind != "Pod" || TextAt(object, "spec.nodeName").empty() ||
      phase == "Failed" || phase == "Succeeded") {
    return 0;
  }
  int64_t grace = asked.value_or(object["spec"].value("terminationGracePeriodSeconds", 30));
  if (grace < 0) grace = 1;
  return base.deleting ? std::min(grace, NumberAt(object, "metadata.deletionGracePeriodSeconds"))
                       : grace;
}

// Finalizers by which those who collect garbage do what the deletion asks for.
void SetPropagation(const std::string& propagation, Json* metadata) {
  Json kept = Json::array();
  for (const Json& finalizer : ListAt(*metadata, "finalizers")) {
    if (finalizer != "foregroundDeletion" && finalizer != "orphan") kept.push_back(finalizer);
  }
  if (propagation == "Foreground") kept.push_back("foregroundDeletion");
  if (propagation == "Orphan") kept.push_back("orphan");
  metadata->erase("finalizers");
  if (!kept.empty()) (*metadata)["finalizers"] = std::move(kept);
}

void MarkDeleted(const Served& served, bool is_first, const std::string& time, int64_t grace,
                 Json* object) {
  Json& metadata = (*object)["metadata"];
  if (is_first) {
    metadata["deletionTimestamp"] = time;
    if (metadata.contains("generation")) {
      metadata["generation"] = NumberAt(metadata, "generation") + 1;
    }
  }
  if (IsNamespace(served)) {
    (*object)["status"]["phase"] = "Terminating";
  } else {
    metadata["deletionGracePeriodSeconds"] = grace;
  }
}

}  // namespace

Deletion Deletion::Of(const Json& options) {
  Deletion deletion;
  if (options.contains("gracePeriodSeconds")) deletion.grace = options["gracePeriodSeconds"];
  deletion.propagation = TextAt(options, "propagationPolicy");
  deletion.uid = TextAt(options, "preconditions.uid");
  deletion.version = TextAt(options, "preconditions.resourceVersion");
  deletion.dry_run = !ListAt(options, "dryRun").empty();
  return deletion;
}

std::optional<Failure> Writes::CheckNamespace(const Served& served, const Json& metadata) const {
  if (!served.namespaced) return std::nullopt;
  const std::string& name = TextAt(metadata, "namespace");
  const ServedPtr namespaces = deps_.catalog->Find("", "v1", "namespaces");
  const StoredPtr found = deps_.store->Get(*namespaces->collection, {"", name});
  if (found == nullptr) return Failure::NotFound(namespaces->SubjectOf(name));
  if (!found->deleting) return std::nullopt;
  Failure failure = Failure::Forbidden(
      served.SubjectOf(TextAt(metadata, "name")),
      fmt::format("unable to create new content in namespace {} because it is being terminated",
                  name));
  failure.causes = {{"NamespaceTerminating", fmt::format("namespace {} is being terminated", name),
                     "metadata.namespace"}};
  return failure;
}

void Writes::SetNewMetadata(const Served& served, Json* metadata) const {
  for (const char* key : kServerKeys) metadata->erase(key);
  const std::string prefix = TextAt(*metadata, "generateName");
  const MutexLock lock(mutex_);
  if (TextAt(*metadata, "name").empty() && !prefix.empty()) {
    (*metadata)["name"] = prefix.substr(0, 58) + NameEnd(&random_);
  }
  (*metadata)["uid"] = to_string(boost::uuids::basic_random_generator(random_)());
  (*metadata)["creationTimestamp"] = TimeText(deps_.clock.wall());
  if (CountsGenerations(served)) (*metadata)["generation"] = 1;
}

std::optional<Failure> Writes::Add(const Served& served, Json object, bool dry_run,
                                   std::vector<std::string>* warnings, StoredPtr* stored) const {
  std::vector<std::string> unknown;
  if (auto failure = Shape(served, /*is_new=*/true, &object, &unknown)) return failure;
  return Insert(served, std::move(object), dry_run, warnings, stored);
}

std::optional<Failure> Writes::Insert(const Served& served, Json object, bool dry_run,
                                      std::vector<std::string>* warnings, StoredPtr* stored) const {
  SetNewMetadata(served, &object["metadata"]);
  if (auto failure = CheckNamespace(served, object["metadata"])) return failure;
  if (auto failure = CheckObject(served, nullptr, object)) return failure;
  if (auto failure = deps_.admission->OnCreate(KindOf(served), &object, warnings)) return failure;
  const ObjectName name{TextAt(object, "metadata.namespace"), TextAt(object, "metadata.name")};
  Written written = Written::kDone;
  if (!dry_run) {
    written = deps_.store->Create(served.collection, std::move(object), stored);
  } else if (deps_.store->Get(*served.collection, name) != nullptr) {
    written = Written::kExists;
  } else {
    *stored = Store::Draft(*served.collection, std::move(object));
  }
  if (written == Written::kExists) return Failure::AlreadyExists(served.SubjectOf(name.name));
  return std::nullopt;
}

std::optional<Failure> Writes::Change(const Served& served, const ObjectName& name, Part part,
                                      bool dry_run, const Changing& change,
                                      StoredPtr* stored) const {
  // Tried again on the newest state; where a version was asked for, that is another one now.
  for (Written written = Written::kConflict; written == Written::kConflict;) {
    const StoredPtr base = deps_.store->Get(*served.collection, name);
    if (base == nullptr) return Failure::NotFound(served.SubjectOf(name.name));
    const Json old = base->Parse();
    Json object = old;
    if (auto failure = change(old, &object)) return failure;
    const std::string version = TextAt(object, "metadata.resourceVersion");
    if (version.empty() && served.custom != nullptr) {
      return Failure::Invalid(
          {served.group, served.plural, name.name},
          {InvalidValue("metadata.resourceVersion", 0, "must be specified for an update")});
    }
    const std::string uid = TextAt(object, "metadata.uid");
    if (auto failure = CheckPreconditions(served, *base, uid, version)) return failure;
    Retain(served, part, old, &object);
    if (auto failure = CheckObject(served, &old, object)) return failure;
    if (auto failure = deps_.admission->OnUpdate(KindOf(served), part, old, &object)) {
      return failure;
    }
    if (dry_run) {
      object["metadata"]["resourceVersion"] = std::to_string(base->version);
      *stored = Store::Draft(*served.collection, std::move(object));
      return std::nullopt;
    }
    // The last finalizer of what is to be deleted has gone.
    const bool is_over = base->deleting && HasFinalizers(served, old) &&
                         !HasFinalizers(served, object) &&
                         NumberAt(object, "metadata.deletionGracePeriodSeconds") == 0;
    written = is_over ? deps_.store->Remove(served.collection, base, std::move(object), stored)
                      : deps_.store->Replace(served.collection, base, std::move(object), stored);
    if (written == Written::kMissing) return Failure::NotFound(served.SubjectOf(name.name));
  }
  return std::nullopt;
}

std::optional<Failure> Writes::Erase(const Served& served, const ObjectName& name,
                                     const Deletion& deletion, StoredPtr* last, bool* gone) const {
  for (Written written = Written::kConflict; written == Written::kConflict;) {
    const StoredPtr base = deps_.store->Get(*served.collection, name);
    if (base == nullptr) return Failure::NotFound(served.SubjectOf(name.name));
    if (auto failure = CheckPreconditions(served, *base, deletion.uid, deletion.version)) {
      return failure;
    }
    if (auto failure = deps_.admission->OnDelete(KindOf(served), name.name)) return failure;
    Json object = base->Parse();
    const int64_t grace = GraceOf(served, *base, object, deletion.grace);
    // A definition owns nothing, and goes with what is served of it.
    if (!deletion.propagation.empty() && served.kind != "CustomResourceDefinition") {
      SetPropagation(deletion.propagation, &object["metadata"]);
    }
    *gone = grace == 0 && !HasFinalizers(served, object);
    *last = base;
    if (deletion.dry_run) return std::nullopt;
    // The last state of a pod shows that it was deleted.
    if (!*gone || (served.group.empty() && served.kind == "Pod")) {
      MarkDeleted(served, !base->deleting,
                  TimeText(deps_.clock.wall() + std::chrono::seconds(grace)), grace, &object);
    }
    written = *gone ? deps_.store->Remove(served.collection, base, std::move(object), last)
                    : deps_.store->Replace(served.collection, base, std::move(object), last);
    if (written == Written::kMissing) return Failure::NotFound(served.SubjectOf(name.name));
  }
  return std::nullopt;
}

}  // namespace outrigger::apiserver
