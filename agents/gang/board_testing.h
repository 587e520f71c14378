#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "board.h"
#include "builders.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "outrigger/plan/pods.h"

// Boards for tests, as a plan of a small cluster gives them.

namespace outrigger::gang {

inline plan::UnitKey LabelsGang(std::string_view name) {
  return {plan::Dialect::kLabels, "default", std::string(name), ""};
}

/// A board of gangs by labels whose members "<gang>-<i>" have leases on "n1".
class MakeBoard {
 public:
  MakeBoard() { cluster_.Put(testing::MakeNode("n1")); }

  void AddGang(const std::string& name, int64_t minimum, size_t members) {
    plan::Unit unit;
    unit.key = LabelsGang(name);
    unit.minimum = minimum;
    for (size_t i = 0; i < members; ++i) unit.members.emplace_back().pod = Member(name, i, minimum);
    gangs_[name] = {std::move(unit), {}, minimum, {}, nullptr};
  }
  /// The first `count` members of a gang are bound.
  void Bind(const std::string& name, size_t count) {
    Entry& gang = gangs_[name];
    for (size_t i = 0; i < count; ++i) {
      Pod pod = *Member(name, i, gang.minimum);
      pod.node_name = "n1";
      gang.bound.push_back(std::make_shared<Pod>(std::move(pod)));
    }
    auto& members = gang.unit.members;
    members.erase(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(count));
  }
  void Role(const std::string& name, const std::string& role, int64_t minimum) {
    gangs_[name].unit.roles.push_back({role, minimum, 0});
  }
  /// The gang does not fit.
  void Refuse(const std::string& name, const std::string& resource) {
    gangs_[name].cause = {plan::Cause::Class::kResource, resource};
  }

  void Change(const std::string& name, std::function<void(plan::GroupState*)> change) {
    gangs_[name].change = std::move(change);
  }

  /// The units of the gangs, in order.
  std::vector<plan::Unit> Units() const {
    std::vector<plan::Unit> units;
    for (const auto& [name, gang] : gangs_) {
      units.push_back(gang.unit);
      units.back().rank.name = name;
    }
    return units;
  }

  std::shared_ptr<const Board> Make() {
    std::vector<plan::Unit> units;
    std::vector<plan::GroupState> groups;
    std::vector<PodPtr> pods;
    plan::Plan plan;
    for (const auto& [name, gang] : gangs_) {
      units.push_back(gang.unit);
      plan::UnitPlan& planned = plan.units.emplace_back();
      planned.fits = gang.cause.kind == plan::Cause::Class::kNone;
      planned.cause = gang.cause;
      planned.nodes.assign(gang.unit.members.size(), planned.fits ? "n1" : "");
      plan::GroupState& group = groups.emplace_back();
      group.key = gang.unit.key;
      group.minimum = gang.minimum;
      group.bound = static_cast<int64_t>(gang.bound.size());
      if (gang.change) gang.change(&group);
      pods.insert(pods.end(), gang.bound.begin(), gang.bound.end());
      for (const plan::Member& member : gang.unit.members) pods.push_back(member.pod);
    }
    const auto view = cluster_.Take();
    return std::make_shared<const Board>(Board::Input{.units = units,
                                                      .resting = {},
                                                      .plan = plan,
                                                      .groups = groups,
                                                      .pods = pods,
                                                      .snapshot = *view->snapshot});
  }

 private:
  struct Entry {
    plan::Unit unit;
    plan::Cause cause;
    int64_t minimum = 0;
    std::vector<PodPtr> bound;
    std::function<void(plan::GroupState*)> change;
  };
  static PodPtr Member(const std::string& gang, size_t index, int64_t minimum) {
    const Pod pod = testing::MakePod(fmt::format("{}-{}", gang, index))
                        .Label("podGroup", gang)
                        .Label("minAvailable", std::to_string(minimum));
    return std::make_shared<Pod>(pod);
  }

  testing::FakeCluster cluster_;
  std::map<std::string, Entry> gangs_;
};

}  // namespace outrigger::gang
