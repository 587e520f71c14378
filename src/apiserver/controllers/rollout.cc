#include "apiserver/controllers/rollout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kHashLabel = "pod-template-hash";
constexpr const char* kRevision = "deployment.kubernetes.io/revision";
constexpr const char* kHistory = "deployment.kubernetes.io/revision-history";
constexpr const char* kDesired = "deployment.kubernetes.io/desired-replicas";
constexpr const char* kMax = "deployment.kubernetes.io/max-replicas";
constexpr const char* kNotCopied[] = {kRevision,
                                      kHistory,
                                      kDesired,
                                      kMax,
                                      "kubectl.kubernetes.io/last-applied-configuration",
                                      "deprecated.deployment.rollback.to"};

std::string AnnotationOf(const Json& object, const char* key) {
  const Json* const annotations = ValueAt(object, "metadata.annotations");
  return annotations == nullptr ? "" : annotations->value(key, "");
}

int64_t AnnotatedCount(const Json& object, const char* key, int64_t otherwise) {
  int64_t count = 0;
  return absl::SimpleAtoi(AnnotationOf(object, key), &count) ? count : otherwise;
}

// A template as users write it.
Json WithoutHash(Json template_) {
  const auto metadata = template_.find("metadata");
  if (metadata == template_.end() || !metadata->contains("labels")) return template_;
  (*metadata)["labels"].erase(kHashLabel);
  return template_;
}

// FNV-1a, in characters that make no words.
std::string HashOf(const Json& template_, int64_t collisions) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  uint32_t hash = 2166136261U;
  for (const char c : fmt::format("{}{}", template_.dump(), collisions)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  std::string text = std::to_string(hash);
  for (char& c : text) c = kAlphabet[static_cast<unsigned char>(c) % kAlphabet.size()];
  return text;
}

std::optional<std::chrono::seconds> DeadlineOf(const Json& deployment) {
  const Json* const deadline = ValueAt(deployment, "spec.progressDeadlineSeconds");
  if (deadline == nullptr || *deadline == std::numeric_limits<int32_t>::max()) return std::nullopt;
  return std::chrono::seconds(deadline->get<int64_t>());
}

std::string ReasonOfProgress(const Json& deployment) {
  const Json* const condition = FindCondition(deployment, "Progressing");
  return condition == nullptr ? "" : TextAt(*condition, "reason");
}

Json FieldOr(const Json& object, std::string_view path, const Json& otherwise) {
  const Json* const value = ValueAt(object, path);
  return value == nullptr ? otherwise : *value;
}

}  // namespace

Rollout::Rollout(Desk* desk, StoredPtr deployment)
    : desk_(*desk),
      deployments_(desk->KindOf("apps", "deployments")),
      sets_(desk->KindOf("apps", "replicasets")),
      stored_(std::move(deployment)),
      object_(stored_->Parse()),
      edited_(object_),
      want_(NumberAt(object_, "spec.replicas")) {
  if (TextAt(object_, "spec.strategy.type") == "Recreate") return;
  const char* const kPath = "spec.strategy.rollingUpdate.";
  const auto limit = [&](const char* key, bool round_up) {
    return ScaledValue(FieldOr(object_, fmt::format("{}{}", kPath, key), "25%"), want_, round_up);
  };
  surge_ = limit("maxSurge", /*round_up=*/true);
  unavailable_ = limit("maxUnavailable", /*round_up=*/false);
  // One of them has to move.
  if (surge_ == 0 && unavailable_ == 0) unavailable_ = 1;
  unavailable_ = std::min(unavailable_, want_);
}

void Rollout::ReadSets() {
  for (StoredPtr& stored : desk_.store->OwnedIn(sets_.collection, stored_->uid)) {
    Set set{.stored = stored, .object = stored->Parse()};
    const Json controller = ControllerOf(set.object);
    if (!controller.is_object() || controller["uid"] != stored_->uid) continue;
    set.want = NumberAt(set.object, "spec.replicas");
    set.available = NumberAt(set.object, "status.availableReplicas");
    set.revision = AnnotatedCount(set.object, kRevision, 0);
    all_.push_back(std::move(set));
  }
  std::stable_sort(all_.begin(), all_.end(), [](const Set& a, const Set& b) {
    return TextAt(a.object, "metadata.creationTimestamp") <
           TextAt(b.object, "metadata.creationTimestamp");
  });
}

Result Rollout::Run() {
  ReadSets();
  if (stored_->deleting) return WriteStatus(/*estimates=*/false);
  NotePause();
  if (auto failure = FindNewest(/*create=*/false)) return failure;
  const bool is_paused = IsTrueAt(object_, "spec.paused");
  if (is_paused || IsScaled()) {
    if (auto failure = Scale()) return failure;
    if (is_paused) {
      if (auto failure = Cleanup()) return failure;
    }
    return WriteStatus(/*estimates=*/false);
  }
  return TextAt(object_, "spec.strategy.type") == "Recreate" ? Recreate() : Roll();
}

void Rollout::NotePause() {
  const std::string reason = ReasonOfProgress(object_);
  if (!DeadlineOf(object_) || reason == "ProgressDeadlineExceeded") return;
  if (IsTrueAt(object_, "spec.paused")) {
    SetProgress("Unknown", "DeploymentPaused", "Deployment is paused");
  } else if (reason == "DeploymentPaused") {
    SetProgress("Unknown", "DeploymentResumed", "Deployment is resumed");
  }
}

void Rollout::SetProgress(const char* status, const char* reason, const std::string& message,
                          bool always) {
  const std::string now = desk_.now_text();
  SetCondition(now,
               {{"type", "Progressing"},
                {"status", status},
                {"reason", reason},
                {"message", message},
                {"lastUpdateTime", now}},
               &edited_, always);
}

// The oldest of the ReplicaSets with the Deployment's template; its revision is the highest.
Result Rollout::FindNewest(bool create) {
  const Json template_ = WithoutHash(object_["spec"]["template"]);
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const Set& set) {
    return WithoutHash(set.object["spec"]["template"]) == template_;
  });
  newest_ = found == all_.end() ? nullptr : &*found;
  int64_t highest = 0;
  for (const Set& set : all_) {
    if (&set != newest_) highest = std::max(highest, set.revision);
  }
  if (newest_ != nullptr) return AdoptRevision(highest + 1);
  return create ? Create(highest + 1) : std::nullopt;
}

void Rollout::CopyAnnotations(int64_t revision, Json* set) const {
  const std::string before = AnnotationOf(*set, kRevision);
  Json& annotations = (*set)["metadata"]["annotations"];
  const Json given = FieldOr(object_, "metadata.annotations", Json::object());
  for (const auto& [key, value] : given.items()) {
    const bool copied =
        std::find(std::begin(kNotCopied), std::end(kNotCopied), key) == std::end(kNotCopied);
    if (copied) annotations[key] = value;
  }
  if (AnnotatedCount(*set, kRevision, 0) >= revision) return;
  annotations[kRevision] = std::to_string(revision);
  if (before.empty()) return;
  const std::string history = annotations.value(kHistory, "");
  annotations[kHistory] = history.empty() ? before : history + "," + before;
}

Result Rollout::AdoptRevision(int64_t revision) {
  const int64_t min_ready = NumberAt(object_, "spec.minReadySeconds");
  const auto edit = [&](Json* set) {
    CopyAnnotations(revision, set);
    SetCount("minReadySeconds", min_ready, &(*set)["spec"]);
  };
  Json updated = newest_->object;
  edit(&updated);
  if (updated != newest_->object) {
    if (auto failure = desk_.Edit(sets_, *newest_->stored, Part::kMain, edit)) return failure;
    newest_->object = std::move(updated);
  }
  edited_["metadata"]["annotations"][kRevision] = AnnotationOf(newest_->object, kRevision);
  if (DeadlineOf(object_) && FindCondition(edited_, "Progressing") == nullptr) {
    SetProgress("True", "FoundNewReplicaSet",
                fmt::format("Found new replica set \"{}\"", newest_->stored->name.name));
  }
  return std::nullopt;
}

Result Rollout::Create(int64_t revision) {
  Json template_ = object_["spec"]["template"];
  const std::string hash = HashOf(template_, NumberAt(edited_, "status.collisionCount"));
  template_["metadata"]["labels"][kHashLabel] = hash;
  Json selector = object_["spec"]["selector"];
  selector["matchLabels"][kHashLabel] = hash;
  const std::string name =
      fmt::format("{}-{}", stored_->name.name.substr(0, 252 - hash.size()), hash);
  Set made;
  made.want = std::min(want_, std::max<int64_t>(want_ + surge_ - Sum(&Set::want), 0));
  made.revision = revision;
  made.object = {
      {"metadata",
       {{"namespace", stored_->name.namespace_},
        {"name", name},
        {"labels", template_["metadata"]["labels"]},
        {"annotations",
         {{kDesired, std::to_string(want_)}, {kMax, std::to_string(want_ + surge_)}}},
        {"ownerReferences", Json::array({ControllerReference(deployments_, *stored_)})}}},
      {"spec", {{"replicas", made.want}, {"selector", selector}, {"template", template_}}}};
  SetCount("minReadySeconds", NumberAt(object_, "spec.minReadySeconds"), &made.object["spec"]);
  CopyAnnotations(revision, &made.object);
  if (auto failure = desk_.Add(sets_, made.object, &made.stored)) {
    return NoteRefusal(name, *std::move(failure));
  }
  all_.push_back(std::move(made));
  newest_ = &all_.back();
  edited_["metadata"]["annotations"][kRevision] = std::to_string(revision);
  if (DeadlineOf(object_)) {
    SetProgress("True", "NewReplicaSetCreated",
                fmt::format("Created new replica set \"{}\"", name));
  }
  return std::nullopt;
}

Failure Rollout::NoteRefusal(const std::string& name, Failure failure) {
  if (failure.reason == "AlreadyExists") {
    // Another template has this hash.
    edited_["status"]["collisionCount"] = NumberAt(edited_, "status.collisionCount") + 1;
  } else if (DeadlineOf(object_)) {
    SetProgress("False", "ReplicaSetCreateError",
                fmt::format("Failed to create new replica set \"{}\": {}", name, failure.message));
  }
  (void)WriteStatus(/*estimates=*/false);
  return failure;
}

int64_t Rollout::Sum(int64_t Set::*field) const {
  int64_t sum = 0;
  for (const Set& set : all_) sum += set.*field;
  return sum;
}

Result Rollout::SetReplicas(Set* set, int64_t replicas) {
  const std::string desired = std::to_string(want_);
  const std::string most = std::to_string(want_ + surge_);
  if (set->want == replicas && AnnotationOf(set->object, kDesired) == desired &&
      AnnotationOf(set->object, kMax) == most) {
    return std::nullopt;
  }
  set->want = replicas;
  return desk_.Edit(sets_, *set->stored, Part::kMain, [&](Json* object) {
    (*object)["spec"]["replicas"] = replicas;
    (*object)["metadata"]["annotations"][kDesired] = desired;
    (*object)["metadata"]["annotations"][kMax] = most;
  });
}

// The Deployment's size was changed since its active ReplicaSets got theirs.
bool Rollout::IsScaled() const {
  return std::any_of(all_.begin(), all_.end(), [&](const Set& set) {
    return set.want > 0 && AnnotatedCount(set.object, kDesired, want_) != want_;
  });
}

Result Rollout::Scale() {
  std::vector<Set*> active;
  for (Set& set : all_) {
    if (set.want > 0) active.push_back(&set);
  }
  if (active.size() <= 1) {
    if (all_.empty()) return std::nullopt;
    Set* const latest = newest_ != nullptr ? newest_ : &all_.back();
    return SetReplicas(active.empty() ? latest : active[0], want_);
  }
  const bool is_saturated = newest_ != nullptr && newest_->want == want_ &&
                            newest_->available == want_ &&
                            AnnotatedCount(newest_->object, kDesired, -1) == want_;
  if (!is_saturated) return ScaleInProportion(std::move(active));
  for (Set* set : active) {
    if (set == newest_) continue;
    if (auto failure = SetReplicas(set, 0)) return failure;
  }
  return std::nullopt;
}

// The larger first, which also gets the rest; of two of one size the newer grows first.
Result Rollout::ScaleInProportion(std::vector<Set*> active) {
  const int64_t allowed = want_ > 0 ? want_ + surge_ : 0;
  const int64_t to_add = allowed - Sum(&Set::want);
  if (to_add > 0) std::reverse(active.begin(), active.end());
  std::stable_sort(active.begin(), active.end(),
                   [](const Set* a, const Set* b) { return a->want > b->want; });
  std::vector<int64_t> sizes;
  int64_t added = 0;
  for (const Set* set : active) {
    const int64_t before = AnnotatedCount(set->object, kMax, 0);
    const int64_t base = before > 0 ? before : NumberAt(object_, "status.replicas");
    const double exact =
        base == 0 ? static_cast<double>(set->want)
                  : static_cast<double>(set->want * (want_ + surge_)) / static_cast<double>(base);
    int64_t part = want_ == 0 ? -set->want : std::lround(exact) - set->want;
    part = to_add >= 0 ? std::min(part, to_add - added) : std::max(part, to_add - added);
    added += part;
    sizes.push_back(set->want + part);
  }
  sizes[0] = std::max<int64_t>(0, sizes[0] + to_add - added);
  for (size_t i = 0; i < active.size(); ++i) {
    if (auto failure = SetReplicas(active[i], sizes[i])) return failure;
  }
  return std::nullopt;
}

int64_t Rollout::NewReplicas() const {
  if (newest_->want >= want_) return want_;
  const int64_t room = want_ + surge_ - Sum(&Set::want);
  return newest_->want + std::clamp<int64_t>(room, 0, want_ - newest_->want);
}

Result Rollout::Roll() {
  if (newest_ == nullptr) {
    if (auto failure = FindNewest(/*create=*/true)) return failure;
  }
  const int64_t replicas = NewReplicas();
  bool scaled = replicas != newest_->want;
  auto failure = scaled ? SetReplicas(newest_, replicas) : ScaleDownOld(&scaled);
  if (failure) return failure;
  if (!scaled && IsComplete(object_["status"])) {
    if (auto left = Cleanup()) return left;
  }
  return WriteStatus(/*estimates=*/true);
}

// First pods that are not available, which cost nothing; then as many as may be missing.
Result Rollout::ScaleDownOld(bool* scaled) {
  const int64_t min_available = want_ - unavailable_;
  int64_t unhealthy = Sum(&Set::want) - min_available - (newest_->want - newest_->available);
  if (unhealthy <= 0) return std::nullopt;
  int64_t healthy = Sum(&Set::available) - min_available;
  for (Set& set : all_) {
    if (&set == newest_ || set.want == 0) continue;
    const int64_t idle = std::clamp<int64_t>(set.want - set.available, 0, unhealthy);
    const int64_t busy = std::clamp<int64_t>(healthy, 0, set.want - idle);
    unhealthy -= idle;
    healthy -= busy;
    if (idle + busy == 0) continue;
    *scaled = true;
    if (auto failure = SetReplicas(&set, set.want - idle - busy)) return failure;
  }
  return std::nullopt;
}

Result Rollout::Recreate() {
  bool scaled = false;
  bool& runs = waits_for_pods_;
  for (Set& set : all_) {
    if (&set == newest_) continue;
    for (const Pod& pod : desk_.PodsOf(set.stored->uid)) runs |= !pod.facts->IsFinished();
    if (set.want == 0) continue;
    scaled = true;
    if (auto failure = SetReplicas(&set, 0)) return failure;
  }
  if (!scaled && !runs) {
    if (newest_ == nullptr) {
      if (auto failure = FindNewest(/*create=*/true)) return failure;
    }
    if (auto failure = SetReplicas(newest_, want_)) return failure;
    if (IsComplete(object_["status"])) {
      if (auto failure = Cleanup()) return failure;
    }
  }
  return WriteStatus(/*estimates=*/true);
}

// Old ReplicaSets beyond the history that is kept, the oldest revision first.
Result Rollout::Cleanup() {
  std::vector<const Set*> old;
  for (const Set& set : all_) {
    if (&set != newest_ && !set.stored->deleting) old.push_back(&set);
  }
  const int64_t keep = FieldOr(object_, "spec.revisionHistoryLimit", 10).get<int64_t>();
  std::stable_sort(old.begin(), old.end(),
                   [](const Set* a, const Set* b) { return a->revision < b->revision; });
  for (size_t i = 0; static_cast<int64_t>(i) + keep < static_cast<int64_t>(old.size()); ++i) {
    const Json& object = old[i]->object;
    if (old[i]->want != 0 || NumberAt(object, "status.replicas") != 0) continue;
    if (NumberAt(object, "metadata.generation") > NumberAt(object, "status.observedGeneration")) {
      continue;
    }
    if (auto failure = desk_.Erase(sets_, *old[i]->stored)) return failure;
  }
  return std::nullopt;
}

int64_t Rollout::SumOfStatus(const char* key) const {
  int64_t sum = 0;
  for (const Set& set : all_) sum += NumberAt(set.object, fmt::format("status.{}", key));
  return sum;
}

bool Rollout::IsComplete(const Json& status) const {
  return NumberAt(status, "updatedReplicas") == want_ && NumberAt(status, "replicas") == want_ &&
         NumberAt(status, "availableReplicas") == want_ &&
         NumberAt(status, "observedGeneration") >= NumberAt(object_, "metadata.generation");
}

Result Rollout::WriteStatus(bool estimates) {
  Json& status = edited_["status"];
  const int64_t available = Sum(&Set::available);
  const bool is_available = available >= want_ - unavailable_;
  status["observedGeneration"] = NumberAt(object_, "metadata.generation");
  SetCount("replicas", SumOfStatus("replicas"), &status);
  SetCount("updatedReplicas", newest_ == nullptr ? 0 : NumberAt(newest_->object, "status.replicas"),
           &status);
  SetCount("readyReplicas", SumOfStatus("readyReplicas"), &status);
  SetCount("availableReplicas", available, &status);
  SetCount("unavailableReplicas", std::max<int64_t>(Sum(&Set::want) - available, 0), &status);
  status["terminatingReplicas"] = SumOfStatus("terminatingReplicas");
  const std::string now = desk_.now_text();
  SetCondition(
      now,
      {{"type", "Available"},
       {"status", is_available ? "True" : "False"},
       {"reason", is_available ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable"},
       {"message", is_available ? "Deployment has minimum availability."
                                : "Deployment does not have minimum availability."},
       {"lastUpdateTime", now}},
      &edited_);
  if (estimates) {
    TakeFailures();
    EstimateProgress();
  }
  return desk_.EditStatus(deployments_, *stored_, object_, [&](Json* object) {
    (*object)["status"] = edited_["status"];
    const std::string revision = AnnotationOf(edited_, kRevision);
    if (!revision.empty()) (*object)["metadata"]["annotations"][kRevision] = revision;
  });
}

// The newest ReplicaSet's failure, else another's.
void Rollout::TakeFailures() {
  const Json* failed = nullptr;
  for (const Set& set : all_) {
    const Json* const condition = FindCondition(set.object, "ReplicaFailure");
    if (condition != nullptr && (failed == nullptr || &set == newest_)) failed = condition;
  }
  if (failed == nullptr) return RemoveCondition("ReplicaFailure", &edited_);
  Json copy = *failed;
  copy["lastUpdateTime"] = desk_.now_text();
  SetCondition(desk_.now_text(), std::move(copy), &edited_);
}

// More pods are new, ready or available than in the status before, or fewer are old.
bool Rollout::HasProgressed() const {
  const auto count = [](const Json& object, const char* key) {
    return NumberAt(object, fmt::format("status.{}", key));
  };
  const auto old_pods = [&](const Json& object) {
    return count(object, "replicas") - count(object, "updatedReplicas");
  };
  const auto has_more = [&](const char* key) { return count(edited_, key) > count(object_, key); };
  return has_more("updatedReplicas") || has_more("readyReplicas") ||
         has_more("availableReplicas") || old_pods(edited_) < old_pods(object_);
}

void Rollout::EstimateProgress() {
  const auto deadline = DeadlineOf(object_);
  if (!deadline) return RemoveCondition("Progressing", &edited_);
  const std::string reason = ReasonOfProgress(edited_);
  const Json& status = edited_["status"];
  const bool is_available = reason == "NewReplicaSetAvailable";
  if (is_available && NumberAt(status, "replicas") == NumberAt(status, "updatedReplicas")) return;
  const std::string subject = newest_ == nullptr
                                  ? fmt::format("Deployment \"{}\"", stored_->name.name)
                                  : fmt::format("ReplicaSet \"{}\"", newest_->stored->name.name);
  if (IsComplete(status)) {
    return SetProgress("True", "NewReplicaSetAvailable", subject + " has successfully progressed.");
  }
  if (HasProgressed()) {
    SetProgress("True", "ReplicaSetUpdated", subject + " is progressing.", /*always=*/true);
  } else if (reason == "ProgressDeadlineExceeded") {
    return;
  }
  const Json* const condition = FindCondition(edited_, "Progressing");
  if (condition == nullptr) return;
  const auto left = TimeOf(*condition, "lastUpdateTime") + *deadline - desk_.wall();
  if (!is_available && left <= std::chrono::seconds(0)) {
    return SetProgress("False", "ProgressDeadlineExceeded",
                       subject + " has timed out progressing.");
  }
  next_ = left;
}

}  // namespace outrigger::apiserver
