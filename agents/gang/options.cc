#include "options.h"

#include <chrono>
#include <optional>
#include <string_view>

#include "fmt/format.h"

namespace outrigger::gang {

using std::chrono::seconds;

Patience PatienceOf(const Settings& settings) {
  return {.usual = seconds(settings.timeout), .with_claims = seconds(settings.claim_timeout)};
}

absl::Status CheckSettings(const AgentDeps& deps, const Settings& settings) {
  if (!settings.without_extender) return absl::OkStatus();
  const auto refuse = [](std::string_view setting, const auto& value, std::string_view why) {
    return absl::InvalidArgumentError(
        fmt::format("{0}: \"{1}\" is not accepted with without-extender: {2}; leave --gang.{0} out",
                    setting, value, why));
  };
  if (deps.given.contains("gates") && !settings.gates) {
    return refuse("gates", settings.gates, "nothing but the gate has members wait");
  }
  if (deps.given.contains("nominate")) {
    return refuse("nominate", settings.nominate, "all members with places are nominated");
  }
  if (deps.given.contains("ahead") && settings.ahead != 0) {
    return refuse("ahead", settings.ahead,
                  "nothing holds back part of a gang that is released without a place");
  }
  if (deps.given.contains("bind-timeout")) {
    return refuse("bind-timeout", settings.bind_timeout, "no bind call comes");
  }
  return absl::OkStatus();
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
  terms.window = given("window", settings.window);
  terms.only_groups = settings.only_groups;
  terms.without_extender = settings.without_extender;
  terms.lease = given("lease", settings.lease);
  terms.lease_seconds = given("lease-seconds", settings.lease_seconds);
  terms.adjust = [settings](desk::PlanningOptions* options) {
    options->groups.leave_upstream = settings.leave_upstream;
    options->nominations.patience = PatienceOf(settings);
    options->nominations.nomination_grace = seconds(settings.nomination_grace);
    const bool gates = true;
    options->groups.plan_queued = gates;
    options->release.enabled = gates;
    // Nothing would hold back part of a gang that is released without a place.
    options->release.ahead = settings.without_extender ? 0 : static_cast<size_t>(settings.ahead);
  };
  return terms;
}

}  // namespace outrigger::gang
