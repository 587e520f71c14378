#include "group_table.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace outrigger::penalty {
namespace {

bool HasMarkOf(const PodGroup& group, const std::string& wanted) {
  const std::string* const mark = group.annotations.Find(kCountedAnnotation);
  return wanted.empty() ? mark == nullptr : mark != nullptr && *mark == wanted;
}

}  // namespace

GroupNews GroupTable::Look(const std::vector<PodGroup>& groups, const ClassTable& classes,
                           const Policy& sums, PolicyOfGroup policy_of, Millis now,
                           Ledger* ledger) {
  ++look_;
  GroupNews news;
  const Setting in = {sums, policy_of, now, ledger, &news};
  PodGroup of_stand_in;
  for (const PodGroup& each : groups) {
    if (each.dialect != kGroupDialect) continue;
    auto rules = classes.find(each.priority_class_name);
    const bool names_stand_in = rules != classes.end() && !rules->second.stands_for.empty();
    if (names_stand_in) {
      of_stand_in = each;
      of_stand_in.priority_class_name = rules->second.stands_for;
      rules = classes.find(of_stand_in.priority_class_name);
    }
    const PodGroup& group = names_stand_in ? of_stand_in : each;
    if (rules == classes.end() || !rules->second.IsPenalised()) {
      // A class may be away for a moment: what is known of the group stays.
      if (const auto known = groups_.find(group.uid); known != groups_.end()) {
        known->second.seen = look_;
      }
      continue;
    }
    LookAt(group, rules->second, in);
  }
  ForgetGone(groups, ledger);
  return news;
}

void GroupTable::LookAt(const PodGroup& group, const ClassRules& rules, const Setting& in) {
  Tracked* const tracked = Track(group, *in.ledger, in.news);
  const ClassAccount* const account = in.ledger->Find(group.priority_class_name);
  if (account == nullptr) return;
  const bool is_soon = in.now - tracked->state.completion.at <= rules.policy.grace;
  const Transition transition = OnPhase(tracked->state, PhaseOf(group.phase),
                                        IsHistory(group.created, account->since), is_soon);
  if (!transition.edges.empty()) {
    if (!Count(group, rules, transition, in, tracked)) return;
  } else {
    SetState(transition.next, tracked);
  }
  if (HasMarkOf(group, tracked->mark)) {
    in.ledger->DropPending(group.uid);
  } else if (tracked->marked_version != group.resource_version) {
    // Also where a person has changed the mark. One that was just asked for is not asked for again:
    // the view shows the group as it was before.
    AskForMark(group, tracked, in.news);
  }
}

GroupTable::Tracked* GroupTable::Track(const PodGroup& group, const Ledger& ledger,
                                       GroupNews* news) {
  const auto [at, is_new] = groups_.try_emplace(group.uid);
  Tracked& tracked = at->second;
  if (is_new) {
    const FirstSight first = StateAtFirstSight(group.annotations.Find(kCountedAnnotation),
                                               ledger.PendingOf(group.uid), PhaseOf(group.phase));
    SetState(first.state, &tracked);
    tracked.namespace_ = group.namespace_;
    tracked.name = group.name;
    if (!first.problem.empty()) news->problems.emplace_back(group, first.problem);
  }
  tracked.phase = group.phase;
  tracked.class_name = group.priority_class_name;
  tracked.queue = group.queue;
  tracked.seen = look_;
  return &tracked;
}

// False: the journal is full, and the group stays as it was.
bool GroupTable::Count(const PodGroup& group, const ClassRules& rules, const Transition& transition,
                       const Setting& in, Tracked* tracked) {
  const GroupPolicy chosen = in.policy_of(group, rules.policy);
  const auto next =
      in.ledger->Count(group.priority_class_name, {group.uid, group.namespace_, group.queue},
                       tracked->state, transition, {chosen.policy, rules.bounds, in.sums}, in.now);
  if (!next.ok()) {
    in.news->is_full |= absl::IsResourceExhausted(next.status());
    return false;
  }
  SetState(*next, tracked);
  for (const EdgeKind kind : transition.edges) {
    const bool is_start = kind == EdgeKind::kStart;
    const Increment& added = is_start ? chosen.policy.start : chosen.policy.completion;
    in.news->edges.push_back({kind, group.priority_class_name, next->epoch, group,
                              is_start ? chosen.start_of : chosen.completion_of,
                              added.amount != 0});
  }
  tracked->marked_version.clear();
  return true;
}

void GroupTable::AskForMark(const PodGroup& group, Tracked* tracked, GroupNews* news) {
  tracked->marked_version = group.resource_version;
  news->marks.push_back({group, tracked->mark});
}

void GroupTable::OnMarked(const PodGroup& group) {
  const auto at = groups_.find(group.uid);
  if (at != groups_.end()) at->second.marked_version = group.resource_version;
}

void GroupTable::OnNotMarked(const PodGroup& group) {
  const auto at = groups_.find(group.uid);
  if (at != groups_.end()) at->second.marked_version.clear();
}

void GroupTable::SetState(GroupState state, Tracked* tracked) {
  tracked->state = state;
  tracked->mark = HasMark(state) ? MarkText(state) : "";
}

// The mark of a group whose class is away, or left alone, stays pending.
void GroupTable::ForgetGone(const std::vector<PodGroup>& groups, Ledger* ledger) {
  for (auto at = groups_.begin(); at != groups_.end();) {
    const auto next = std::next(at);
    if (at->second.seen != look_) {
      ledger->DropPending(at->first);
      groups_.erase(at);
    }
    at = next;
  }
  std::set<std::string, std::less<>> gone;
  for (const auto& [uid, mark] : ledger->pending()) {
    if (!groups_.contains(uid)) gone.insert(uid);
  }
  if (gone.empty()) return;
  for (const PodGroup& group : groups) gone.erase(group.uid);
  for (const std::string& uid : gone) ledger->DropPending(uid);
}

std::vector<KnownGroup> GroupTable::Known() const {
  std::vector<KnownGroup> known;
  known.reserve(groups_.size());
  for (const auto& [uid, group] : groups_) {
    known.push_back(
        {group.namespace_, group.name, group.phase, group.class_name, group.queue, group.state});
  }
  std::sort(known.begin(), known.end(), [](const KnownGroup& a, const KnownGroup& b) {
    return std::tie(a.namespace_, a.name) < std::tie(b.namespace_, b.name);
  });
  return known;
}

Millis GroupTable::HistoryEnd(const std::vector<PodGroup>& groups, std::string_view class_name,
                              Millis now) {
  constexpr Millis kSecond = 1000;
  int64_t end = now / kSecond;
  for (const PodGroup& group : groups) {
    if (group.dialect != kGroupDialect || group.priority_class_name != class_name) continue;
    // A clock that is ahead of this one by more than that does not count.
    if (group.created <= now / kSecond + 1) end = std::max(end, group.created + 1);
  }
  return end * kSecond;
}

std::vector<GroupState> GroupTable::StatesOf(const std::vector<PodGroup>& groups,
                                             std::string_view class_name) {
  std::vector<GroupState> states;
  for (const PodGroup& group : groups) {
    if (group.dialect != kGroupDialect || group.priority_class_name != class_name) continue;
    const std::string* const mark = group.annotations.Find(kCountedAnnotation);
    if (mark == nullptr) continue;
    const auto state = ParseMark(*mark);
    if (state.ok()) states.push_back(*state);
  }
  return states;
}

}  // namespace outrigger::penalty
