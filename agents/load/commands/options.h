#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "console/format/world.h"
#include "console/process/cluster_source.h"
#include "console/process/log.h"
#include "console/settings/annotate_settings.h"
#include "load/annotate/allocation_source.h"
#include "load/annotate/annotator.h"
#include "load/usage/source.h"
#include "outrigger/agent/elections.h"

namespace outrigger::cli {

struct AnnotateFlags {
  Annotating what = Annotating::kUsage;
  std::string config;                           // path of the settings file, or empty
  std::map<std::string, std::string> settings;  // flag -> value
  bool once = false;
  bool dry_run = false;
  std::string output;  // as AnnotateOptions::output
};

/// Everything of `outrigger annotate` before it starts, checked.
struct AnnotateOptions {
  Annotating what = Annotating::kUsage;
  bool once = false;
  bool dry_run = false;
  std::string output;  // form of what was measured: "table", "json", "yaml"; empty: none
  AnnotateSettings settings;
  std::vector<usage::FurtherQuery> further;
  ClusterOptions cluster;
  std::string prometheus_url_by = "--prometheus-url";  // as given, for errors
  annotate::AnnotatorOptions annotator;                // without clock and warn
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
