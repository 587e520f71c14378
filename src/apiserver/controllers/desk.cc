#include "apiserver/controllers/desk.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "apiserver/select/cells.h"
#include "apiserver/select/field_path.h"

namespace outrigger::apiserver {
namespace {

PodFacts ReadPod(const Stored& stored) {
  const Json pod = stored.Parse();
  PodFacts facts;
  facts.version = stored.version;
  facts.phase = TextAt(pod, "status.phase");
  for (const Json& owner : ListAt(pod, "metadata.ownerReferences")) {
    if (IsTrueAt(owner, "controller")) facts.controller = TextAt(owner, "uid");
  }
  facts.created = TextAt(pod, "metadata.creationTimestamp");
  facts.placed = !TextAt(pod, "spec.nodeName").empty();
  facts.deleting = stored.deleting;
  facts.ready = ConditionOf(pod, "Ready") == "True";
  facts.is_tracked = HasFinalizer(pod, kJobTracking);
  const std::string* const index = stored.labels.Find(kJobIndex);
  if (index == nullptr || !absl::SimpleAtoi(*index, &facts.index)) facts.index = -1;
  return facts;
}

}  // namespace

void WorkQueue::Push(const Task& task, Clock::Duration time) {
  const Due due{now_() + std::max(time, Clock::Duration(0)), pushed_++};
  const auto [known, is_new] = due_.try_emplace(task, due);
  if (!is_new) {
    if (known->second <= due) return;
    order_.erase(known->second);
    known->second = due;
  }
  order_[due] = &known->first;
}

std::optional<Task> WorkQueue::Pop() {
  if (order_.empty() || order_.begin()->first.first > now_()) return std::nullopt;
  const auto known = due_.find(*order_.begin()->second);
  order_.erase(order_.begin());
  return std::move(due_.extract(known).key());
}

Desk::Desk(const Deps& deps)
    : store(deps.store),
      catalog(deps.catalog),
      pods(KindOf("", "pods")),
      queue(deps.clock.now),
      writes_(deps.writes),
      clock_(deps.clock) {}

const Served& Desk::KindOf(std::string_view group, std::string_view plural) const {
  // Built-in kinds are as long-lived as the catalog.
  return *catalog->Find(group, "v1", plural);
}

// An object that is gone needs nothing more.
bool Desk::Note(std::optional<Failure> failure) {
  if (!failure || failure->code == 404) return true;
  if (!failure_) failure_ = std::move(failure);
  return false;
}

bool Desk::Add(const Served& kind, Json object) {
  std::vector<std::string> warnings;
  StoredPtr stored;
  return Note(writes_->Add(kind, std::move(object), /*dry_run=*/false, &warnings, &stored));
}

bool Desk::Edit(const Served& kind, const Stored& seen, Part part, const Editing& edit) {
  const auto change = [&](const Json& /*old*/, Json* object) -> std::optional<Failure> {
    if (TextAt(*object, "metadata.uid") != seen.uid) {
      return Failure::NotFound(kind.SubjectOf(seen.name.name));
    }
    edit(object);
    return std::nullopt;
  };
  StoredPtr stored;
  return Note(writes_->Change(kind, seen.name, part, /*dry_run=*/false, change, &stored));
}

bool Desk::EditStatus(const Served& kind, const Stored& seen, const Json& object,
                      const Editing& edit) {
  Json edited = object;
  edit(&edited);
  return edited == object || Edit(kind, seen, Part::kStatus, edit);
}

bool Desk::Erase(const Served& kind, const Stored& seen, Deletion deletion) {
  deletion.uid = seen.uid;
  StoredPtr last;
  bool gone = false;
  auto failure = writes_->Erase(kind, seen.name, deletion, &last, &gone);
  // Conflict: another object of that name is there.
  return (failure && failure->code == 409) || Note(std::move(failure));
}

bool Desk::RemoveFinalizer(const Served& kind, const Stored& seen, std::string_view name) {
  return Edit(kind, seen, Part::kMain, [&](Json* object) {
    Json& finalizers = (*object)["metadata"]["finalizers"];
    if (finalizers.is_array()) {
      finalizers.erase(std::remove(finalizers.begin(), finalizers.end(), name), finalizers.end());
    }
    if (finalizers.empty()) (*object)["metadata"].erase("finalizers");
  });
}

void Desk::SetCondition(const Condition& condition, Json* object) const {
  Json& conditions = (*object)["status"]["conditions"];
  if (!conditions.is_array()) conditions = Json::array();
  auto old = std::find_if(conditions.begin(), conditions.end(),
                          [&](const Json& one) { return TextAt(one, "type") == condition.type; });
  if (old == conditions.end()) {
    old = conditions.insert(old, Json::object({{"type", condition.type}}));
  }
  const bool is_same = TextAt(*old, "status") == condition.status;
  if (is_same && TextAt(*old, "reason") == condition.reason) return;
  if (!is_same) (*old)["lastTransitionTime"] = now_text();
  (*old)["status"] = condition.status;
  (*old)["reason"] = condition.reason;
  (*old)["message"] = condition.message;
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
    if (facts.controller == uid) found.push_back({std::move(pod), &facts});
  }
  return found;
}

void SetCount(const char* key, int64_t count, Json* status) {
  status->erase(key);
  if (count != 0) (*status)[key] = count;
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

}  // namespace outrigger::apiserver
