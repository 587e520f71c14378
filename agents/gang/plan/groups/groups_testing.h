#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "builders.h"
#include "gang/plan/groups.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sdk/base/dialects.h"

namespace outrigger::plan {

using PodPtr = std::shared_ptr<const Pod>;
using Pods = std::vector<PodPtr>;

/// A pending pod default/<name>, changed by chaining.
class PodOf {
 public:
  explicit PodOf(std::string_view name) : pod_(testing::MakePod(name)) {}
  PodOf& In(std::string_view ns) { return pod_.namespace_ = ns, *this; }
  PodOf& Label(std::string_view key, std::string_view value) {
    return pod_.labels.Set(key, value), *this;
  }
  PodOf& Annotation(std::string_view key, std::string_view value) {
    return pod_.annotations.Set(key, value), *this;
  }
  PodOf& Priority(int32_t priority) { return pod_.priority = priority, *this; }
  PodOf& Created(int64_t seconds) { return pod_.creation_time = seconds, *this; }
  PodOf& Gate(std::string_view gate) { return pod_.scheduling_gates.emplace_back(gate), *this; }
  PodOf& On(std::string_view node) { return pod_.node_name = node, *this; }
  PodOf& Owner(std::string_view uid) {
    return pod_.controller = {"Job", "of-" + std::string(uid), std::string(uid)}, *this;
  }
  PodOf& Scheduled(int64_t seconds) { return pod_.scheduled_time = seconds, *this; }
  PodOf& Phase(std::string_view phase) { return pod_.phase = phase, *this; }
  PodOf& Terminating() { return pod_.being_deleted = true, *this; }
  PodOf& Scheduler(std::string_view name) { return pod_.scheduler_name = name, *this; }
  PodOf& Qos(std::string_view name) { return pod_.qos_class = name, *this; }

  /// In the group `group` of `dialect`; `minimum` is for kLabels.
  PodOf& Member(Dialect dialect, std::string_view group, std::string_view minimum = "2") {
    if (dialect == Dialect::kLabels) {
      Label(kPodGroupLabel, group).Label(kMinAvailableLabel, minimum);
    }
    const DialectRow& row = RowOf(dialect);
    if (row.place == MarkerPlace::kLabel) Label(row.marker, group);
    if (row.place == MarkerPlace::kAnnotation) Annotation(row.marker, group);
    if (dialect == Dialect::kUpstream) pod_.scheduling_group = group;
    return *this;
  }
  /// As Member(kLabels, "train", minimum).
  PodOf& Train(std::string_view minimum = "2") {
    return Member(Dialect::kLabels, "train", minimum);
  }
  operator PodPtr() const {  // NOLINT(google-explicit-constructor)
    return std::make_shared<const Pod>(pod_);
  }
  operator Pod() const { return pod_; }  // NOLINT(google-explicit-constructor)

 private:
  Pod pod_;
};

/// default/<name> with a minimum of 2 and the UID uid-<name>.
inline PodGroupObject ObjectOf(Dialect dialect, std::string_view name, int64_t minimum = 2) {
  PodGroupObject object;
  object.dialect = dialect;
  object.namespace_ = "default";
  object.name = name;
  object.uid = "uid-" + std::string(name);
  object.min_member = minimum;
  return object;
}

inline GroupOptions AllServed() {
  GroupOptions options;
  options.served = DialectSet::All();
  return options;
}

/// What BuildUnits() says, and what it noted.
struct Built {
  std::vector<Unit> units;
  std::vector<GroupState> groups;
  std::vector<Note> notes;
};
inline Built Build(const Pods& pods, const std::vector<PodGroupObject>& objects = {},
                   const GroupOptions& options = AllServed()) {
  NotesOnce notes;
  GroupedUnits made = BuildUnits(pods, objects, options, &notes);
  return {std::move(made.units), std::move(made.groups), notes.Take()};
}

/// "train(a b)": a unit's name and its members in order.
inline std::string Brief(const Unit& unit) {
  std::string text;
  for (const Member& member : unit.members) {
    text += (text.empty() ? "" : " ") + member.pod->name;
  }
  return unit.key.name + "(" + text + ")";
}
inline std::vector<std::string> Brief(const std::vector<Unit>& units) {
  std::vector<std::string> all;
  for (const Unit& unit : units) all.push_back(Brief(unit));
  return all;
}

MATCHER_P3(IsNote, kind, about, text, "") {
  *result_listener << arg.about << ": " << arg.text;
  return arg.kind == kind && arg.about == about && arg.text.find(text) != std::string::npos;
}

}  // namespace outrigger::plan
