#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <tuple>

#include "common/desk_names.h"
#include "eviction/evictor.h"
#include "gang/desk/settings.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/settings.h"

namespace outrigger::gang {

struct Settings : desk::CommonSettings {
  int64_t timeout = 300;
  bool leave_upstream = false;
  bool preempt = false;
  bool write_status = false;
  // Former ones.
  bool only_groups = false;
  int64_t bind_timeout = 630;
  int64_t partial_timeout = 0;  // 0: not given
  int64_t min_run_time = 60;

  static constexpr auto kFields = std::tuple_cat(
      desk::CommonFields<Settings>(),
      std::tuple{
          Setting{"timeout", &Settings::timeout, Range{1, 86'400},
                  "seconds that an incomplete gang may hold nodes, unless its PodGroup has "
                  "scheduleTimeoutSeconds; then it queues last in its priority"},
          Setting{"leave-upstream", &Settings::leave_upstream,
                  "ignore groups of spec.schedulingGroup; kube-scheduler handles them with its "
                  "feature gates"},
          Setting{"preempt", &Settings::preempt,
                  "for a gang that does not fit, evict the cheapest sufficient set of gangs and "
                  "single pods of lower priority, within disruption budgets"},
          Setting{"write-status", &Settings::write_status,
                  "update the status of PodGroups; for clusters without their controller"},
      });

  static constexpr auto kFormer = std::tuple_cat(
      desk::CommonFormer<Settings>(),
      std::tuple{
          Setting{"only-groups", &Settings::only_groups,
                  "--scheduler-config sets it and wins already"},
          Setting{"bind-timeout", &Settings::bind_timeout, Range{5, 86'400},
                  "--scheduler-config sets it and wins already; without it 630"},
          Setting{"partial-timeout", &Settings::partial_timeout, Range{1, 86'400},
                  "fixed at 60, and at most timeout"},
          Setting{"min-run-time", &Settings::min_run_time, Range{0, 86'400}, "fixed at 60"},
      });

  static constexpr std::array kRetired{
      Retired{"gates", "true", "pods with the gate are always released"},
      Retired{"claim-timeout", "620",
              "fixed at 20 s more than bindTimeoutSeconds of --scheduler-config, else 620"},
      Retired{"nomination-grace", "5", "fixed at 5"},
      Retired{"lease-grace", "5", "fixed at 5"},
      Retired{"nominate", "", "members are nominated if another pod may take their nodes"},
      Retired{"lease-seconds", "15", "fixed at 15"},
      Retired{"window", "1000", "fixed at 1000"},
      Retired{"ahead", "1", "fixed at 1; 0 with mode=alone"},
      Retired{"weight", "", "the agent scores no nodes"},
  };
};

// What settings come to.

/// httpTimeout of the bind entry; without the scheduler's file what scheduler-config writes.
std::chrono::seconds BindTimeoutOf(const Settings& settings, const SchedulerFacts& scheduler);
/// How long a gang may be bound in part.
std::chrono::seconds PartialTimeoutOf(const Settings& settings);
Patience PatienceOf(const Settings& settings, const SchedulerFacts& scheduler);
/// What settings say of evictions.
EvictorOptions EvictorOptionsOf(const Settings& settings);
/// What the agent brings to the desk, but for its participant.
desk::DeskTerms TermsOf(const AgentDeps& deps, const Settings& settings);

}  // namespace outrigger::gang
