#include "gang/commands/gangs.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/time/time.h"
#include "fmt/format.h"
#include "gang/plan/call_resources.h"
#include "gang/plan/group.h"
#include "gang/plan/groups/gang.h"
#include "gang/plan/terms.h"
#include "sdk/base/dialects.h"

namespace outrigger::cli {
namespace {

// In seconds: the agent's clock may be so far behind that of the API server.
constexpr int64_t kSkew = 5;

// "2026-11-24T03:00:12.123456Z", in whole seconds.
std::string WholeSeconds(const std::string& time) {
  const size_t point = time.find('.');
  return point == std::string::npos ? time : time.substr(0, point) + "Z";
}

bool IsOfThisOne(const Told& told, const plan::UnitKey& gang, int64_t oldest) {
  if (!gang.uid.empty()) return told.about.kind == "PodGroup" && told.about.uid == gang.uid;
  if (told.about.kind == "PodGroup") return false;
  absl::Time time;
  const bool is_read = absl::ParseTime(absl::RFC3339_full, told.time, &time, nullptr);
  return !is_read || absl::ToUnixSeconds(time) >= oldest - kSkew;
}

// Without the UID, of which a name has one at a time.
bool ComesFirst(const plan::GroupState& a, const plan::GroupState& b) {
  return std::tie(a.key.dialect, a.key.namespace_, a.key.name) <
         std::tie(b.key.dialect, b.key.namespace_, b.key.name);
}

std::string_view StandingText(plan::Standing standing) {
  switch (standing) {
    case plan::Standing::kFinished:
      return "finished";
    case plan::Standing::kTerminating:
      return "terminating";
    case plan::Standing::kOtherScheduler:
      return "other scheduler";
    case plan::Standing::kBound:
      return "bound";
    case plan::Standing::kGated:
      return "gated";
    case plan::Standing::kPending:
      return "waits";
  }
  return "";
}

// Of a gang that is not planned, and nothing stands against planning it.
void ExplainSettled(ExplainedGang* gang) {
  const plan::GroupState& group = gang->group;
  if (group.existing == 0) {
    gang->state = GangState::kNoMembers;
  } else if (group.independent) {
    gang->state = GangState::kOneByOne;
  } else if (group.broken) {
    gang->state = GangState::kPart;
    gang->text = fmt::format("{} of {} members are bound and no other member is waiting",
                             group.bound, group.needed);
  } else {
    gang->state = GangState::kWhole;
  }
}

std::string HeldText(const plan::GroupState& group) {
  return fmt::format("{} of {} existing members {} the gate {}", group.queued, group.existing,
                     group.queued == 1 ? "has" : "have", plan::kQueueGate);
}

}  // namespace

std::optional<Told> LastTold(std::span<const Told> all, const plan::UnitKey& gang, int64_t oldest) {
  const std::string about = fmt::format("gang {} ", plan::TextOf(gang));
  const Told* last = nullptr;
  for (const Told& told : all) {
    if (!told.note.starts_with(about) || !IsOfThisOne(told, gang, oldest)) continue;
    if (last == nullptr || last->time < told.time) last = &told;
  }
  if (last == nullptr) return std::nullopt;
  return Told{last->reason, last->note.substr(about.size()), WholeSeconds(last->time), last->about};
}

std::string_view TextOf(GangState state) {
  switch (state) {
    case GangState::kWhole:
      return "whole";
    case GangState::kPart:
      return "bound in part";
    case GangState::kFits:
      return "fits";
    case GangState::kWaits:
      return "waits";
    case GangState::kOneByOne:
      return "one by one";
    case GangState::kNoMembers:
      return "no members";
  }
  return "";
}

std::string_view DialectText(Dialect dialect) {
  return dialect == Dialect::kLabels ? "labels" : RowOf(dialect).name;
}

GangPlan::GangPlan(const PlannedCluster* cluster, PlanFlags flags, bool only_groups)
    : cluster_(*cluster), only_groups_(only_groups), planned_(*cluster, std::move(flags)) {
  for (const plan::Unit& unit : planned_.left_out) left_out_.insert(unit.key);
  const std::vector<plan::Unit>& units = planned_.grouped.units;
  for (size_t i = 0; i < units.size(); ++i) {
    for (size_t m = 0; m < units[i].members.size(); ++m) {
      seats_[units[i].members[m].pod.get()] = {i, m};
    }
  }
  groups_ = planned_.grouped.groups;
  AddGroupsWithoutPods();
  FilePods();
}

void GangPlan::AddGroupsWithoutPods() {
  const size_t with_pods = groups_.size();
  for (const PodGroup& object : cluster_.pod_groups) {
    plan::GroupState group;
    group.key = {object.dialect, object.namespace_, object.name, object.uid};
    const auto end = groups_.begin() + static_cast<std::ptrdiff_t>(with_pods);
    if (std::binary_search(groups_.begin(), end, group, ComesFirst)) continue;
    if (!object.independent) group.minimum = object.min_member;
    groups_.push_back(std::move(group));
  }
  std::sort(groups_.begin(), groups_.end(), ComesFirst);
}

void GangPlan::FilePods() {
  pods_of_.resize(groups_.size());
  for (const PodPtr& pod : planned_.pods) {
    const auto membership = plan::MembershipOf(*pod, nullptr);
    if (!membership) continue;
    const plan::GroupState* const group = plan::FindGroup(groups_, *membership);
    if (group != nullptr) pods_of_[static_cast<size_t>(group - groups_.data())].push_back(pod);
  }
  for (std::vector<PodPtr>& of_group : pods_of_) {
    std::sort(of_group.begin(), of_group.end(),
              [](const PodPtr& a, const PodPtr& b) { return a->name < b->name; });
  }
}

ExplainedMember GangPlan::MemberOf(const Pod& pod) const {
  ExplainedMember member;
  member.name = pod.name;
  member.node = pod.node_name;
  const plan::Standing standing = plan::StandingOf(pod, planned_.group_options);
  const bool queued = standing == plan::Standing::kPending && plan::IsQueued(pod);
  member.state = queued ? "queued" : StandingText(standing);
  if (const auto membership = plan::MembershipOf(pod, nullptr)) member.role = membership->role;
  const auto seat = seats_.find(&pod);
  if (seat == seats_.end()) return member;
  const plan::UnitPlan& planned = planned_.plan.units[seat->second.unit];
  if (!planned.fits || planned.nodes[seat->second.member].empty()) return member;
  if (!queued) member.state = "placed";
  member.node = planned.nodes[seat->second.member];
  return member;
}

void GangPlan::AddNotAsking(std::span<const PodPtr> pods, ExplainedGang* gang) const {
  bool any_asks = only_groups_;
  std::map<std::string_view, std::vector<std::string>> found;
  for (const PodPtr& pod : pods) {
    const plan::Standing standing = plan::StandingOf(*pod, planned_.group_options);
    if (standing == plan::Standing::kFinished || standing == plan::Standing::kTerminating ||
        standing == plan::Standing::kOtherScheduler) {
      continue;
    }
    const plan::CallsAsked asked = plan::CallsAskedBy(*pod);
    any_asks |= asked.in_cycle || asked.bind;
    if (!asked.All()) found[asked.Missing()].push_back(pod->name);
  }
  if (any_asks && !gang->group.independent) gang->not_asking = std::move(found);
}

void GangPlan::ExplainUnit(size_t unit, bool figures, ExplainedGang* gang) {
  gang->place = unit + 1;
  gang->placed_before = static_cast<size_t>(std::count_if(
      planned_.plan.units.begin(), planned_.plan.units.begin() + static_cast<std::ptrdiff_t>(unit),
      [](const plan::UnitPlan& planned) { return planned.fits; }));
  const plan::UnitPlan& planned = planned_.plan.units[unit];
  gang->state = planned.fits ? GangState::kFits : GangState::kWaits;
  if (planned.fits) return;
  gang->cause = TextOf(planned.cause);
  if (figures)
    gang->text =
        planned_.planner
            .Explain(cluster_.snapshot, planned_.grouped.units, unit, planned_.plan_options)
            .text;
}

// Members of gangs with places that have no gate and no node.
size_t GangPlan::ReleasedWithPlaces() const {
  size_t count = 0;
  const std::vector<plan::Unit>& units = planned_.grouped.units;
  for (size_t i = 0; i < units.size(); ++i) {
    if (units[i].key.dialect == Dialect::kNone || !planned_.plan.units[i].fits) continue;
    for (const plan::Member& member : units[i].members) {
      count += member.pod->scheduling_gates.empty() ? 1U : 0U;
    }
  }
  return count;
}

// What keeps its members gated, as far as the cluster shows it; empty: none is.
std::string GangPlan::GateText(const ExplainedGang& gang, const plan::Unit* unit) const {
  const plan::GroupState& group = gang.group;
  if (group.queued == 0) return {};
  if (unit == nullptr) return HeldText(group) + ": nothing is planned for the gang";
  if (gang.state != GangState::kFits) {
    return HeldText(group) + ": the gang has no place; a few of such gangs are released in their " +
           "order, for autoscalers (ahead)";
  }
  const plan::UnitPlan& planned = planned_.plan.units[gang.place - 1];
  size_t places = 0;
  size_t nominated = 0;
  for (size_t i = 0; i < unit->members.size(); ++i) {
    if (planned.nodes[i].empty()) continue;
    ++places;
    nominated += unit->members[i].pod->nominated_node_name == planned.nodes[i] ? 1U : 0U;
  }
  if (nominated < places) {
    return fmt::format(
        "{}: an agent with gates releases it once all its pods have a nominated node; {} of {} "
        "have one",
        HeldText(group), nominated, places);
  }
  return fmt::format(
      "{}: an agent with gates releases it in queue order (window): {} released members of gangs "
      "with nodes are not bound yet",
      HeldText(group), ReleasedWithPlaces());
}

ExplainedGang GangPlan::Explain(const plan::GroupState& group, bool figures) {
  ExplainedGang gang;
  gang.group = group;
  const plan::Unit* unit = nullptr;
  const std::vector<PodPtr>& pods = pods_of_[static_cast<size_t>(&group - groups_.data())];
  AddNotAsking(pods, &gang);
  for (const PodPtr& pod : pods) {
    const ExplainedMember& member = gang.members.emplace_back(MemberOf(*pod));
    // Those that are through may be of a former gang of that name.
    const bool is_through = member.state == "finished" || member.state == "terminating";
    if (!is_through && (gang.oldest == 0 || pod->creation_time < gang.oldest)) {
      gang.oldest = pod->creation_time;
    }
    const auto seat = seats_.find(pod.get());
    if (seat != seats_.end()) unit = &planned_.grouped.units[seat->second.unit];
  }
  if (group.cause != plan::GroupCause::kNone) {
    gang.state = GangState::kWaits;
    gang.cause = TextOf(group.cause);
    gang.text = group.text;
  } else if (left_out_.contains(group.key)) {
    gang.state = GangState::kWaits;
    gang.cause = TextOf(plan::GroupCause::kTooMuch);
    gang.text = plan::TermLimit::Reason();
  } else if (unit == nullptr) {
    ExplainSettled(&gang);
  } else if (unit->key.dialect == Dialect::kNone) {
    gang.state = GangState::kOneByOne;
  } else {
    ExplainUnit(static_cast<size_t>(unit - planned_.grouped.units.data()), figures, &gang);
  }
  gang.gate = GateText(gang, unit);
  return gang;
}

}  // namespace outrigger::cli
