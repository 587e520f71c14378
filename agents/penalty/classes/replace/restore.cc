#include "penalty/classes/restore.h"

#include <utility>

#include "fmt/format.h"
#include "penalty/classes/base_value.h"
#include "penalty/classes/journal_maps.h"

namespace outrigger::penalty {
namespace {

absl::StatusOr<Replacement> RestoreTo(Replacer* replacer, const RestoreTarget& target, int64_t base,
                                      Millis now, const std::stop_token& term) {
  ReplaceRequest request;
  request.class_name = target.class_name;
  request.base = base;
  request.target = base;
  request.written = target.written;
  request.cause = "restore";
  request.now = now;
  return replacer->Restore(request, term);
}

absl::StatusOr<Replacement> RestoreClass(Replacer* replacer, PriorityClassAccess* classes,
                                         const RestoreTarget& target, Millis now,
                                         const std::stop_token& term) {
  std::optional<int64_t> base = target.base;
  if (!base) {
    const auto there = classes->ReadPriorityClass(target.class_name, {.stop = term});
    if (!there.ok() && !absl::IsNotFound(there.status())) return there.status();
    base = there.ok() ? BaseOf(*there).base : 0;
  }
  absl::StatusOr<Replacement> result = RestoreTo(replacer, target, *base, now, term);
  if (result.ok() && result->outcome == Replacement::Outcome::kAdopted) {
    result = RestoreTo(replacer, target, result->base, now, term);
  }
  return result;
}

// What is removed of a map is what was read of it.
absl::Status RemoveMap(ConfigMapAccess* maps, const std::string& namespace_,
                       const std::string& name, const CallLimits& limits) {
  const absl::StatusOr<ConfigMap> map = maps->ReadConfigMap(namespace_, name, limits);
  absl::Status removed = map.ok() ? maps->DeleteConfigMap(*map, limits) : map.status();
  return absl::IsNotFound(removed) ? absl::OkStatus() : removed;
}

}  // namespace

bool RestoredClass::is_done() const {
  using Outcome = Replacement::Outcome;
  return result.ok() &&
         (result->outcome == Outcome::kReplaced || result->outcome == Outcome::kUnchanged ||
          result->outcome == Outcome::kAbsent);
}

std::vector<RestoredClass> RestoreClasses(Replacer* replacer, PriorityClassAccess* classes,
                                          std::span<const RestoreTarget> targets, Millis now,
                                          const std::stop_token& term) {
  std::vector<RestoredClass> all;
  for (const RestoreTarget& target : targets) {
    all.push_back({target.class_name, RestoreClass(replacer, classes, target, now, term)});
  }
  return all;
}

absl::Status RemoveJournal(ConfigMapAccess* maps, const std::string& namespace_,
                           const CallLimits& limits) {
  for (int i = 0; i < kIntentMaps; ++i) {
    const std::string name = JournalMapName({JournalMapKind::kIntent, i});
    absl::Status there = maps->ReadConfigMap(namespace_, name, limits).status();
    if (there.ok()) {
      return absl::FailedPreconditionError(
          fmt::format("ConfigMap {}/{}: it still has an intent", namespace_, name));
    }
    if (!absl::IsNotFound(there)) return there;
  }
  absl::Status first;
  for (const std::string& name : JournalMapNames())
    first.Update(RemoveMap(maps, namespace_, name, limits));
  return first;
}

}  // namespace outrigger::penalty
