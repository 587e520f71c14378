#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "annotate/allocation_source.h"
#include "annotate/annotator.h"
#include "cli/args/command.h"
#include "cli/format/world.h"
#include "cli/serve/cluster_source.h"
#include "cli/serve/log.h"
#include "cli/settings/annotate_settings.h"
#include "outrigger/agent/elections.h"
#include "usage/source.h"

namespace outrigger::cli {

/// Everything of `outrigger annotate` before it starts, checked.
struct AnnotateOptions {
  Annotating what = Annotating::kUsage;
  bool once = false;
  bool dry_run = false;
  AnnotateSettings settings;
  std::vector<usage::FurtherQuery> further;
  ClusterOptions cluster;
  annotate::AnnotatorOptions annotator;  // without clock and warn
  LeaseClaim lease;
  LogOptions log;
  std::vector<std::string> warnings;
};

/// Reads the settings from flags, environment (OUTRIGGER_ANNOTATE_..., then the original
/// program's), and the file that --config or OUTRIGGER_ANNOTATE_CONFIG names, whose section
/// `further` has pairs "annotation: query". InvalidArgument names source, value and what is
/// accepted.
absl::StatusOr<AnnotateOptions> PrepareAnnotate(const AnnotateFlags& flags, const World& world);

}  // namespace outrigger::cli
