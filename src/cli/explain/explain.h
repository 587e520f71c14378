#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/args/command.h"
#include "cli/format/world.h"

namespace outrigger::cli {

/// What `outrigger explain` prints.
struct ExplainText {
  std::string text;
  std::vector<std::string> notes;  // for standard error
};

/// `outrigger explain pod`: reads pod and nodes, asks the agents, and puts it into the form that
/// `command` wants. Errors as of settings, of files, and of ClusterObjects::Find().
absl::StatusOr<ExplainText> ExplainPod(const Command& command, const World& world);

}  // namespace outrigger::cli
