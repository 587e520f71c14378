#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "builders.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "gang/desk/board.h"
#include "gang/desk/time.h"
#include "gang/plan/pods.h"

// Boards for tests, as a plan of a small cluster gives them.

namespace outrigger::desk {

/// When tests begin that hand in the time.
inline const Time kBegin = Time() + std::chrono::hours(1);

inline plan::UnitKey LabelsGang(std::string_view name) {
  return {plan::Dialect::kLabels, "default", std::string(name), ""};
}

/// A board of gangs by labels whose members "<gang>-<i>" have reservations on "n1", of 4 cpu.
class MakeBoard {
 public:
  MakeBoard() { cluster_.Put(testing::MakeNode("n1")); }

  void PutNode(const Node& node) { cluster_.Put(node); }
  void PutPod(const Pod& pod) { cluster_.Put(pod); }
  void AddGang(const std::string& name, int64_t minimum, size_t members,
               std::string_view cpu = "0") {
    plan::Unit unit;
    unit.key = LabelsGang(name);
    unit.rank.name = name;
    unit.minimum = minimum;
    for (size_t i = 0; i < members; ++i) {
      unit.members.emplace_back().pod = Member(name, i, minimum, cpu);
    }
    gangs_[name] = {std::move(unit), {}, minimum, members, {}, nullptr};
  }
  /// Another place than n1.
  void PlaceMember(const std::string& name, size_t index, const std::string& node) {
    gangs_[name].elsewhere[index] = node;
  }
  void Wish(const std::string& name, const plan::TopologyWish& wish) {
    gangs_[name].unit.topology = wish;
  }
  /// A pod without a group, planned for `node`; empty: it does not fit.
  void AddSingle(const Pod& pod, const std::string& node = "") {
    singles_.emplace_back(std::make_shared<Pod>(pod), node);
  }
  /// Single pods have places, too, and are held.
  void Hold() { hold_ = true; }
  /// The first `count` members of a gang are bound.
  void Bind(const std::string& name, size_t count) {
    Entry& gang = gangs_[name];
    for (size_t i = 0; i < count; ++i) {
      Pod pod = *Member(name, i, gang.minimum);
      pod.node_name = "n1";
      gang.bound.push_back(std::make_shared<Pod>(std::move(pod)));
    }
    gang.unit.bound += static_cast<int64_t>(count);
    auto& members = gang.unit.members;
    members.erase(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(count));
  }
  /// Pods of these names are bound members of a gang, besides those that it has.
  void BindThese(const std::string& name, const std::vector<std::string>& pods) {
    Entry& gang = gangs_[name];
    for (const std::string& pod_name : pods) {
      Pod pod = *Member(name, 0, gang.minimum);
      pod.name = pod_name;
      pod.uid = "uid-" + pod_name;
      pod.node_name = "n1";
      gang.bound.push_back(std::make_shared<Pod>(std::move(pod)));
    }
  }
  void Role(const std::string& name, const std::string& role, int64_t minimum) {
    gangs_[name].unit.roles.push_back({role, minimum, 0});
  }
  /// A member that wants a place, by its number among these.
  void ChangeMember(const std::string& name, size_t index,
                    const std::function<void(Pod*)>& change) {
    PodPtr& pod = gangs_[name].unit.members[index].pod;
    Pod changed = *pod;
    change(&changed);
    pod = std::make_shared<Pod>(std::move(changed));
  }
  void OpenClaims(const std::string& name, bool open) { gangs_[name].unit.has_open_claims = open; }
  /// The gang gave up its places so often.
  void Turn(const std::string& name, int64_t turn) { gangs_[name].unit.rank.turn = turn; }
  /// It comes before others of its priority.
  void PutInPart(const std::string& name) { gangs_[name].unit.rank.in_part = true; }
  /// The members of a gang from the given one on have no place.
  void Surplus(const std::string& name, size_t from) { gangs_[name].placed = from; }
  /// The gang is not planned for now.
  void Rest(const std::string& name, const std::string& why) { resting_[name] = why; }
  /// The node is kept free for a gang.
  void Keep(const std::string& node, const std::string& gang) {
    kept_.push_back(node);
    kept_for_ = LabelsGang(gang);
  }
  /// The gang does not fit.
  void Refuse(const std::string& name, const std::string& resource) {
    gangs_[name].cause = {plan::Cause::Class::kResource, resource};
  }
  /// Room is kept for its members on that node while it does not fit; empty: no more.
  void KeepRoom(const std::string& name, const std::string& node) { gangs_[name].room_on = node; }
  /// It fits again.
  void Accept(const std::string& name) { gangs_[name].cause = {}; }

  /// What a plan finds of the group; null: nothing more is changed.
  void Change(const std::string& name, std::function<void(plan::GroupState*)> change) {
    gangs_[name].change = std::move(change);
  }

  /// The units of the gangs, in order.
  std::vector<plan::Unit> Units() const {
    std::vector<plan::Unit> units;
    for (const auto& [name, gang] : gangs_) units.push_back(gang.unit);
    return units;
  }

  std::shared_ptr<const Board> Make() {
    std::vector<plan::Unit> units;
    std::vector<Resting> resting;
    std::vector<plan::GroupState> groups;
    std::vector<PodPtr> pods;
    plan::Plan plan;
    for (const auto& [name, gang] : gangs_) {
      plan::GroupState& group = groups.emplace_back();
      group.key = gang.unit.key;
      group.minimum = group.needed = gang.minimum;
      group.bound = static_cast<int64_t>(gang.bound.size());
      if (gang.change) gang.change(&group);
      if (resting_.contains(name)) {
        resting.push_back({gang.unit, resting_[name]});
      } else if (group.cause == plan::GroupCause::kNone) {
        units.push_back(gang.unit);
        plan.units.push_back(PlanOf(gang));
      }
      pods.insert(pods.end(), gang.bound.begin(), gang.bound.end());
      for (const plan::Member& member : gang.unit.members) pods.push_back(member.pod);
    }
    for (const auto& [pod, node] : singles_) {
      units.push_back(UnitOf(pod));
      plan::UnitPlan& planned = plan.units.emplace_back();
      planned.fits = !node.empty();
      planned.nodes = {node};
      pods.push_back(pod);
    }
    plan.kept = kept_;
    const auto view = cluster_.Take();
    return std::make_shared<const Board>(Board::Input{.units = units,
                                                      .resting = resting,
                                                      .plan = plan,
                                                      .groups = groups,
                                                      .pods = pods,
                                                      .snapshot = view->snapshot,
                                                      .kept_for = &kept_for_,
                                                      .hold = hold_});
  }

 private:
  struct Entry {
    plan::Unit unit;
    plan::Cause cause;
    int64_t minimum = 0;
    size_t placed = 0;  // members that have a place
    std::vector<PodPtr> bound;
    std::function<void(plan::GroupState*)> change;
    std::string room_on = {};
    std::map<size_t, std::string> elsewhere = {};  // by the number of the member
  };
  static PodPtr Member(const std::string& gang, size_t index, int64_t minimum,
                       std::string_view cpu = "0") {
    const Pod pod = testing::MakePod(fmt::format("{}-{}", gang, index))
                        .Label("podGroup", gang)
                        .Label("minAvailable", std::to_string(minimum))
                        .Requests({{"cpu", cpu}});
    return std::make_shared<Pod>(pod);
  }
  static plan::UnitPlan PlanOf(const Entry& gang) {
    plan::UnitPlan planned;
    planned.fits = gang.cause.kind == plan::Cause::Class::kNone;
    planned.cause = gang.cause;
    planned.nodes.assign(gang.unit.members.size(), "");
    const size_t placed = planned.fits ? std::min(gang.placed, planned.nodes.size()) : 0;
    std::fill_n(planned.nodes.begin(), placed, "n1");
    for (const auto& [index, node] : gang.elsewhere) planned.nodes[index] = node;
    if (!planned.fits && !gang.room_on.empty()) {
      planned.promised.assign(gang.unit.members.size(), gang.room_on);
    }
    return planned;
  }
  static plan::Unit UnitOf(const PodPtr& pod) {
    plan::Unit unit;
    unit.key = {plan::Dialect::kNone, pod->namespace_, pod->name, pod->uid};
    unit.rank.priority = pod->priority;
    unit.rank.name = pod->name;
    unit.members.emplace_back().pod = pod;
    return unit;
  }

  testing::FakeCluster cluster_;
  std::map<std::string, Entry> gangs_;
  std::map<std::string, std::string> resting_;  // gangs, and why
  std::vector<std::pair<PodPtr, std::string>> singles_;
  std::vector<std::string> kept_;
  bool hold_ = false;
  plan::UnitKey kept_for_;
};

}  // namespace outrigger::desk
