// Jobs: pods until enough of them have succeeded, or too many failed. A pod has a finalizer until
// it is counted.

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "apiserver/controllers/owners.h"
#include "apiserver/select/cells.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr std::chrono::seconds kFirstBackoff{10};
constexpr int64_t kMostDoublings = 6;  // ten minutes

constexpr Condition kFailing = {"FailureTarget", "True", "BackoffLimitExceeded",
                                "Job has reached the specified backoff limit"};
constexpr Condition kFailed = {"Failed", "True", "BackoffLimitExceeded",
                               "Job has reached the specified backoff limit"};
constexpr Condition kComplete = {"Complete", "True", "CompletionsReached",
                                 "Reached expected number of succeeded pods"};
constexpr Condition kSuspended = {"Suspended", "True", "JobSuspended", "Job suspended"};
constexpr Condition kResumed = {"Suspended", "False", "JobResumed", "Job resumed"};

// One look at a Job.
struct JobLook {
  StoredPtr stored;
  Json object;
  Json edited;  // with the status that it is to have
  std::vector<Pod> active;
  int64_t terminating = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
  std::set<int64_t> done;  // indexes

  int64_t Number(const char* path) const { return NumberAt(object, path); }
  bool Has(const char* path) const { return ValueAt(object, path) != nullptr; }
  bool is_suspended() const { return IsTrueAt(object, "spec.suspend"); }
  bool is_indexed() const { return TextAt(object, "spec.completionMode") == "Indexed"; }
};

// "0,2-5"; none beyond `most`, nor beyond what upstream lets an Indexed Job have at once.
std::set<int64_t> ReadIndexes(const std::string& text, int64_t most) {
  most = std::min<int64_t>(most, 100'000);
  std::set<int64_t> indexes;
  const std::vector<std::string> ranges = absl::StrSplit(text, ',', absl::SkipEmpty());
  for (const std::string& range : ranges) {
    const std::vector<std::string> ends = absl::StrSplit(range, '-');
    const int64_t last = std::strtoll(ends.back().c_str(), nullptr, 10);
    for (int64_t i = std::strtoll(ends[0].c_str(), nullptr, 10); i <= std::min(last, most - 1);
         ++i) {
      indexes.insert(i);
    }
  }
  return indexes;
}

std::string IndexText(const std::set<int64_t>& indexes) {
  std::vector<std::string> ranges;
  for (auto at = indexes.begin(); at != indexes.end();) {
    const int64_t first = *at;
    int64_t last = first;
    while (++at != indexes.end() && *at == last + 1) ++last;
    ranges.push_back(std::to_string(first));
    if (last > first) ranges.back() += fmt::format("-{}", last);
  }
  return absl::StrJoin(ranges, ",");
}

class Jobs : public Owners {
 public:
  explicit Jobs(Desk* desk) : Owners(desk, desk->KindOf("batch", "jobs"), desk->pods) {}
  void See(const Change& change) override;
  void Sync(const Collection& collection, const StoredPtr& object) override;

 private:
  void SyncPod(const Stored& pod);
  void CountPods(JobLook* look);
  void Run(JobLook* look);
  void Fail(JobLook* look);
  void KeepIndexes(int64_t wanted, const Json& pod, JobLook* look);
  void Conclude(JobLook* look) const;
  void WriteStatus(JobLook* look);

  std::map<std::string, WallTime> retries_;  // by UID: the next pod's time, after failures
};

void Jobs::See(const Change& change) {
  Owners::See(change);
  const Stored& now = *change.now;
  if (change.collection == owners_.collection && change.kind == Change::Kind::kDeleted) {
    retries_.erase(now.uid);
    for (const StoredPtr& pod : desk_.store->OwnedIn(children_.collection, now.uid)) {
      Look(children_.collection, pod->name);
    }
  }
  if (change.collection == children_.collection && now.deleting) Look(change.collection, now.name);
}

void Jobs::Sync(const Collection& collection, const StoredPtr& object) {
  if (&collection == children_.collection) return SyncPod(*object);
  JobLook look;
  look.stored = object;
  look.object = look.edited = object->Parse();
  CountPods(&look);
  const auto is = [&](const char* type) { return ConditionOf(look.object, type) == "True"; };
  if (is("Complete") || is("Failed")) return;
  const Json* const limit = ValueAt(look.object, "spec.backoffLimit");
  const bool is_over = look.failed > (limit == nullptr ? 6 : limit->get<int64_t>());
  is_over ? Fail(&look) : Run(&look);
  WriteStatus(&look);
}

// Is it a pod that nobody will count any more?
void Jobs::SyncPod(const Stored& pod) {
  const bool has_owner = std::any_of(pod.owners.begin(), pod.owners.end(),
                                     [&](const auto& uid) { return desk_.store->HasUid(uid); });
  if (has_owner || !HasFinalizer(pod.Parse(), kJobTracking)) return;
  desk_.RemoveFinalizer(desk_.pods, pod, kJobTracking);
}

// A pod counts once it has no finalizer any more.
void Jobs::CountPods(JobLook* look) {
  look->succeeded = look->Number("status.succeeded");
  look->failed = look->Number("status.failed");
  if (look->is_indexed()) {
    look->done = ReadIndexes(TextAt(look->object, "status.completedIndexes"),
                             look->Number("spec.completions"));
  }
  for (const Pod& pod : desk_.PodsOf(look->stored->uid)) {
    const PodFacts& facts = *pod.facts;
    if (facts.IsActive()) look->active.push_back(pod);
    if (facts.deleting && !facts.IsFinished()) ++look->terminating;
    if (!facts.is_tracked || facts.IsActive()) continue;
    if (!desk_.RemoveFinalizer(desk_.pods, *pod.stored, kJobTracking)) continue;
    if (facts.phase == "Succeeded") {
      ++look->succeeded;
      if (facts.index >= 0) look->done.insert(facts.index);
    } else {
      const int64_t doublings = std::min(look->failed++, kMostDoublings);
      retries_[look->stored->uid] = desk_.wall() + kFirstBackoff * (int64_t{1} << doublings);
    }
  }
  if (look->is_indexed()) look->succeeded = static_cast<int64_t>(look->done.size());
}

// It has failed once all of its pods have ended, which count as failed.
void Jobs::Fail(JobLook* look) {
  const bool has_pods = !look->active.empty() || look->terminating > 0;
  desk_.SetCondition(has_pods ? kFailing : kFailed, &look->edited);
  const size_t before = look->active.size();
  KeepPods(0, nullptr, &look->active);
  look->failed += static_cast<int64_t>(before - look->active.size());
}

void Jobs::Run(JobLook* look) {
  if (!look->is_suspended()) look->edited["status"].emplace("startTime", desk_.now_text());
  const auto active = static_cast<int64_t>(look->active.size());
  int64_t wanted = look->Number("spec.parallelism");
  if (look->is_suspended()) {
    wanted = 0;
  } else if (look->Has("spec.completions")) {
    wanted = std::clamp<int64_t>(look->Number("spec.completions") - look->succeeded, 0, wanted);
  } else if (look->succeeded > 0) {
    wanted = active;
  }
  Conclude(look);
  const auto wait = retries_[look->stored->uid] - desk_.wall();
  if (wanted > active && wait > Clock::Duration(0)) {
    Look(owners_.collection, look->stored->name, wait);
    wanted = active;
  }
  if (look->stored->deleting) return;
  Json pod = ChildOf(*look->stored, look->object["spec"]["template"]);
  pod["metadata"]["finalizers"].push_back(kJobTracking);
  if (look->is_indexed()) return KeepIndexes(wanted, pod, look);
  const Making make = [&] { return pod; };
  KeepPods(wanted, make, &look->active);
}

void Jobs::KeepIndexes(int64_t wanted, const Json& pod, JobLook* look) {
  std::set<int64_t> taken = look->done;
  for (const Pod& one : look->active) taken.insert(one.facts->index);
  const auto make = [&, index = int64_t{0}]() mutable {
    while (taken.contains(index)) ++index;
    const std::string name = fmt::format("{}-{}", look->stored->name.name, index);
    Json made = pod;
    made["metadata"]["generateName"] = name + "-";
    made["metadata"]["labels"][kJobIndex] = std::to_string(index);
    made["metadata"]["annotations"][kJobIndex] = std::to_string(index++);
    made["spec"].emplace("hostname", name);
    const std::string path = fmt::format("metadata.labels['{}']", kJobIndex);
    for (const char* list : {"containers", "initContainers"}) {
      if (!made["spec"].contains(list)) continue;
      for (Json& container : made["spec"][list]) {
        container["env"].push_back({{"name", "JOB_COMPLETION_INDEX"},
                                    {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}});
      }
    }
    return made;
  };
  KeepPods(wanted, make, &look->active);
}

void Jobs::Conclude(JobLook* look) const {
  Json& status = look->edited["status"];
  const int64_t needed = look->Has("spec.completions") ? look->Number("spec.completions") : 1;
  if (look->succeeded >= needed && look->active.empty() && look->terminating == 0) {
    desk_.SetCondition(kComplete, &look->edited);
    status["completionTime"] = desk_.now_text();
  } else if (look->is_suspended()) {
    desk_.SetCondition(kSuspended, &look->edited);
    status.erase("startTime");
  } else if (ConditionOf(look->object, "Suspended") == "True") {
    desk_.SetCondition(kResumed, &look->edited);
  }
}

void Jobs::WriteStatus(JobLook* look) {
  Json& status = look->edited["status"];
  SetCount("active", static_cast<int64_t>(look->active.size()), &status);
  SetCount("succeeded", look->succeeded, &status);
  SetCount("failed", look->failed, &status);
  status["ready"] = std::count_if(look->active.begin(), look->active.end(),
                                  [](const Pod& pod) { return pod.facts->ready; });
  status["terminating"] = look->terminating;
  if (look->is_indexed()) status["completedIndexes"] = IndexText(look->done);
  desk_.EditStatus(owners_, *look->stored, look->object,
                   [&](Json* object) { (*object)["status"] = status; });
}

}  // namespace

ReconcilerPtr MakeJobs(Desk* desk) {
  return std::make_unique<Jobs>(desk);
}

}  // namespace outrigger::apiserver
