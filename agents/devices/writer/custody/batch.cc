#include "devices/writer/custody/batch.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <tuple>
#include <utility>

#include "devices/writer/holdings.h"
#include "devices/writer/release.h"
#include "fmt/format.h"

namespace outrigger::device_writer {
namespace {

using devices::Action;
using devices::ActionKind;
using devices::PodFact;
using devices::PodReference;

// Two actions are about the same if these are equal.
using Subject = std::tuple<ActionKind, std::string_view, std::string_view>;
Subject SubjectOf(const Action& action) {
  const bool is_of_pool = action.kind != ActionKind::kFreeClaim;
  return {action.kind, is_of_pool ? std::string_view(action.pool) : std::string_view(),
          action.claim_uid};
}

std::set<Subject> SubjectsOf(const std::vector<Action>& actions) {
  std::set<Subject> subjects;
  for (const Action& action : actions) subjects.insert(SubjectOf(action));
  return subjects;
}

// Another writer was there first, or one of the entries is refused: with fewer it may succeed.
bool MayDoWithFewer(const absl::Status& status) {
  return absl::IsAborted(status) || absl::IsNotFound(status) || absl::IsInvalidArgument(status);
}

}  // namespace

Batch::Batch(std::span<const Action> actions, const LiveView& view, const ObjectCalls& calls,
             const devices::WriterOptions& options, devices::CustodyHost* host,
             devices::Chooser* chooser)
    : actions_(actions),
      view_(view),
      calls_(calls),
      options_(options),
      host_(*host),
      chooser_(*chooser) {
  carried_.statuses.resize(actions.size());
}

devices::Carried Batch::Do(const devices::IntentWatch& intents,
                           const std::function<bool()>& is_late) {
  ChooseNeeded(intents);
  WriteClaims(is_late);
  for (const size_t index : needed_) {
    const auto written = claims_.find(view_.FindClaim(actions_[index]));
    if (written != claims_.end()) carried_.statuses[index] = written->second;
    if (carried_.statuses[index].ok()) Plan(index);
  }
  for (const auto& [name, edit] : edits_) WritePool(name, edit);
  return std::move(carried_);
}

void Batch::ChooseNeeded(const devices::IntentWatch& intents) {
  const std::vector<Action> present = view_.DecidePresent(intents);
  const std::vector<Action> gone = view_.DecideGone(intents);
  const std::set<Subject> of_present = SubjectsOf(present);
  const std::set<Subject> of_gone = SubjectsOf(gone);
  for (size_t i = 0; i < actions_.size(); ++i) {
    carried_.statuses[i] = view_.StatusOf(actions_[i]);
    if (!carried_.statuses[i].ok()) continue;
    const bool is_there = view_.FindClaim(actions_[i]) != nullptr;
    if ((is_there ? of_present : of_gone).contains(SubjectOf(actions_[i]))) needed_.push_back(i);
  }
}

std::optional<std::string> Batch::ClaimPatchOf(const Action& action) const {
  const ClaimObject* const claim = view_.FindClaim(action);
  if (claim == nullptr) return std::nullopt;
  if (action.kind == ActionKind::kFreeClaim) return FreedPatch(*claim);
  if (action.kind == ActionKind::kFenceAndRemove) {
    const PoolEntry& intent = *view_.FindEntry(action.pool, action.claim_uid);
    return devices::ClaimUsePatch(claim->pods, FenceMessage(intent, *claim));
  }
  if (action.kind != ActionKind::kDropPods) return std::nullopt;
  std::vector<PodReference> left;
  for (const PodReference& pod : claim->pods) {
    const PodFact* const fact = view_.FindAlive(pod.uid);
    if (fact == nullptr) continue;
    if (fact->node.empty() || fact->node == claim->node) left.push_back(pod);
  }
  return devices::ClaimUsePatch(left, claim->message);
}

// Each once: one new version of a claim fences the writers of all its intents.
void Batch::WriteClaims(const std::function<bool()>& is_late) {
  for (auto next = needed_.begin(); next != needed_.end(); ++next) {
    const Action& action = actions_[*next];
    const auto patch = ClaimPatchOf(action);
    const ClaimObject* const claim = view_.FindClaim(action);
    if (!patch.has_value() || claims_.contains(claim)) continue;
    if (!claims_.empty() && is_late()) {
      carried_.statuses.resize(*next);
      needed_.erase(next, needed_.end());
      return;
    }
    const auto written = calls_.WriteClaim(*claim, *patch);
    if (written.ok()) chooser_.SeeClaim(*written);
    claims_[claim] = written.status();
  }
}

void Batch::Put(size_t index, std::string_view pool, std::optional<PoolEntry> entry) {
  Edit& edit = edits_[std::string(pool)];
  edit.actions.push_back(index);
  edit.entries.insert_or_assign(std::string_view(actions_[index].claim_uid), std::move(entry));
}

void Batch::Plan(size_t index) {
  const Action& action = actions_[index];
  const auto entry_now = [&] { return *view_.FindEntry(action.pool, action.claim_uid); };
  switch (action.kind) {
    case ActionKind::kConfirm: {
      PoolEntry entry = entry_now();
      entry.confirmed = true;
      entry.deadline.reset();
      entry.writer.clear();
      return Put(index, action.pool, std::move(entry));
    }
    case ActionKind::kAwaitPods: {
      PoolEntry entry = entry_now();
      MakeIntent(&entry);
      return Put(index, action.pool, std::move(entry));
    }
    case ActionKind::kRemoveEntry:
    case ActionKind::kFenceAndRemove:
      return Put(index, action.pool, std::nullopt);
    case ActionKind::kFreeClaim:
      for (const std::string& pool : view_.PoolsOf(action)) {
        if (view_.FindEntry(pool, action.claim_uid) != nullptr) Put(index, pool, std::nullopt);
      }
      return;
    case ActionKind::kRestoreEntry: {
      Edit& edit = edits_[action.pool];
      edit.actions.push_back(index);
      edit.restored.push_back(index);
      return;
    }
    case ActionKind::kDropPods:
    case ActionKind::kServeBoundPod:
    case ActionKind::kReportConflict:
      return;
  }
}

// What is given back comes first: it makes room for what is written again.
std::vector<PoolEntry> Batch::EntriesOf(const PoolObject& pool, const Edit& edit) {
  std::vector<PoolEntry> entries;
  entries.reserve(pool.entries.size() + edit.restored.size());
  for (const PoolEntry& entry : pool.entries) {
    const auto changed = edit.entries.find(entry.claim_uid);
    if (changed == edit.entries.end()) {
      entries.push_back(entry);
    } else if (changed->second.has_value()) {
      entries.push_back(*changed->second);
    }
  }
  std::optional<Room> room;
  for (const size_t index : edit.restored) {
    const absl::Status fits = Restore(pool, EntryOf(actions_[index]), &entries, &room);
    if (!fits.ok()) ReportNoRoom(actions_[index], fits);
  }
  return entries;
}

// `room`: with the entries, or nothing; entries do not move while it is there.
absl::Status Batch::Restore(const PoolObject& pool, PoolEntry entry,
                            std::vector<PoolEntry>* entries, std::optional<Room>* room) const {
  if (view_.FindEntry(pool.pool.name, entry.claim_uid) != nullptr) {
    std::vector<PoolEntry> changed;
    changed.reserve(entries->capacity());
    changed = *entries;
    PutEntry(entry, &changed);
    const auto at = std::find_if(changed.begin(), changed.end(), [&](const PoolEntry& other) {
      return other.claim_uid == entry.claim_uid;
    });
    absl::Status fits = Room(pool.pool, changed).Check(*at);
    if (!fits.ok()) return fits;
    room->reset();
    *entries = std::move(changed);
    return fits;
  }
  if (!room->has_value()) room->emplace(pool.pool, *entries);
  entries->push_back(std::move(entry));
  (*room)->Add(entries->back());
  absl::Status fits = (*room)->Check(entries->back());
  if (fits.ok()) return fits;
  room->reset();
  entries->pop_back();
  return fits;
}

void Batch::ReportNoRoom(const Action& action, const absl::Status& why) {
  Action conflict = action;
  conflict.kind = ActionKind::kReportConflict;
  conflict.reason =
      fmt::format("claim {}/{} has devices that are not free: {}", action.claim_namespace,
                  action.claim_name, std::string(why.message()));
  host_.Report(conflict);
}

void Batch::WritePool(const std::string& name, const Edit& edit) {
  const PoolObject& pool = *view_.FindPool(name);
  const std::vector<PoolEntry> entries = EntriesOf(pool, edit);
  if (entries == pool.entries) return;
  const auto written = calls_.WritePool(pool, entries);
  if (written.ok()) return chooser_.SeePool(*written);
  const bool with_fewer = edit.actions.size() > 1 && MayDoWithFewer(written.status());
  for (const size_t index : edit.actions) {
    carried_.statuses[index].Update(written.status());
    if (with_fewer) carried_.with_fewer.insert(index);
  }
}

// Confirmed if a pod is bound, else an intent of this process.
PoolEntry Batch::EntryOf(const Action& action) const {
  const ClaimObject& claim = *view_.FindClaim(action);
  PoolEntry entry;
  entry.claim_namespace = action.claim_namespace;
  entry.claim_name = action.claim_name;
  entry.claim_uid = action.claim_uid;
  entry.holding = Normal(Of(action.pool, HoldingOf(claim)));
  for (const PodReference& pod : claim.pods) {
    const PodFact* const fact = view_.FindAlive(pod.uid);
    if (fact == nullptr) continue;
    entry.pod_name = pod.name;
    entry.pod_uid = pod.uid;
    entry.confirmed = !fact->node.empty();
    if (entry.confirmed) break;
  }
  if (!entry.confirmed) MakeIntent(&entry);
  return entry;
}

void Batch::MakeIntent(PoolEntry* entry) const {
  entry->confirmed = false;
  entry->writer = options_.identity;
  entry->deadline =
      std::chrono::floor<std::chrono::seconds>(options_.wall()) + options_.intent_time;
}

}  // namespace outrigger::device_writer
