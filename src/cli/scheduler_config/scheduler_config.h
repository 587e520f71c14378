#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/scheduler_config/extender_tls.h"
#include "cli/scheduler_config/flags.h"
#include "cli/serve/options.h"
#include "console/settings/setting_group.h"

namespace outrigger::cli {

inline constexpr const char* kConfigApiVersion = "kubescheduler.config.k8s.io/v1";
inline constexpr const char* kConfigKind = "KubeSchedulerConfiguration";
/// The schedulerName of a profile that has none, and of pods that ask for none.
inline constexpr const char* kDefaultScheduler = "default-scheduler";

/// One element of `extenders` in a KubeSchedulerConfiguration; empty verbs are left out.
struct ExtenderEntry {
  std::vector<std::string> agents;  // more than one: at their merged paths
  std::string settings_of;          // the agent that is given the settings that all of them share
  std::string url_prefix;
  std::string filter_verb;
  std::string prioritize_verb;
  std::string preempt_verb;
  std::string bind_verb;
  std::string only_for = {};  // managed resource: called only about pods that request it
  int64_t weight = 1;         // written with prioritize_verb only
  std::chrono::milliseconds http_timeout{1000};
  bool ignorable = false;
  bool last = false;               // after all others
  bool names_only = true;          // nodeCacheCapable
  std::optional<ExtenderTls> tls;  // set for an https:// urlPrefix
};

/// What is to be written into a configuration.
struct SchedulerConfigPlan {
  std::vector<ExtenderEntry> extenders;
  std::string scheduler_name;                   // empty: as it is
  std::string lease_namespace = "kube-system";  // of a scheduler with a name of its own
  std::string kubeconfig;                       // empty: as it is
  SchedulerWishes wishes;                       // of any agent
  /// Whose entries a configuration may have already; they point into the registry.
  std::vector<SettingGroup> compiled_in;
  LeftOutAgents left_out;
  std::vector<std::string> notes;  // what the reader should know of the flags
};

/// The entries for the agents that `flags` choose. Those that wish to be last plan together in one
/// process, and have their entries together, at its merged paths; so have those that take bind
/// calls, if they are several. An agent that takes bind calls gets a second entry for that: a bind
/// call may wait for minutes, and the limit of a filter call is the longest time that the whole
/// cluster may stand still. `registry` outlives the result.
absl::StatusOr<SchedulerConfigPlan> PlanSchedulerConfig(const SchedulerConfigFlags& flags,
                                                        const std::vector<AgentInfo>& registry,
                                                        const LeftOutAgents& left_out);

/// A configuration, and what its reader should know, for standard error.
struct SchedulerConfigText {
  std::string yaml;
  std::vector<std::string> notes;
};

/// A document to add to; `name` is for messages.
struct SchedulerConfigInput {
  std::string name;
  std::string yaml;
};

/// Writes `plan` into `input`, or into a new document. Of `input` everything is kept but the
/// extenders with the urlPrefix of one of the plan's, with TLS or without, and those of one agent
/// that the plan calls together with others; those of agents that
/// wish to be last (as the doctor recognises them) come after all others. InvalidArgument,
/// with the place, for what is not a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1,
/// and for a second bindVerb: if that is another agent's, the text says how to serve both.
absl::StatusOr<SchedulerConfigText> WriteSchedulerConfig(
    const SchedulerConfigPlan& plan, const std::optional<SchedulerConfigInput>& input);

}  // namespace outrigger::cli
