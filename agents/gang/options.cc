#include "options.h"

#include <chrono>
#include <optional>
#include <string_view>

namespace outrigger::gang {

using std::chrono::seconds;

Patience PatienceOf(const Settings& settings) {
  return {.usual = seconds(settings.timeout), .with_claims = seconds(settings.claim_timeout)};
}

desk::DeskTerms TermsOf(const AgentDeps& deps, const Settings& settings) {
  const auto given = [&deps](std::string_view name, const auto& value) {
    return deps.given.contains(name) ? std::optional(value) : std::nullopt;
  };
  desk::DeskTerms terms;
  terms.agent = "gang";
  terms.scheduler_names = given("scheduler-names", settings.scheduler_names);
  terms.scheduler_lease = given("scheduler-lease", settings.scheduler_lease);
  terms.host_name = given("host-name", settings.host_name);
  terms.unchecked = given("unchecked", settings.unchecked);
  terms.reserve_after = given("reserve-after", settings.reserve_after);
  terms.only_groups = settings.only_groups;
  terms.without_extender = settings.without_extender;
  terms.lease = given("lease", settings.lease);
  terms.adjust = [settings](desk::PlanningOptions* options) {
    options->groups.leave_upstream = settings.leave_upstream;
    options->nominations.patience = PatienceOf(settings);
    options->nominations.nomination_grace = seconds(settings.nomination_grace);
    options->nominations.nominate_all = settings.nominate == "all";
    // A place is the gang's own only once it is nominated, and gated pods are never rejected.
    const bool gates = settings.gates || settings.without_extender;
    options->nominations.nominate_ahead = gates;
    options->groups.plan_queued = gates;
    options->release.enabled = gates;
    options->release.window = static_cast<size_t>(settings.window);
    options->release.ahead = static_cast<size_t>(settings.ahead);
  };
  return terms;
}

}  // namespace outrigger::gang
