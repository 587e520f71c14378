// Jobs: pods until enough of them have succeeded, or too many failed.

#include <algorithm>
#include <set>
#include <utility>

#include "apiserver/controllers/families.h"
#include "apiserver/controllers/index_set.h"
#include "apiserver/controllers/pod_order.h"
#include "apiserver/controllers/reconcilers.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kTracking = "batch.kubernetes.io/job-tracking";
constexpr const char* kIndex = "batch.kubernetes.io/job-completion-index";
constexpr std::chrono::seconds kFirstBackoff{10};
constexpr std::chrono::seconds kLongestBackoff{600};

bool HasTrue(const Json& job, const char* type) {
  const Json* const condition = FindCondition(job, type);
  return condition != nullptr && TextAt(*condition, "status") == "True";
}

// Failures since the last success, by which the next pod is put off.
struct Backoff {
  int64_t failures = 0;
  WallTime last;

  Clock::Duration Left(WallTime now) const {
    if (failures == 0) return Clock::Duration(0);
    const auto delay = kFirstBackoff * (int64_t{1} << std::min<int64_t>(failures - 1, 6));
    return last + std::min<std::chrono::seconds>(delay, kLongestBackoff) - now;
  }
};

// What is kept of a Job from one look to the next.
struct Memory {
  Backoff backoff;
  std::set<std::string> counted;  // UIDs of pods in its status, but with its finalizer
};

// One look at a Job that has not finished.
struct JobLook {
  StoredPtr stored;
  Json object;
  Json edited;  // with the status that it is to have
  std::vector<Pod> pods;
  std::vector<Pod> active;
  std::vector<StoredPtr> ended;  // to be counted now
  int64_t terminating = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
  std::set<int64_t> done;  // indexes

  int64_t Number(const char* path) const { return NumberAt(object, path); }
  bool Has(const char* path) const { return ValueAt(object, path) != nullptr; }
  bool is_suspended() const { return IsTrueAt(object, "spec.suspend"); }
  bool is_indexed() const { return TextAt(object, "spec.completionMode") == "Indexed"; }
  // A pod that is being deleted is neither replaced nor counted before it has ended.
  bool waits_for_end() const { return TextAt(object, "spec.podReplacementPolicy") == "Failed"; }
};

class Jobs : public Reconciler {
 public:
  Jobs(Desk* desk, WorkQueue* queue)
      : Reconciler(desk, queue),
        kind_(desk->KindOf("batch", "jobs")),
        families_(this, desk, kind_, desk->pods, /*adopts=*/false) {}

  std::vector<const Collection*> Watched() const override {
    return {kind_.collection, desk_.pods.collection};
  }
  void See(const Change& change) override;
  Result Sync(const Collection& collection, const ObjectName& name) override;

 private:
  Result ReleaseOrphan(const StoredPtr& pod);
  Result Release(const Stored& pod) const;
  Result SyncFinished(const Stored& job, const Json& object);
  void CountPods(JobLook* look, Memory* memory) const;
  void Decide(JobLook* look);
  Result Manage(JobLook* look, const Backoff& backoff);
  Result Remove(JobLook* look, size_t count) const;
  Result Create(const JobLook& look, int64_t count) const;
  Result Fail(JobLook* look) const;
  void Conclude(JobLook* look) const;
  void SetSuspended(JobLook* look) const;
  void Condition(JobLook* look, const char* type, const char* status, const std::string& reason,
                 const std::string& message) const;
  Result WriteStatus(JobLook* look, Memory* memory) const;

  const Served& kind_;
  Families families_;
  std::map<std::string, Memory> memories_;  // by UID
};

void Jobs::See(const Change& change) {
  families_.See(change);
  const Stored& now = *change.now;
  if (change.collection == kind_.collection) {
    if (change.kind != Change::Kind::kDeleted) return;
    memories_.erase(now.uid);
    for (const StoredPtr& pod : desk_.store->OwnedIn(desk_.pods.collection, now.uid)) {
      Look(desk_.pods.collection, pod->name);
    }
    return;
  }
  const bool has_lost = change.before != nullptr && change.before->owners != now.owners;
  const bool is_lost = change.kind == Change::Kind::kAdded && !now.owners.empty() &&
                       !desk_.store->HasUid(now.owners[0]);
  if (has_lost || is_lost) Look(change.collection, now.name);
}

Result Jobs::Release(const Stored& pod) const {
  return desk_.Edit(desk_.pods, pod, Part::kMain,
                    [](Json* object) { RemoveFinalizer(kTracking, object); });
}

Result Jobs::ReleaseOrphan(const StoredPtr& pod) {
  const PodFacts& facts = desk_.FactsOf(pod);
  if (!facts.is_tracked) return std::nullopt;
  const Json& owner = facts.controller;
  const bool has_job = owner.is_object() && owner.value("kind", "") == kind_.kind &&
                       desk_.store->HasUid(owner.value("uid", ""));
  return has_job ? std::nullopt : Release(*pod);
}

Result Jobs::Sync(const Collection& collection, const ObjectName& name) {
  const StoredPtr stored = desk_.store->Get(collection, name);
  if (stored == nullptr) return std::nullopt;
  if (&collection == desk_.pods.collection) return ReleaseOrphan(stored);
  JobLook look;
  look.stored = stored;
  look.object = stored->Parse();
  const std::string& manager = TextAt(look.object, "spec.managedBy");
  if (!manager.empty() && manager != "kubernetes.io/job-controller") return std::nullopt;
  if (HasTrue(look.object, "Complete") || HasTrue(look.object, "Failed")) {
    return SyncFinished(*stored, look.object);
  }
  look.edited = look.object;
  Memory& memory = memories_[stored->uid];
  CountPods(&look, &memory);
  if (!look.is_suspended() && !look.Has("status.startTime")) {
    look.edited["status"]["startTime"] = desk_.now_text();
  }
  Decide(&look);
  Result failed;
  if (HasTrue(look.edited, "FailureTarget")) {
    failed = Fail(&look);
  } else {
    if (!stored->deleting) failed = Manage(&look, memory.backoff);
    Conclude(&look);
  }
  if (auto failure = WriteStatus(&look, &memory)) return failure;
  return failed;
}

// Nothing but its end is left: pods that were not released, and the Job itself.
Result Jobs::SyncFinished(const Stored& job, const Json& object) {
  for (const Pod& pod : desk_.PodsOf(job.uid)) {
    if (!pod.facts->is_tracked) continue;
    if (auto failure = Release(*pod.stored)) return failure;
  }
  const Json* const ttl = ValueAt(object, "spec.ttlSecondsAfterFinished");
  if (ttl == nullptr || job.deleting) return std::nullopt;
  const Json* ended = FindCondition(object, "Complete");
  if (ended == nullptr) ended = FindCondition(object, "Failed");
  const auto left = TimeOf(*ended, "lastTransitionTime") +
                    std::chrono::seconds(ttl->get<int64_t>()) - desk_.wall();
  if (left > std::chrono::seconds(0)) {
    LookAfter(kind_.collection, job.name, left);
    return std::nullopt;
  }
  Deletion deletion;
  deletion.propagation = "Foreground";
  return desk_.Erase(kind_, job, deletion);
}

void Jobs::CountPods(JobLook* look, Memory* memory) const {
  look->pods = desk_.PodsOf(look->stored->uid);
  look->succeeded = look->Number("status.succeeded");
  look->failed = look->Number("status.failed");
  look->done = ReadIndexes(TextAt(look->object, "status.completedIndexes"));
  WallTime last_success;
  std::vector<WallTime> failures;
  for (const Pod& pod : look->pods) {
    const PodFacts& facts = *pod.facts;
    const bool succeeded = facts.phase == "Succeeded";
    if (facts.IsActive()) look->active.push_back(pod);
    if (facts.deleting && !facts.IsFinished()) ++look->terminating;
    const bool has_ended = facts.IsFinished() || (facts.deleting && !look->waits_for_end());
    if (!facts.is_tracked || !has_ended) continue;
    look->ended.push_back(pod.stored);
    if (memory->counted.contains(pod.stored->uid)) continue;
    (succeeded ? look->succeeded : look->failed) += 1;
    if (succeeded && facts.index >= 0 && facts.index < look->Number("spec.completions")) {
      look->done.insert(facts.index);
    }
    if (succeeded) last_success = std::max(last_success, facts.ended);
    if (!succeeded) failures.push_back(std::min(facts.ended, desk_.wall()));
  }
  if (look->is_indexed()) look->succeeded = static_cast<int64_t>(look->done.size());
  if (last_success != WallTime()) memory->backoff = {};
  for (const WallTime failure : failures) {
    if (failure <= last_success) continue;
    ++memory->backoff.failures;
    memory->backoff.last = std::max(memory->backoff.last, failure);
  }
}

// Whether the Job has failed.
void Jobs::Decide(JobLook* look) {
  if (HasTrue(look->object, "SuccessCriteriaMet") || HasTrue(look->object, "FailureTarget")) return;
  const Json* const given = ValueAt(look->object, "spec.backoffLimit");
  const int64_t limit = given == nullptr ? 6 : given->get<int64_t>();
  int64_t restarts = 0;
  for (const Pod& pod : look->active) restarts += pod.facts->restarts;
  const bool restarts_in_place =
      TextAt(look->object, "spec.template.spec.restartPolicy") == "OnFailure";
  if (look->failed > limit || (restarts_in_place && restarts > 0 && restarts >= limit)) {
    return Condition(look, "FailureTarget", "True", "BackoffLimitExceeded",
                     "Job has reached the specified backoff limit");
  }
  if (!look->Has("spec.activeDeadlineSeconds") || look->is_suspended()) return;
  const auto left = TimeOf(look->edited, "status.startTime") +
                    std::chrono::seconds(look->Number("spec.activeDeadlineSeconds")) - desk_.wall();
  if (left > std::chrono::seconds(0)) return LookAfter(kind_.collection, look->stored->name, left);
  Condition(look, "FailureTarget", "True", "DeadlineExceeded",
            "Job was active longer than specified deadline");
}

Result Jobs::Manage(JobLook* look, const Backoff& backoff) {
  const auto active = static_cast<int64_t>(look->active.size());
  if (look->is_suspended()) return Remove(look, look->active.size());
  int64_t wanted = look->Number("spec.parallelism");
  if (look->Has("spec.completions")) {
    wanted =
        std::min(wanted, std::max<int64_t>(look->Number("spec.completions") - look->succeeded, 0));
  } else if (look->succeeded > 0) {
    wanted = active;
  }
  if (active > wanted) {
    SortToDelete(&look->active);
    return Remove(look, static_cast<size_t>(std::min(active - wanted, kMostPodsPerLook)));
  }
  const int64_t missing = wanted - active - (look->waits_for_end() ? look->terminating : 0);
  if (missing <= 0) return std::nullopt;
  const auto left = backoff.Left(desk_.wall());
  if (left > Clock::Duration(0)) {
    LookAfter(kind_.collection, look->stored->name, left);
    return std::nullopt;
  }
  return Create(*look, std::min(missing, kMostPodsPerLook));
}

// The first of the active pods, which do not count: they are not the Job's any more.
Result Jobs::Remove(JobLook* look, size_t count) const {
  for (size_t i = 0; i < count; ++i) {
    const Stored& pod = *look->active[i].stored;
    if (auto failure = Release(pod)) return failure;
    if (auto failure = desk_.Erase(desk_.pods, pod)) return failure;
  }
  look->active.erase(look->active.begin(), look->active.begin() + static_cast<ptrdiff_t>(count));
  return std::nullopt;
}

void SetIndex(const std::string& job, int64_t index, Json* pod) {
  const std::string text = std::to_string(index);
  Json& metadata = (*pod)["metadata"];
  metadata["generateName"] = fmt::format("{}-{}-", job, index);
  metadata["annotations"][kIndex] = text;
  metadata["labels"][kIndex] = text;
  if (TextAt(*pod, "spec.hostname").empty()) {
    (*pod)["spec"]["hostname"] = fmt::format("{}-{}", job, index);
  }
  const std::string path = fmt::format("metadata.labels['{}']", kIndex);
  for (const char* list : {"containers", "initContainers"}) {
    if (!(*pod)["spec"].contains(list)) continue;
    for (Json& container : (*pod)["spec"][list]) {
      Json& env = container["env"];
      if (!env.is_array()) env = Json::array();
      env.push_back({{"name", "JOB_COMPLETION_INDEX"},
                     {"valueFrom", {{"fieldRef", {{"apiVersion", "v1"}, {"fieldPath", path}}}}}});
    }
  }
}

Result Jobs::Create(const JobLook& look, int64_t count) const {
  Json pod = PodOfTemplate(look.object["spec"]["template"], *look.stored,
                           ControllerReference(kind_, *look.stored));
  Json& finalizers = pod["metadata"]["finalizers"];
  if (!finalizers.is_array()) finalizers = Json::array();
  finalizers.push_back(kTracking);
  std::set<int64_t> taken = look.done;
  for (const Pod& one : look.pods) {
    const bool counts = one.facts->IsActive() || (look.waits_for_end() && one.facts->deleting);
    if (counts) taken.insert(one.facts->index);
  }
  int64_t index = 0;
  for (int64_t i = 0; i < count; ++i) {
    Json made = pod;
    if (look.is_indexed()) {
      while (taken.contains(index)) ++index;
      if (index >= look.Number("spec.completions")) break;
      SetIndex(look.stored->name.name, index++, &made);
    }
    if (auto failure = desk_.Add(desk_.pods, std::move(made))) return failure;
  }
  return std::nullopt;
}

// It has failed once all of its pods have ended.
Result Jobs::Fail(JobLook* look) const {
  for (const Pod& pod : look->active) {
    if (auto failure = desk_.Erase(desk_.pods, *pod.stored)) return failure;
  }
  if (!look->active.empty() || look->terminating > 0) return std::nullopt;
  const Json target = *FindCondition(look->edited, "FailureTarget");
  Condition(look, "Failed", "True", TextAt(target, "reason"), TextAt(target, "message"));
  return std::nullopt;
}

void Jobs::Conclude(JobLook* look) const {
  const bool is_enough = look->Has("spec.completions")
                             ? look->succeeded >= look->Number("spec.completions")
                             : look->succeeded > 0;
  if (!is_enough || !look->active.empty()) return SetSuspended(look);
  const char* const reason = "CompletionsReached";
  const char* const message = "Reached expected number of succeeded pods";
  Condition(look, "SuccessCriteriaMet", "True", reason, message);
  if (look->terminating > 0) return;
  Condition(look, "Complete", "True", reason, message);
  look->edited["status"]["completionTime"] = desk_.now_text();
}

void Jobs::SetSuspended(JobLook* look) const {
  const bool was = HasTrue(look->object, "Suspended");
  if (look->is_suspended() == was) return;
  if (was) {
    Condition(look, "Suspended", "False", "JobResumed", "Job resumed");
    look->edited["status"]["startTime"] = desk_.now_text();
  } else {
    Condition(look, "Suspended", "True", "JobSuspended", "Job suspended");
    look->edited["status"].erase("startTime");
  }
}

void Jobs::Condition(JobLook* look, const char* type, const char* status, const std::string& reason,
                     const std::string& message) const {
  const std::string now = desk_.now_text();
  SetCondition(now,
               {{"type", type},
                {"status", status},
                {"reason", reason},
                {"message", message},
                {"lastProbeTime", now}},
               &look->edited);
}

// First the counts, then the finalizers: a pod that is gone has been counted.
Result Jobs::WriteStatus(JobLook* look, Memory* memory) const {
  Json& status = look->edited["status"];
  const bool has_failed = HasTrue(look->edited, "Failed");
  int64_t ready = 0;
  for (const Pod& pod : look->active) ready += pod.facts->ready ? 1 : 0;
  SetCount("active", has_failed ? 0 : static_cast<int64_t>(look->active.size()), &status);
  SetCount("succeeded", look->succeeded, &status);
  SetCount("failed", look->failed, &status);
  status["ready"] = ready;
  status["terminating"] = look->terminating;
  if (!look->done.empty()) status["completedIndexes"] = IndexText(look->done);
  if (!status.contains("uncountedTerminatedPods")) {
    status["uncountedTerminatedPods"] = Json::object();
  }
  const auto edit = [&](Json* object) { (*object)["status"] = status; };
  if (auto failure = desk_.EditStatus(kind_, *look->stored, look->object, edit)) return failure;
  for (const StoredPtr& pod : look->ended) memory->counted.insert(pod->uid);
  for (const StoredPtr& pod : look->ended) {
    if (auto failure = Release(*pod)) return failure;
    memory->counted.erase(pod->uid);
  }
  return std::nullopt;
}

}  // namespace

ReconcilerPtr MakeJobs(Desk* desk, WorkQueue* queue) {
  return std::make_unique<Jobs>(desk, queue);
}

}  // namespace outrigger::apiserver
