#include "penalty/classes/ledger.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "penalty/classes/base_value.h"
#include "penalty/classes/class_policy.h"

namespace outrigger::penalty {
namespace {

// The longest lines of an account and of a pending mark, each '\n' as two bytes, and what else is
// in a map (journal/journal.cc writes them, a test compares).
constexpr size_t kMostClassLines = 310;
constexpr size_t kMostPendingLine = 140;
constexpr size_t kMapBytes = 140;
constexpr size_t kMostUid = 64;

// JSON has more than one byte for it.
bool IsEscaped(char c) {
  return c == '"' || c == '\\' || c == '<' || c == '>' || c == '&';
}

bool IsUid(std::string_view uid) {
  return !uid.empty() && uid.size() <= kMostUid && std::all_of(uid.begin(), uid.end(), [](char c) {
    return c > ' ' && c < 0x7f && !IsEscaped(c);
  });
}

JournalMap ClassesOf(const ClassAccount& account) {
  return {JournalMapKind::kClasses, account.map};
}

JournalMap ChangesOf(const ClassAccount& account) {
  return {JournalMapKind::kChanges,
          (account.map * kMostSlots + account.slot) * kChangeMaps / (kClassMaps * kMostSlots)};
}

void AddChange(ValueChange change, ClassAccount* account) {
  change.cause = CauseText(change.cause);
  change.gap_us = std::clamp<int64_t>(change.gap_us, 0, kMostGap);
  account->changes.push_back(std::move(change));
  while (account->changes.size() > kKeptChanges) account->changes.pop_front();
}

// Counts one edge; `completion` is what the last completion added, and becomes what this one does.
void CountEdge(EdgeKind edge, const CountedGroup& group, const CountRules& rules, Millis now,
               Account* account, Sums* queues, Sums* namespaces, Added* completion) {
  Added added = *completion;
  if (edge == EdgeKind::kTakenBack) {
    added = TakeBack(rules.policy, rules.bounds, *completion, now, account);
    *completion = {};
  } else {
    added = edge == EdgeKind::kStart ? ApplyStart(rules.policy, rules.bounds, now, account)
                                     : ApplyCompletion(rules.policy, rules.bounds, now, account);
    if (edge == EdgeKind::kCompletion) *completion = added;
  }
  account->starts = std::min(account->starts, kMostCount);
  account->completions = std::min(account->completions, kMostCount);
  CountInSum(edge, group.queue, added, rules.sums, now, kMostQueueName, queues);
  CountInSum(edge, group.namespace_, added, rules.sums, now, kMostNamespaceName, namespaces);
}

void DropOne(const Policy& policy, Millis now, Sums* sums) {
  // Those that come first in this order are dropped first.
  const auto order = [&policy, now](const auto& entry) {
    const double penalty = PenaltyAt(entry.second, policy, now);
    const bool is_nothing = penalty < 0.5;
    return std::tuple(!is_nothing, is_nothing ? 0 : penalty, entry.second.changed);
  };
  sums->erase(std::min_element(sums->begin(), sums->end(), [&order](const auto& a, const auto& b) {
    return order(a) < order(b);
  }));
}

}  // namespace

std::string CauseText(std::string_view cause) {
  std::string text = Shortened(Printable(cause), 90);
  // One byte of JSON for each of them.
  std::replace_if(text.begin(), text.end(), IsEscaped, '?');
  return text;
}

bool IsClassName(std::string_view name) {
  return !name.empty() && name.size() <= 253 && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
         });
}

size_t ReservedBytes(std::string_view class_name) {
  return class_name.size() + kMostClassLines + 6;  // quotes, colon, comma
}

const ClassAccount* Ledger::Find(std::string_view name) const {
  const auto found = classes_.find(name);
  return found == classes_.end() ? nullptr : &found->second;
}

ClassAccount* Ledger::Mutable(std::string_view name) {
  const auto found = classes_.find(name);
  return found == classes_.end() ? nullptr : &found->second;
}

std::optional<GroupState> Ledger::PendingOf(std::string_view uid) const {
  const auto found = pending_.find(uid);
  if (found == pending_.end()) return std::nullopt;
  return found->second.state;
}

bool Ledger::IsFree(int map, int slot) const {
  return std::none_of(classes_.begin(), classes_.end(), [map, slot](const auto& entry) {
    return entry.second.map == map && entry.second.slot == slot;
  });
}

std::optional<int> Ledger::FreeSlot(int map) const {
  std::array<bool, kMostSlots> is_used = {};
  for (const auto& [name, account] : classes_) {
    if (account.map == map) is_used[static_cast<size_t>(account.slot)] = true;
  }
  const auto found = std::find(is_used.begin(), is_used.end(), false);
  if (found == is_used.end()) return std::nullopt;
  return static_cast<int>(found - is_used.begin());
}

bool Ledger::HasRoom(int map, std::string_view name) const {
  size_t bytes = kMapBytes + kMostPending * kMostPendingLine + ReservedBytes(name);
  for (const auto& [other, account] : classes_) {
    if (account.map == map && other != name) bytes += ReservedBytes(other);
  }
  return bytes <= kMostAccountBytes;
}

absl::Status Ledger::Add(ClassAccount account) {
  if (!IsClassName(account.name)) {
    return absl::InvalidArgumentError(
        fmt::format("\"{}\" is not a PriorityClass name", Printable(Shortened(account.name, 64))));
  }
  Remove(account.name);
  for (int map = 0; map < kClassMaps; ++map) {
    const std::optional<int> slot = FreeSlot(map);
    if (!slot || !HasRoom(map, account.name)) continue;
    account.map = map;
    account.slot = *slot;
    SetUnwritten(ClassesOf(account), Urgency::kNow);
    if (!account.changes.empty()) SetUnwritten(ChangesOf(account), Urgency::kLater);
    std::string name = account.name;
    classes_.emplace(std::move(name), std::move(account));
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(fmt::format(
      "the journal has no room for class {}: it has {} classes", account.name, classes_.size()));
}

void Ledger::Remove(std::string_view name) {
  const auto found = classes_.find(name);
  if (found == classes_.end()) return;
  SetUnwritten(ClassesOf(found->second), Urgency::kNow);
  SetUnwritten(ChangesOf(found->second), Urgency::kLater);
  classes_.erase(found);
}

size_t Ledger::PendingIn(int map) const {
  return static_cast<size_t>(
      std::count_if(pending_.begin(), pending_.end(),
                    [map](const auto& entry) { return entry.second.map == map; }));
}

absl::StatusOr<GroupState> Ledger::Count(std::string_view class_name, const CountedGroup& group,
                                         const GroupState& state, const Transition& transition,
                                         const CountRules& rules, Millis now) {
  ClassAccount* counted = Mutable(class_name);
  if (counted == nullptr) {
    return absl::NotFoundError(fmt::format("class {} has no account", Printable(class_name)));
  }
  GroupState next = transition.next;
  if (transition.edges.empty()) return next;
  if (!IsUid(group.uid)) {
    return absl::InvalidArgumentError(
        fmt::format("\"{}\" is not a UID", Printable(Shortened(group.uid, 64))));
  }
  const auto pending = pending_.find(group.uid);
  const bool is_pending_there = pending != pending_.end() && pending->second.map == counted->map;
  if (!is_pending_there && PendingIn(counted->map) >= kMostPending) {
    return absl::ResourceExhaustedError(
        fmt::format("{} PodGroups of class {} and its neighbours are counted but not marked yet",
                    kMostPending, class_name));
  }
  Account* account = &counted->account;
  // What is written has all of the counts before in it.
  if (ValueAt(*account, rules.policy, rules.bounds, now) >= counted->written) {
    account->unwritten_since = 0;
  }
  Added completion = state.completion;
  for (const EdgeKind edge : transition.edges) {
    CountEdge(edge, group, rules, now, account, &queues_, &namespaces_, &completion);
  }
  if (next.stage == Stage::kCompleted) next.completion = completion;
  // A group that has changed its class: an older mark in another map must not outlive this one.
  const auto older = pending_.find(group.uid);
  if (older != pending_.end()) {
    SetUnwritten({JournalMapKind::kClasses, older->second.map}, Urgency::kNow);
  }
  DropPending(group.uid);
  pending_.emplace(group.uid, PendingMark{next, counted->map});
  SetUnwritten(ClassesOf(*counted), Urgency::kNow);
  SetUnwritten({JournalMapKind::kSums, 0}, Urgency::kLater);
  return next;
}

void Ledger::DropPending(std::string_view uid) {
  const auto found = pending_.find(uid);
  if (found == pending_.end()) return;
  SetUnwritten({JournalMapKind::kClasses, found->second.map}, Urgency::kLater);
  pending_.erase(found);
}

void Ledger::OnReplaced(std::string_view name, ValueChange change) {
  ClassAccount* account = Mutable(name);
  if (account == nullptr) return;
  account->written = change.after;
  account->replaced = change.at;
  account->gap_us = std::clamp<int64_t>(change.gap_us, 0, kMostGap);
  account->account.unwritten_since = 0;
  AddChange(std::move(change), account);
  SetUnwritten(ClassesOf(*account), Urgency::kNow);
  SetUnwritten(ChangesOf(*account), Urgency::kLater);
}

bool Ledger::Adopt(const PriorityClass& priority_class, Millis now) {
  ClassAccount* account = Mutable(priority_class.name);
  const int64_t base = BaseOf(priority_class).base;
  if (account == nullptr || (account->base == base && account->written == priority_class.value)) {
    return false;
  }
  AddChange({.at = now,
             .before = account->written,
             .after = priority_class.value,
             .gap_us = 0,
             .cause = "adopted"},
            account);
  account->base = base;
  account->written = priority_class.value;
  SetUnwritten(ClassesOf(*account), Urgency::kNow);
  SetUnwritten(ChangesOf(*account), Urgency::kLater);
  return true;
}

std::vector<JournalMap> Ledger::Unwritten(Urgency urgency) const {
  const std::set<JournalMap>& maps = urgency == Urgency::kNow ? now_ : later_;
  return {maps.begin(), maps.end()};
}

void Ledger::OnJournalWritten(const JournalMap& map) {
  now_.erase(map);
  later_.erase(map);
}

void Ledger::SetUnwritten(const JournalMap& map, Urgency urgency) {
  (urgency == Urgency::kNow ? now_ : later_).insert(map);
}

bool Ledger::RestoreClass(ClassAccount account) {
  if (!IsClassName(account.name) || classes_.contains(account.name) || account.map < 0 ||
      account.map >= kClassMaps || !HasRoom(account.map, account.name)) {
    return false;
  }
  if (account.slot < 0 || account.slot >= kMostSlots || !IsFree(account.map, account.slot)) {
    const std::optional<int> slot = FreeSlot(account.map);
    if (!slot) return false;
    account.slot = *slot;
    SetUnwritten(ClassesOf(account), Urgency::kLater);
  }
  std::string name = account.name;
  classes_.emplace(std::move(name), std::move(account));
  return true;
}

void Ledger::RestoreChanges(std::string_view class_name, std::deque<ValueChange> changes) {
  if (ClassAccount* account = Mutable(class_name)) account->changes = std::move(changes);
}

bool Ledger::RestorePending(std::string uid, PendingMark mark) {
  if (!IsUid(uid) || pending_.contains(uid) || PendingIn(mark.map) >= kMostPending) return false;
  pending_.emplace(std::move(uid), mark);
  return true;
}

void Ledger::RestoreSums(Sums queues, Sums namespaces) {
  queues_ = std::move(queues);
  namespaces_ = std::move(namespaces);
}

ClassAccount RebuildAccount(const PriorityClass& priority_class,
                            const std::vector<GroupState>& groups, Millis since, Millis now) {
  ClassAccount account;
  account.name = priority_class.name;
  account.base = BaseOf(priority_class).base;
  account.written = priority_class.value;
  account.since = since;
  account.account.penalty = static_cast<double>(account.base - account.written);
  account.account.changed = now;
  int64_t starts = 0;
  int64_t completions = 0;
  for (const GroupState& group : groups) {
    if (!HasMark(group)) continue;
    starts += group.epoch;
    completions += group.stage == Stage::kRunning ? group.epoch - 1 : group.epoch;
  }
  account.account.starts = std::min(starts, kMostCount);
  account.account.completions = std::min(completions, kMostCount);
  return account;
}

bool IsSumName(std::string_view name, size_t most) {
  return !name.empty() && name.size() <= most && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  });
}

void CountInSum(EdgeKind edge, std::string_view name, const Added& added, const Policy& policy,
                Millis now, size_t most_name, Sums* sums) {
  if (!IsSumName(name, most_name)) return;
  auto found = sums->find(name);
  if (found == sums->end()) {
    if (sums->size() >= kMostSums) DropOne(policy, now, sums);
    found = sums->emplace(std::string(name), Account{.changed = now}).first;
  }
  Account* sum = &found->second;
  const double before = PenaltyAt(*sum, policy, now);
  const double amount =
      edge == EdgeKind::kTakenBack
          ? -PenaltyAt({.penalty = added.penalty, .changed = added.at}, policy, now)
          : added.penalty;
  sum->penalty = std::clamp(before + amount, 0.0, kMostPenalty);
  sum->changed = now;
  if (edge == EdgeKind::kStart) sum->starts = std::min(kMostCount, sum->starts + 1);
  if (edge == EdgeKind::kCompletion) sum->completions = std::min(kMostCount, sum->completions + 1);
  if (edge == EdgeKind::kTakenBack) sum->completions = std::max<int64_t>(0, sum->completions - 1);
}

}  // namespace outrigger::penalty
