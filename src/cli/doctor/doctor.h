#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/doctor/findings.h"
#include "cli/serve/options.h"
#include "console/args/command.h"
#include "console/format/world.h"
#include "console/settings/setting_group.h"

namespace outrigger::cli {

/// A KubeSchedulerConfiguration; `name` is for messages.
struct DoctorInput {
  std::string name;
  std::string yaml;
};

/// An agent that the configuration calls, and by which entries.
struct CalledAgent {
  std::string name;                  // "the merged paths" where it is not known which agents answer
  std::vector<std::string> entries;  // "extenders[1]"
};

/// What `outrigger doctor` says of a configuration.
struct Diagnosis {
  std::string file;
  std::vector<CalledAgent> agents;
  std::vector<Finding> findings;  // errors first
  /// The schedulers whose pods are planned by the agents; empty if no agent plans.
  std::vector<std::string> planned_schedulers;
  bool only_groups = false;   // one of them is called about members of groups alone
  int64_t waiting_binds = 0;  // bind calls that may wait at an agent; 0: no agent binds

  size_t Count(Severity severity) const;
};

/// Checks a configuration against the agents of `told` and their settings. If the server's
/// setting `agents` is not empty, only these have a group, and merged paths are theirs. Finds
/// nothing in what WriteSchedulerConfig() writes by default for agents with these settings.
/// InvalidArgument, with the place, for what is not one YAML mapping. Pure.
absl::StatusOr<Diagnosis> Diagnose(const DoctorInput& input, const std::vector<SettingGroup>& told,
                                   const LeftOutAgents& left_out);

/// What kube-scheduler itself refuses of a configuration, with which it does not start: one line
/// for each, with place and cure. InvalidArgument; OK if there is nothing.
absl::Status CheckAcceptedByScheduler(const DoctorInput& input,
                                      const std::vector<SettingGroup>& groups,
                                      const LeftOutAgents& left_out);

/// A diagnosis for people: a head, and a few lines per finding.
std::string DoctorTable(const Diagnosis& diagnosis, bool color);

/// The same for programs; keys are stable.
std::string DoctorJson(const Diagnosis& diagnosis);
std::string DoctorYaml(const Diagnosis& diagnosis);

/// `outrigger doctor`. Reads objects of a cluster only if it is told to. InvalidArgument for wrong
/// settings, those that a called agent refuses included, and for what Diagnose() refuses;
/// Unavailable for a file that cannot be read; errors of the API server as they are.
Command DoctorCommand(const std::vector<AgentInfo>& registry);

}  // namespace outrigger::cli
