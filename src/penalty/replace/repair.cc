#include "penalty/replace/repair.h"

#include <string>

#include "fmt/format.h"
#include "outrigger/penalty/base_value.h"
#include "outrigger/penalty/eligibility.h"
#include "outrigger/penalty/intent.h"
#include "outrigger/penalty/journal_maps.h"

namespace outrigger::penalty {
namespace {

std::string WhatIsWrong(const IntentRead& read, const ConfigMap& map) {
  return read.findings.empty() ? fmt::format("ConfigMap {}: was edited", map.name)
                               : FindingText(read.findings.front());
}

absl::Status NotRepaired(const std::string& wrong, std::string_view remedy) {
  return absl::InvalidArgumentError(fmt::format("{}; {}", wrong, remedy));
}

}  // namespace

absl::StatusOr<Replacement> RepairClassOf(PriorityClassAccess* classes, const ConfigMap& map,
                                          const CallLimits& limits) {
  const IntentRead read = ReadIntent(map);
  const std::string wrong = WhatIsWrong(read, map);
  const auto manifest = classes->ParsePriorityClass(read.intent.manifest);
  if (!read.is_manifest_intact || !manifest.ok() || RefusalOf(*manifest, Purpose::kRestore)) {
    return NotRepaired(wrong,
                       "its class is not known: if one is missing, create it; then delete "
                       "the ConfigMap");
  }
  absl::StatusOr<PriorityClass> there = classes->ReadPriorityClass(manifest->name, limits);
  const bool was_absent = absl::IsNotFound(there.status());
  const int64_t base = BaseOf(*manifest).base;
  if (was_absent) {
    there = classes->CreatePriorityClass({read.intent.manifest, static_cast<int32_t>(base),
                                          AnnotationsAt(manifest->annotations, base, base)},
                                         limits);
  }
  if (!there.ok()) return there.status();
  if (there->uid == manifest->uid && there->resource_version == manifest->resource_version) {
    return NotRepaired(wrong, "its class is there; if no agent runs, delete the ConfigMap");
  }
  return Replacement{
      .outcome = was_absent ? Replacement::Outcome::kReplaced : Replacement::Outcome::kAdopted,
      .class_name = manifest->name,
      .base = BaseOf(*there).base,
      .before = manifest->value,
      .value = there->value,
      .cause = "repair",
      .message = fmt::format("{}; class {} {} with value {}", wrong, manifest->name,
                             was_absent ? "was absent, and was made" : "is there", there->value)};
}

}  // namespace outrigger::penalty
