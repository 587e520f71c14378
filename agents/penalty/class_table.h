#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "outrigger/k8s/priority_class.h"
#include "penalty/classes/bounds.h"
#include "penalty/classes/ledger.h"
#include "penalty/classes/policy.h"
#include "settings.h"

namespace outrigger::penalty {

/// A PriorityClass of the cluster, and by which rules it is penalised.
struct ClassRules {
  const PriorityClass* in_cluster = nullptr;  // never null
  bool is_selected = false;
  /// The class that this one stands in for (mapping.h); empty: it is no stand-in.
  std::string stands_for;
  Policy policy;
  Bounds bounds;
  std::string floor_of;  // what is below the floor (bounds.h)
  std::string room;      // RoomProblem() of a class that is not left alone
  /// Why a selected class is left alone: a short fixed name ("finalizers", "annotation"), and what
  /// is the matter and what helps. Both empty: it is not.
  std::string reason;
  std::string message;

  bool IsPenalised() const { return is_selected && reason.empty(); }
};

/// All classes of the cluster by name. It points into `classes`.
using ClassTable = std::map<std::string, ClassRules, std::less<>>;

/// Why classes could not be replaced that are not left alone by their looks: "owner-gone".
using RefusedClasses = std::map<std::string, std::string, std::less<>>;

/// Makes the table. The base of a class is that of its account, if it has one.
ClassTable MakeClassTable(const std::vector<PriorityClass>& classes, const Ledger& ledger,
                          const Options& options);

/// Returns whether the priority of pods of that class changes while they run: it is selected, or
/// has a penalty.
bool IsPenalisedClass(const PriorityClass& priority_class, const Options& options);

}  // namespace outrigger::penalty
