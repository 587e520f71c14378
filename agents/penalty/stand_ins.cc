#include "stand_ins.h"

#include <utility>
#include <vector>

#include "fmt/format.h"
#include "outrigger/base/mutex.h"
#include "penalty/classes/base_value.h"
#include "penalty/classes/mapping.h"

namespace outrigger::penalty {
namespace {

constexpr CustomKind kQuotas{"", "v1", "resourcequotas", "ResourceQuota", true};

}  // namespace

void Quotas::Follow(CustomObjectAccess* cluster, std::function<void()> changed) {
  changed_ = std::move(changed);
  followed_ = cluster->Follow(kQuotas, this);
}

absl::Status Quotas::Usable() const {
  return followed_ == nullptr ? absl::OkStatus() : followed_->Usable();
}

std::string Quotas::QuotaOf(std::string_view class_name) const {
  const MutexLock lock(mutex_);
  for (const auto& [quota, classes] : named_) {
    if (classes.contains(class_name)) return quota;
  }
  return "";
}

absl::Status Quotas::Upsert(const CustomObjectName& object, std::string_view json) {
  Set(object, ClassesOfQuota(json));
  return absl::OkStatus();
}

void Quotas::Remove(const CustomObjectName& object) {
  Set(object, {});
}

void Quotas::Set(const CustomObjectName& object, std::set<std::string, std::less<>> classes) {
  const std::string quota = fmt::format("{}/{}", object.namespace_, object.name);
  {
    const MutexLock lock(mutex_);
    const auto known = named_.find(quota);
    if (known == named_.end() ? classes.empty() : known->second == classes) return;
    named_.erase(quota);
    if (!classes.empty()) named_[quota] = std::move(classes);
  }
  changed_();
}

namespace {

// The classes that PodGroups and pods name, those of pods only if they are stand-ins: the
// value of a PodGroup's class is read by its name, and a stand-in's name is all that says of a pod
// whose it is.
std::set<std::string, std::less<>> UsedIn(const ClusterView& view) {
  std::set<std::string, std::less<>> used;
  for (const PodGroup& group : view.objects->pod_groups) used.insert(group.priority_class_name);
  std::set<int32_t> values;
  for (const PriorityClass& one : view.objects->classes) {
    if (!StandsFor(one).empty()) values.insert(one.value);
  }
  view.snapshot->ForEachPod([&](const PodView& pod) {
    if (pod.IsFinished() || !values.contains(pod.Priority())) return;
    used.insert(pod.Unpack().priority_class_name);
  });
  return used;
}

bool MayBeMapped(const ClassRules& rules) {
  return rules.IsPenalised() && !rules.in_cluster->annotations.Contains(kBaseValueAnnotation);
}

}  // namespace

void StandIns::Follow(ClusterAccess* cluster, std::function<void()> changed) {
  quotas_.Follow(cluster, std::move(changed));
}

absl::Status StandIns::Begin(Millis now, const std::stop_token& term) {
  not_mapped_.clear();
  retry_at_.reset();
  if (absl::Status begun = mapper_.Begin(options_.mapped, term); !begun.ok()) return begun;
  if (options_.mapped) return absl::OkStatus();
  // The classes have their base, and get their values as all do in this mode.
  const MutexLock lock(books_.mutex);
  for (const auto& [name, stand_in] : mapper_.entries()) {
    const ClassAccount* const account = books_.ledger.Find(name);
    if (account == nullptr || account->written == account->base) continue;
    books_.ledger.OnReplaced(name, {now, account->written, account->base, 0, "no longer mapped"});
  }
  return absl::OkStatus();
}

void StandIns::LeaveAlone(ClassTable* table) const {
  if (!options_.mapped) return;
  for (auto& [name, rules] : *table) {
    if (!rules.IsPenalised()) continue;
    const std::string quota = quotas_.QuotaOf(name);
    if (quota.empty()) continue;
    rules.reason = "quota";
    rules.message = fmt::format(
        "ResourceQuota {} refers to the class, and would not count pods that get another class; "
        "remove the class from its scope, or set replacement to recreate",
        quota);
  }
}

PriorityClass StandIns::AsPodsGetIt(const PriorityClass& priority_class) const {
  PriorityClass got = priority_class;
  const auto entry = mapper_.entries().find(got.name);
  if (entry == mapper_.entries().end()) return got;
  const auto stand_in = books_.classes.find(entry->second);
  if (stand_in == books_.classes.end() || stand_in->second.stands_for != got.name) return got;
  got.annotations = AnnotationsAt(got.annotations, got.value, stand_in->second.in_cluster->value);
  got.value = stand_in->second.in_cluster->value;
  return got;
}

absl::StatusOr<std::optional<Replacement>> StandIns::Map(const ReplaceRequest& request,
                                                         const ClassRules& rules,
                                                         const std::stop_token& term) {
  if (absl::Status usable = quotas_.Usable(); !usable.ok()) return usable;
  if (!MayBeMapped(rules)) return std::optional<Replacement>();
  return mapper_.Map(request, rules.in_cluster->preemption_policy, term);
}

std::vector<ClassAccount> StandIns::Tidy(const ClusterView& view, Millis now,
                                         const std::stop_token& term) {
  std::vector<ClassAccount> others;
  std::optional<std::set<std::string, std::less<>>> used;  // all pods are walked over
  const auto is_used = [&](const PriorityClass& one) {
    if (!used) used = UsedIn(view);
    return used->contains(one.name);
  };
  const absl::Status tidied = mapper_.Tidy(view.objects->classes, is_used, now, term);
  reports_.OnError("map", tidied);
  retry_at_.reset();
  if (!tidied.ok()) retry_at_ = now + Delay::kFirst;
  UnmapOthers(now, term);
  for (const auto& [name, account] : books_.ledger.classes()) {
    const auto rules = books_.classes.find(name);
    if (!options_.mapped || rules == books_.classes.end()) continue;
    const bool is_due = mapper_.DueOf(name).has_value();
    if (MayBeMapped(rules->second) && account.written < account.base && !is_due) {
      others.push_back(account);
    }
  }
  ReportNotMapped();
  return others;
}

// New pods of all classes that are not penalised get their base.
void StandIns::UnmapOthers(Millis now, const std::stop_token& term) {
  const auto entries = mapper_.entries();
  for (const auto& [name, stand_in] : entries) {
    const auto rules = books_.classes.find(name);
    const ClassAccount* const account = books_.ledger.Find(name);
    const bool is_mapped = options_.mapped && account != nullptr && rules != books_.classes.end() &&
                           rules->second.IsPenalised();
    if (is_mapped) continue;
    const absl::Status unmapped = mapper_.Unmap(name, term);
    reports_.OnError("map", unmapped);
    if (!unmapped.ok()) {
      retry_at_ = now + Delay::kFirst;
    } else if (options_.mapped && account != nullptr && account->written != account->base) {
      const MutexLock lock(books_.mutex);
      books_.ledger.OnReplaced(name, {now, account->written, account->base, 0, "left alone"});
    }
  }
}

void StandIns::ReportNotMapped() {
  std::set<std::string> names = mapper_.NotMapped();
  for (const std::string& name : names) {
    const auto rules = books_.classes.find(name);
    const ClassAccount* const account = books_.ledger.Find(name);
    if (not_mapped_.contains(name) || rules == books_.classes.end() || account == nullptr) continue;
    reports_.OnNotMapped(*rules->second.in_cluster, *account);
  }
  const MutexLock lock(books_.mutex);
  std::erase_if(books_.refused, [](const auto& one) { return one.second == kNotMapped; });
  for (const std::string& name : names) books_.refused.try_emplace(name, kNotMapped);
  not_mapped_ = std::move(names);
}

std::optional<Millis> StandIns::NextTidy() const {
  return retry_at_ ? retry_at_ : mapper_.NextTidy();  // what failed stays due
}

}  // namespace outrigger::penalty
