#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "class_table.h"
#include "group_table.h"
#include "outrigger/agent/page.h"
#include "penalty/classes/ledger.h"
#include "penalty/classes/time.h"
#include "settings.h"

namespace outrigger::penalty {

/// What pages show: views that live during the call.
struct Picture {
  const Ledger& ledger;
  const ClassTable& classes;
  const GroupTable& groups;
  const RefusedClasses& refused;
  const Options& options;
  Millis now = 0;
};

/// Fills a page of PenaltyPages(). NotFound: it is none of them.
absl::Status FillPenaltyPage(std::string_view page, const Picture& picture, PageTable* table);

}  // namespace outrigger::penalty
