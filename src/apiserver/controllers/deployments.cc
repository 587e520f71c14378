// Deployments: a ReplicaSet for each template that they have had, of which the newest grows as the
// others shrink.

#include <algorithm>
#include <utility>

#include "apiserver/controllers/owners.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kHashLabel = "pod-template-hash";
const Json::json_pointer kRevisionPath("/metadata/annotations/deployment.kubernetes.io~1revision");
constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

constexpr Condition kAvailable = {"Available", "True", "MinimumReplicasAvailable",
                                  "Deployment has minimum availability."};
constexpr Condition kUnavailable = {"Available", "False", "MinimumReplicasUnavailable",
                                    "Deployment does not have minimum availability."};
constexpr Condition kRolling = {"Progressing", "True", "ReplicaSetUpdated",
                                "The newest ReplicaSet is progressing."};
constexpr Condition kRolledOut = {"Progressing", "True", "NewReplicaSetAvailable",
                                  "The newest ReplicaSet has successfully progressed."};
constexpr Condition kPaused = {"Progressing", "Unknown", "DeploymentPaused",
                               "Deployment is paused"};

// A template as users write it.
Json TemplateOf(const Json& object) {
  Json template_ = object.at("spec").at("template");
  const auto metadata = template_.find("metadata");
  if (metadata != template_.end() && metadata->contains("labels")) {
    (*metadata)["labels"].erase(kHashLabel);
    if ((*metadata)["labels"].empty()) metadata->erase("labels");
  }
  return template_;
}

struct ReplicaSet {
  StoredPtr stored;
  Json object;

  int64_t Number(const char* path) const { return NumberAt(object, path); }
  int64_t want() const { return Number("spec.replicas"); }
  int64_t available() const { return Number("status.availableReplicas"); }
  int64_t revision() const {
    return std::strtoll(object.value(kRevisionPath, "").c_str(), nullptr, 10);
  }
};

// One look at a Deployment and its ReplicaSets.
struct Rollout {
  StoredPtr stored;
  Json object;
  int64_t want = 0;
  bool is_paused = false;
  bool recreates = false;
  int64_t surge = 0;
  int64_t unavailable = 0;
  std::vector<ReplicaSet> all;   // the oldest revision first
  ReplicaSet* newest = nullptr;  // whose template is the Deployment's
  int64_t revision = 1;          // of the newest

  int64_t Sum(const char* path) const {
    int64_t sum = 0;
    for (const ReplicaSet& set : all) sum += set.Number(path);
    return sum;
  }
  bool IsComplete() const {
    return newest != nullptr && newest->Number("status.replicas") == want &&
           Sum("status.replicas") == want && Sum("status.availableReplicas") == want;
  }
  int64_t NewReplicas() const;
};

// How many the newest may have now.
int64_t Rollout::NewReplicas() const {
  const int64_t now = newest == nullptr ? 0 : newest->want();
  const bool has_old_pods = std::any_of(all.begin(), all.end(), [&](const ReplicaSet& set) {
    const int64_t pods = set.Number("status.replicas") + set.Number("status.terminatingReplicas");
    return &set != newest && set.want() + pods > 0;
  });
  if (now < want && recreates && has_old_pods) return now;
  return std::clamp(now + want + surge - Sum("spec.replicas"), std::min(now, want), want);
}

class Deployments : public Owners {
 public:
  explicit Deployments(Desk* desk)
      : Owners(desk, desk->KindOf("apps", "deployments"), desk->KindOf("apps", "replicasets")) {}
  void Sync(const Collection& collection, const StoredPtr& deployment) override;

 private:
  void Read(Rollout* rollout) const;
  void Step(Rollout* rollout);
  void Create(const Rollout& rollout);
  void ScaleDownOld(Rollout* rollout);
  void SetReplicas(ReplicaSet* set, int64_t replicas);
  void WriteStatus(const Rollout& rollout);
};

void Deployments::Sync(const Collection& /*collection*/, const StoredPtr& deployment) {
  Rollout rollout;
  rollout.stored = deployment;
  Read(&rollout);
  if (!deployment->deleting && !rollout.is_paused) Step(&rollout);
  WriteStatus(rollout);
}

void Deployments::Read(Rollout* rollout) const {
  const Json& object = rollout->object = rollout->stored->Parse();
  rollout->want = NumberAt(object, "spec.replicas");
  rollout->is_paused = IsTrueAt(object, "spec.paused");
  rollout->recreates = TextAt(object, "spec.strategy.type") == "Recreate";
  if (const Json* const limits = ValueAt(object, "spec.strategy.rollingUpdate")) {
    const Json otherwise = "25%";
    const int64_t want = rollout->want;
    rollout->surge = ScaledValue(limits->value("maxSurge", otherwise), want, /*round_up=*/true);
    const int64_t most = ScaledValue(limits->value("maxUnavailable", otherwise), want, false);
    // One of them has to move.
    rollout->unavailable = std::min(std::max<int64_t>(most, rollout->surge == 0 ? 1 : 0), want);
  }
  for (StoredPtr& stored : desk_.store->OwnedIn(children_.collection, rollout->stored->uid)) {
    rollout->all.push_back({stored, stored->Parse()});
  }
  std::stable_sort(
      rollout->all.begin(), rollout->all.end(),
      [](const ReplicaSet& a, const ReplicaSet& b) { return a.revision() < b.revision(); });
  const Json template_ = TemplateOf(object);
  for (ReplicaSet& set : rollout->all) {
    const bool is_newest = TemplateOf(set.object) == template_;
    if (is_newest) rollout->newest = &set;
    rollout->revision = std::max(rollout->revision, set.revision() + (is_newest ? 0 : 1));
  }
}

void Deployments::Step(Rollout* rollout) {
  ReplicaSet* const newest = rollout->newest;
  if (newest == nullptr) {
    Create(*rollout);
  } else if (newest->revision() < rollout->revision) {
    desk_.Edit(children_, *newest->stored, Part::kMain,
               [&](Json* set) { (*set)[kRevisionPath] = std::to_string(rollout->revision); });
  } else if (const int64_t replicas = rollout->NewReplicas(); replicas != newest->want()) {
    SetReplicas(newest, replicas);
  } else {
    ScaleDownOld(rollout);
  }
}

// Its change brings the next look.
void Deployments::Create(const Rollout& rollout) {
  Json template_ = rollout.object.at("spec").at("template");
  const auto number = static_cast<uint32_t>(std::hash<std::string>()(template_.dump()));
  const std::string hash = fmt::format("{:x}", number);
  template_["metadata"]["labels"][kHashLabel] = hash;
  Json selector = rollout.object["spec"]["selector"];
  selector["matchLabels"][kHashLabel] = hash;
  const std::string& name = rollout.stored->name.name;
  Json set = ChildOf(
      *rollout.stored,
      {{"spec",
        {{"replicas", rollout.NewReplicas()}, {"selector", selector}, {"template", template_}}}});
  Json& metadata = set["metadata"];
  metadata.erase("generateName");
  metadata["name"] = fmt::format("{}-{}", name.substr(0, 252 - hash.size()), hash);
  metadata["labels"] = template_["metadata"]["labels"];
  metadata["annotations"] = rollout.object["metadata"].value("annotations", Json::object());
  metadata["annotations"].erase(kLastApplied);
  set[kRevisionPath] = std::to_string(rollout.revision);
  const StoredPtr left = desk_.store->Get(*children_.collection, NameOfObject(set));
  if (left == nullptr || !left->owners.empty()) {
    desk_.Add(children_, std::move(set));
  } else {  // of a Deployment that left it behind
    desk_.Edit(children_, *left, Part::kMain, [&](Json* object) {
      (*object)["metadata"]["ownerReferences"] = metadata["ownerReferences"];
    });
  }
}

// As many as are there beside those that must not be missing, from the oldest.
void Deployments::ScaleDownOld(Rollout* rollout) {
  const int64_t new_pods = rollout->newest->want();
  const int64_t least = rollout->recreates ? 0 : rollout->want - rollout->unavailable;
  const int64_t needed = std::max<int64_t>(least - rollout->newest->available(), 0);
  int64_t surplus = rollout->Sum("spec.replicas") - new_pods - needed;
  for (ReplicaSet& set : rollout->all) {
    if (&set == rollout->newest || surplus <= 0) continue;
    const int64_t cut = std::min(set.want(), surplus);
    surplus -= cut;
    SetReplicas(&set, set.want() - cut);
  }
}

void Deployments::SetReplicas(ReplicaSet* set, int64_t replicas) {
  if (set->want() == replicas) return;
  desk_.Edit(children_, *set->stored, Part::kMain,
             [&](Json* object) { (*object)["spec"]["replicas"] = replicas; });
}

void Deployments::WriteStatus(const Rollout& rollout) {
  const ReplicaSet* const newest = rollout.newest;
  const int64_t available = rollout.Sum("status.availableReplicas");
  const int64_t unavailable = std::max<int64_t>(rollout.Sum("spec.replicas") - available, 0);
  desk_.EditStatus(owners_, *rollout.stored, rollout.object, [&](Json* object) {
    Json& status = (*object)["status"];
    status["observedGeneration"] = NumberAt(rollout.object, "metadata.generation");
    status["terminatingReplicas"] = rollout.Sum("status.terminatingReplicas");
    SetCount("replicas", rollout.Sum("status.replicas"), &status);
    SetCount("updatedReplicas", newest ? newest->Number("status.replicas") : 0, &status);
    SetCount("readyReplicas", rollout.Sum("status.readyReplicas"), &status);
    SetCount("availableReplicas", available, &status);
    SetCount("unavailableReplicas", unavailable, &status);
    const bool is_enough = available >= rollout.want - rollout.unavailable;
    desk_.SetCondition(is_enough ? kAvailable : kUnavailable, object);
    const Condition& unpaused = rollout.IsComplete() ? kRolledOut : kRolling;
    desk_.SetCondition(rollout.is_paused ? kPaused : unpaused, object);
    SetFailure(object);
    if (newest) (*object)[kRevisionPath] = std::to_string(rollout.revision);
  });
}

}  // namespace

ReconcilerPtr MakeDeployments(Desk* desk) {
  return std::make_unique<Deployments>(desk);
}

}  // namespace outrigger::apiserver
