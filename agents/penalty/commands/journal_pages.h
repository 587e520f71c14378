#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "console/pages/page_text.h"
#include "penalty/classes/time.h"
#include "penalty/commands/penalty_cluster.h"

namespace outrigger::cli {

/// The pages of agent penalty under the names that `explain penalty` gives them.
struct PenaltyPage {
  std::string key;    // "classes": in JSON and YAML
  std::string title;  // above its table
  PageSpec spec;
};
std::vector<PenaltyPage> PagesOfPenalty();

struct JournalWish {
  std::string namespace_;  // of the journal
  size_t limit = 0;        // rows of a page, at most
  penalty::Millis now = 0;
};

/// The pages as the journal and the cluster have them, in the order of PagesOfPenalty(). Penalties
/// are those of their last count, since the agent's settings are not known. `notes` get what is
/// damaged or differs, and why pods cannot be listed. Errors: of the other calls;
/// FailedPrecondition: the journal is of a later version.
absl::StatusOr<std::vector<NamedPage>> PagesOfJournal(const PenaltyCluster& cluster,
                                                      const JournalWish& wish,
                                                      std::vector<std::string>* notes);

}  // namespace outrigger::cli
