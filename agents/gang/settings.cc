#include "settings.h"

#include <algorithm>

namespace outrigger::gang {

using std::chrono::seconds;

std::chrono::seconds BindTimeoutOf(const Settings& settings, const SchedulerFacts& scheduler) {
  return scheduler.bind_timeout.value_or(seconds(settings.bind_timeout));
}

std::chrono::seconds PartialTimeoutOf(const Settings& settings) {
  if (settings.partial_timeout > 0) return seconds(settings.partial_timeout);
  return std::min(seconds(60), seconds(settings.timeout));
}

Patience PatienceOf(const Settings& settings, const SchedulerFacts& scheduler) {
  // kube-scheduler's own default is 600 s.
  const seconds volumes = scheduler.volume_bind_timeout.value_or(seconds(600));
  return {.usual = seconds(settings.timeout), .with_claims = volumes + seconds(20)};
}

EvictorOptions EvictorOptionsOf(const Settings& settings) {
  EvictorOptions options;
  options.enabled = settings.preempt;
  options.min_run_time = seconds(settings.min_run_time);
  return options;
}

desk::DeskTerms TermsOf(const AgentDeps& deps, const Settings& settings) {
  desk::DeskTerms terms = desk::TermsOf("gang", deps, settings);
  terms.members_only = settings.only_groups;
  terms.adjust = [settings, scheduler = deps.scheduler](desk::PlanningOptions* options) {
    options->groups.leave_upstream = settings.leave_upstream;
    options->nominations.patience = PatienceOf(settings, scheduler);
  };
  return terms;
}

}  // namespace outrigger::gang
