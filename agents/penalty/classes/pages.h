#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "outrigger/agent/page.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/priority_class.h"
#include "penalty/classes/bounds.h"
#include "penalty/classes/edges.h"
#include "penalty/classes/ledger.h"
#include "penalty/classes/time.h"

// The pages of agent penalty, which `outrigger explain penalty` prints, too (docs/penalty.md).
// Pure and thread-safe.

namespace outrigger::penalty {

/// "penalty": a class in each row.
PageSpec ClassesPage();
/// "penalty-changes": the last changes of values, the newest first.
PageSpec ChangesPage();
/// "penalty-sums": queues and namespaces.
PageSpec SumsPage();
/// "penalty-groups": PodGroups of penalised classes.
PageSpec GroupsPage();
/// "penalty-pods": classes whose pods carry a number below the class's value.
PageSpec PodsPage();
/// All five, in this order.
std::vector<PageSpec> PenaltyPages();

/// A row of ClassesPage().
struct ClassRow {
  const ClassAccount* account = nullptr;  // never null
  double penalty = 0;                     // points
  std::string state;                      // "at base", "penalised", "left alone: finalizers"
  std::optional<Floor> floor = {};
  std::optional<int64_t> next_value = {};
  std::optional<Millis> next_at = {};
};
void AddRow(const ClassRow& row, PageTable* table);

void FillChanges(const Ledger& ledger, PageTable* table);

/// With `policy`: penalties as of `now`; without: as of their last count.
void FillSums(const Ledger& ledger, const Policy* policy, Millis now, PageTable* table);

/// A row of GroupsPage().
struct GroupRow {
  std::string namespace_;
  std::string name;
  std::string phase;
  std::string class_name;
  std::string queue;
  std::string counted;  // "1 started"
};
void AddRow(const GroupRow& row, PageTable* table);
/// What is counted of a group, for GroupRow: "1 started", "1 completed", "1 waiting", "1 waiting,
/// goes on"; of one of which nothing is counted "new", "waiting", "completed before".
std::string CountedText(const GroupState& state);

/// The pods that were created while their class had less than it has now: the number of a pod never
/// changes. Not thread-safe.
class LowPods {
 public:
  /// Takes a pod. One that has finished does not count.
  void Take(const Pod& pod);
  /// Fills PodsPage(). Pods of a stand-in (mapping.h) are those of its class, also where the
  /// stand-in is gone. `mapped`: classes whose new pods get another value than the class has.
  void Fill(const std::vector<PriorityClass>& classes,
            const std::map<std::string, int64_t, std::less<>>& mapped, PageTable* table) const;

 private:
  struct Pods {
    int64_t count = 0;
    std::vector<std::string> first;  // "namespace/name", in the order of Take()
  };
  using Numbers = std::map<int64_t, Pods>;
  static void AddRow(const std::string& class_name, int64_t value, const Numbers& numbers,
                     PageTable* table);

  std::map<std::string, Numbers, std::less<>> pods_;  // by the class that they name
};

}  // namespace outrigger::penalty
