#pragma once

#include <map>
#include <string>
#include <vector>

#include "doctor_testing.h"

// Configurations that scheduler-config wrote, changed in one thing, and what the doctor finds.

namespace outrigger::testing {

// extenders[0] is safe's, [1] gang's for the scheduling cycle, [2] gang's for bind.
inline constexpr const char* kSafeAndGang = "safe,gang";

struct FindingRow {
  std::string name;
  std::string finding;
  std::vector<Change> changes;
  std::string place;
  std::string found;  // a part of it
  std::string fix;    // a part of it
  std::string agents = kSafeAndGang;
  std::map<std::string, std::string> told = {};
};

std::vector<FindingRow> RefusedRows();
std::vector<FindingRow> UrlRows();
std::vector<FindingRow> EntryRows();
std::vector<FindingRow> CallRows();
std::vector<FindingRow> SchedulerRows();

}  // namespace outrigger::testing
