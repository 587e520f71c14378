#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/doctor/doctor.h"
#include "outrigger/agent/registry.h"

// For tests of the doctor: TestAgents(), but gang plans for all pods, is told what the real one is
// told, and refuses a scheduler-lease without a slash; and qos, which plans, too.

namespace outrigger::testing {

const std::vector<AgentInfo>& DoctorAgents();

/// A change of a document: `path` ("extenders[1].httpTimeout") gets `value`, in YAML; an empty one
/// takes it away. An index one behind the last adds an element.
struct Change {
  std::string path;
  std::string value;
};

/// What scheduler-config writes for `agents`, changed.
std::string Configuration(const std::string& agents, const std::vector<Change>& changes = {});

/// The diagnosis of `yaml`, with settings such as {{"--gang.mode", "alone"}}. Agents read the file,
/// unless --scheduler-config is empty.
absl::StatusOr<cli::Diagnosis> DiagnoseYaml(const std::string& yaml,
                                            const std::map<std::string, std::string>& told = {});

/// Names of what was found, in order; the error if nothing could be said.
std::vector<std::string> NamesOf(const absl::StatusOr<cli::Diagnosis>& diagnosis);

}  // namespace outrigger::testing
