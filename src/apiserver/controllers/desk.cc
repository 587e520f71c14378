#include "apiserver/controllers/desk.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// An object that is gone needs nothing more.
Result UnlessGone(Result result) {
  return result && result->code == 404 ? std::nullopt : std::move(result);
}

WallTime EndOf(const Json& pod) {
  WallTime end = TimeOf(pod, "metadata.deletionTimestamp");
  for (const Json& container : ListAt(pod, "status.containerStatuses")) {
    end = std::max(end, TimeOf(container, "state.terminated.finishedAt"));
  }
  return end == WallTime() ? TimeOf(pod, "metadata.creationTimestamp") : end;
}

int64_t AnnotatedNumber(const Json& pod, const char* key, int64_t otherwise) {
  const Json* const annotations = ValueAt(pod, "metadata.annotations");
  int64_t number = 0;
  if (annotations == nullptr || !annotations->contains(key)) return otherwise;
  return absl::SimpleAtoi(annotations->value(key, ""), &number) ? number : otherwise;
}

PodFacts ReadPod(const Stored& stored) {
  const Json pod = stored.Parse();
  PodFacts facts;
  facts.version = stored.version;
  facts.node = TextAt(pod, "spec.nodeName");
  facts.phase = TextAt(pod, "status.phase");
  facts.deleting = stored.deleting;
  const Json* const ready = FindCondition(pod, "Ready");
  facts.ready = ready != nullptr && ready->value("status", "") == "True";
  if (facts.ready) facts.ready_since = TimeOf(*ready, "lastTransitionTime");
  facts.created = TimeOf(pod, "metadata.creationTimestamp");
  facts.ended = EndOf(pod);
  facts.controller = ControllerOf(pod);
  facts.controller_uid = TextAt(facts.controller, "uid");
  facts.deletion_cost = AnnotatedNumber(pod, "controller.kubernetes.io/pod-deletion-cost", 0);
  facts.index = AnnotatedNumber(pod, "batch.kubernetes.io/job-completion-index", -1);
  for (const Json& container : ListAt(pod, "status.containerStatuses")) {
    facts.restarts += NumberAt(container, "restartCount");
  }
  facts.is_tracked = HasFinalizer(pod, "batch.kubernetes.io/job-tracking");
  return facts;
}

}  // namespace

Desk::Desk(Store* store, const Catalog* catalog, const Writes* writes, Clock clock)
    : store(store),
      catalog(catalog),
      writes(writes),
      clock(std::move(clock)),
      pods(KindOf("", "pods")) {}

const Served& Desk::KindOf(std::string_view group, std::string_view plural) const {
  // Built-in kinds are as long-lived as the catalog.
  return *catalog->Find(group, "v1", plural);
}

ServedPtr Desk::KindOf(const Json& reference) const {
  const std::string version = reference.value("apiVersion", "");
  const size_t slash = version.find('/');
  return catalog->FindKind(slash == std::string::npos ? "" : version.substr(0, slash),
                           slash == std::string::npos ? version : version.substr(slash + 1),
                           reference.value("kind", ""));
}

Result Desk::Add(const Served& kind, Json object, StoredPtr* made) const {
  std::vector<std::string> warnings;
  StoredPtr stored;
  Result result = writes->Add(kind, std::move(object), /*dry_run=*/false, &warnings, &stored);
  if (made != nullptr) *made = std::move(stored);
  return result;
}

Result Desk::Edit(const Served& kind, const Stored& seen, Part part, const Editing& edit,
                  uint64_t* written) const {
  std::vector<std::string> warnings;
  StoredPtr stored;
  std::string base;
  const auto change = [&](const Json& /*old*/, Json* object) -> Result {
    if (TextAt(*object, "metadata.uid") != seen.uid) {
      return Failure::NotFound(kind.SubjectOf(seen.name.name));
    }
    base = TextAt(*object, "metadata.resourceVersion");
    edit(object);
    // Based on no version: if another writer was faster, it is done again.
    (*object)["metadata"].erase("resourceVersion");
    return std::nullopt;
  };
  auto failure =
      writes->Change(kind, seen.name, part, /*dry_run=*/false, change, &warnings, &stored);
  const bool is_new = !failure && std::to_string(stored->version) != base;
  if (is_new && written != nullptr) *written = stored->version;
  return UnlessGone(std::move(failure));
}

Result Desk::EditStatus(const Served& kind, const Stored& seen, const Json& object,
                        const Editing& edit, uint64_t* written) const {
  Json edited = object;
  edit(&edited);
  if (edited == object) return std::nullopt;
  return Edit(kind, seen, Part::kStatus, edit, written);
}

Result Desk::Erase(const Served& kind, const Stored& seen, Deletion deletion) const {
  deletion.uid = seen.uid;
  StoredPtr last;
  bool gone = false;
  Result result = writes->Erase(kind, seen.name, deletion, &last, &gone);
  // Another object of that name is there.
  if (result && result->code == 409) return std::nullopt;
  return UnlessGone(std::move(result));
}

Result Desk::EraseNow(const Served& kind, const Stored& seen) const {
  Deletion deletion;
  deletion.grace = 0;
  return Erase(kind, seen, deletion);
}

const PodFacts& Desk::FactsOf(const StoredPtr& pod) {
  PodFacts& facts = facts_[pod->uid];
  if (facts.version != pod->version) facts = ReadPod(*pod);
  return facts;
}

std::vector<Pod> Desk::PodsOf(const std::string& uid) {
  std::vector<Pod> found;
  for (StoredPtr& pod : store->OwnedIn(pods.collection, uid)) {
    const PodFacts& facts = FactsOf(pod);
    if (facts.controller_uid == uid) found.push_back({std::move(pod), &facts});
  }
  return found;
}

Json ControllerReference(const Served& kind, const Stored& owner) {
  return {{"apiVersion", kind.GroupVersion()},
          {"kind", kind.kind},
          {"name", owner.name.name},
          {"uid", owner.uid},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

Json ControllerOf(const Json& object) {
  for (const Json& owner : ListAt(object, "metadata.ownerReferences")) {
    if (owner.value("controller", false)) return owner;
  }
  return nullptr;
}

Json PodOfTemplate(const Json& template_, const Stored& owner, const Json& reference) {
  Json pod = {{"metadata",
               {{"namespace", owner.name.namespace_},
                {"generateName", owner.name.name + "-"},
                {"ownerReferences", Json::array({reference})}}},
              {"spec", template_.at("spec")}};
  const Json metadata = template_.value("metadata", Json::object());
  for (const char* key : {"labels", "annotations", "finalizers"}) {
    if (metadata.contains(key)) pod["metadata"][key] = metadata[key];
  }
  return pod;
}

const Json* FindCondition(const Json& object, std::string_view type) {
  for (const Json& condition : ListAt(object, "status.conditions")) {
    if (TextAt(condition, "type") == type) return &condition;
  }
  return nullptr;
}

bool SetCondition(const std::string& now, Json condition, Json* object, bool always) {
  condition["lastTransitionTime"] = now;
  Json& conditions = (*object)["status"]["conditions"];
  if (!conditions.is_array()) conditions = Json::array();
  for (Json& old : conditions) {
    if (old.value("type", "") != condition["type"]) continue;
    const bool is_same = old.value("status", "") == condition["status"];
    const bool is_same_reason = old.value("reason", "") == condition.value("reason", "");
    if (is_same && is_same_reason && !always) return false;
    if (is_same) condition["lastTransitionTime"] = old.value("lastTransitionTime", now);
    old = std::move(condition);
    return true;
  }
  conditions.push_back(std::move(condition));
  return true;
}

void RemoveCondition(std::string_view type, Json* object) {
  const Json* const found = FindCondition(*object, type);
  if (found == nullptr) return;
  Json& conditions = (*object)["status"]["conditions"];
  conditions.erase(static_cast<size_t>(found - &conditions[0]));
  if (conditions.empty()) (*object)["status"].erase("conditions");
}

void SetCount(const char* key, int64_t count, Json* status) {
  status->erase(key);
  if (count != 0) (*status)[key] = count;
}

WallTime TimeOf(const Json& object, std::string_view path) {
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, TextAt(object, path), &time, &error)) return {};
  return absl::ToChronoTime(time);
}

int64_t ScaledValue(const Json& value, int64_t total, bool round_up) {
  if (value.is_number_integer()) return value.get<int64_t>();
  int64_t percent = 0;
  std::string text = value.is_string() ? value.get<std::string>() : "";
  if (text.ends_with('%')) text.pop_back();
  if (!absl::SimpleAtoi(text, &percent)) return 0;
  return (percent * total + (round_up ? 99 : 0)) / 100;
}

bool HasFinalizer(const Json& object, std::string_view finalizer) {
  const Json& finalizers = ListAt(object, "metadata.finalizers");
  return std::find(finalizers.begin(), finalizers.end(), finalizer) != finalizers.end();
}

void RemoveFinalizer(std::string_view finalizer, Json* object) {
  Json kept = Json::array();
  for (const Json& one : ListAt(*object, "metadata.finalizers")) {
    if (one != finalizer) kept.push_back(one);
  }
  (*object)["metadata"].erase("finalizers");
  if (!kept.empty()) (*object)["metadata"]["finalizers"] = std::move(kept);
}

}  // namespace outrigger::apiserver
