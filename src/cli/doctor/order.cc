#include "cli/doctor/checks.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

using Id = FindingId;

// The entry by which an agent filters that plans for all pods; null if there is none.
const Entry* PlannersFilter(const DoctorCase& found) {
  for (const Entry& entry : found.entries) {
    if (entry.Plans() && entry.Has(kFilterVerb)) return &entry;
  }
  return nullptr;
}

Place IgnorablePlace(const Entry& entry) {
  return entry.fields.Truth("ignorable").place;
}

constexpr const char* kNotIgnorable = "leave ignorable out (false is the default)";

void CheckLast(const DoctorCase& found, const Entry& planner, Findings* findings) {
  const Entry* behind = nullptr;
  for (const Entry& entry : found.entries) {
    const bool later = &entry > &planner && !entry.Plans();
    if (later && !entry.ignorable && entry.Has(kFilterVerb)) behind = &entry;
  }
  if (behind == nullptr || planner.ignorable) return;
  findings->Add(Id::kPlannerNotLast, planner.place(),
                fmt::format("filterVerb before that of {}", behind->Title()),
                fmt::format("move it after {}", behind->place().path));
}

void CheckIgnorable(const Entry& entry, const Entry* planner, Findings* findings) {
  if (!entry.ignorable) return;
  const auto add = [&](Id id) { findings->Add(id, IgnorablePlace(entry), "true", kNotIgnorable); };
  if (entry.Plans() && entry.InCycle()) return add(Id::kPlannerIgnorable);
  if (entry.MayServe(kBindVerb) && entry.Has(kBindVerb)) add(Id::kBindIgnorable);
  if (!entry.Has(kFilterVerb)) return;
  if (planner != nullptr) {
    add(Id::kFilterIgnorableBesidePlanner);
  } else if (entry.ours) {
    add(Id::kFilterIgnorable);
  }
}

}  // namespace

void CheckOrder(const DoctorCase& found, Findings* findings) {
  const Entry* planner = PlannersFilter(found);
  if (planner != nullptr) CheckLast(found, *planner, findings);
  for (const Entry& entry : found.entries) CheckIgnorable(entry, planner, findings);
}

}  // namespace outrigger::cli
