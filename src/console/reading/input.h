#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "console/args/command.h"
#include "console/format/world.h"
#include "console/reading/cluster_objects.h"

// What the commands of `outrigger explain` have in common: where they read, and where they print.

namespace outrigger::cli {

struct ExplainInput {
  std::string name;  // for messages
  std::string text;
};

/// A file, or standard input ("-").
absl::StatusOr<ExplainInput> ReadExplainInput(const std::string& path, const World& world);

/// The dump or the live cluster that `flags` name. Of a dump the text is read, and nothing else.
absl::StatusOr<std::unique_ptr<ClusterObjects>> OpenCluster(const ExplainFlags& flags,
                                                            const World& world);

/// Whether to print in colour, for --color auto, always or never.
bool IsColored(const std::string& when, const World& world);

}  // namespace outrigger::cli
