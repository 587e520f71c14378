#include "load/commands/options.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "console/format/files.h"
#include "console/settings/annotate_environment.h"
#include "console/settings/config_file.h"
#include "console/settings/loader.h"
#include "console/settings/units.h"
#include "fmt/format.h"
#include "load/annotate/allocation_source.h"
#include "load/annotate/usage_values.h"
#include "load/usage/source.h"
#include "outrigger/base/text.h"
#include "outrigger/k8s/label_syntax.h"

namespace outrigger::cli {

/// Takes the section `further` out of the values of a settings file: annotations and the queries of
/// their values. InvalidArgument, with the place, for a key that is no annotation, or one that the
/// annotator writes itself.
absl::StatusOr<std::vector<usage::FurtherQuery>> TakeFurther(std::vector<FileValue>* file);

namespace {

constexpr std::string_view kSection = "further.";

bool IsOwn(const std::string& key) {
  const auto has = [&](const std::vector<std::string>& keys) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  return has(annotate::UsageKeys({})) || has(annotate::AllocationKeys());
}

absl::Status Check(const FileValue& value, const std::string& key) {
  const auto refuse = [&](std::string_view why) {
    return absl::InvalidArgumentError(
        fmt::format("{}: {:?}: {}", value.key_place, Printable(key), why));
  };
  if (!IsLabelKey(key)) return refuse("is no name of an annotation");
  if (IsOwn(key)) return refuse("is an annotation that the annotators write themselves");
  if (value.text.empty()) return refuse("has no query");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<usage::FurtherQuery>> TakeFurther(std::vector<FileValue>* file) {
  std::vector<usage::FurtherQuery> queries;
  for (const FileValue& value : *file) {
    if (!value.key.starts_with(kSection)) continue;
    std::string key = value.key.substr(kSection.size());
    absl::Status status = Check(value, key);
    if (!status.ok()) return status;
    queries.push_back({std::move(key), value.text});
  }
  std::erase_if(*file, [](const FileValue& value) { return value.key.starts_with(kSection); });
  return queries;
}

namespace {

using std::chrono::seconds;

constexpr std::chrono::milliseconds kLeastStaleness{60'000};
// Of a window that the annotator measures itself.
constexpr int64_t kFewestSamples = 4;
constexpr const char* kConfigVariable = "OUTRIGGER_ANNOTATE_CONFIG";

absl::Status Refuse(const std::string& text) {
  return absl::InvalidArgumentError(text);
}

absl::StatusOr<std::vector<FileValue>> ReadSettingsFile(const std::string& flag,
                                                        const World& world) {
  const std::string* const variable = Find(world.environment, kConfigVariable);
  const std::string path = flag.empty() && variable != nullptr ? *variable : flag;
  if (path.empty()) return std::vector<FileValue>();
  const absl::StatusOr<std::string> text = ReadFile(path);
  const char* const by = flag.empty() ? kConfigVariable : "--config";
  if (!text.ok()) return Of(by, text.status());
  auto values = ParseConfigFile(path, *text);
  if (!values.ok()) return Of(by, values.status());
  return values;
}

constexpr int64_t kOriginalWindow = 86'400;

// Both commands may share an environment and a file: what is the other's is checked as well.
absl::StatusOr<SettingGroup> Load(const AnnotateFlags& flags, SettingSources sources,
                                  const World& world, std::vector<std::string>* warnings) {
  const Annotating other =
      flags.what == Annotating::kUsage ? Annotating::kAllocation : Annotating::kUsage;
  std::vector<SettingGroup> groups = {MakeAnnotateGroup(flags.what), MakeAnnotateGroup(other)};
  std::erase_if(groups[1].settings, [&](const BoundSetting& setting) {
    return std::any_of(groups[0].settings.begin(), groups[0].settings.end(),
                       [&](const BoundSetting& own) { return own.flag == setting.flag; });
  });
  sources.environment.erase(kConfigVariable);
  absl::Status status = LoadSettings(sources, &groups, warnings);
  if (status.ok()) status = TakeFormerEnvironment(world.environment, flags.what, groups.data());
  if (!status.ok()) return status;
  return std::move(groups[0]);
}

absl::Status ChooseCluster(const AnnotateSettings& settings, const Environment& environment,
                           ClusterOptions* cluster) {
  cluster->max_staleness = *ParseDuration(settings.max_staleness);  // checked by the loader
  if (cluster->max_staleness < kLeastStaleness) {
    return Refuse(fmt::format("--max-staleness {} is not accepted: at least {}",
                              settings.max_staleness, PrintDuration(kLeastStaleness)));
  }
  cluster->kubeconfig = settings.kubeconfig;
  cluster->variable = !ValueOf(environment, "KUBECONFIG").empty();
  cluster->context = settings.context;
  if (!settings.context.empty() && !cluster->HasKubeconfig()) {
    return Refuse("--context is one of a kubeconfig: give --kubeconfig or KUBECONFIG too");
  }
  return absl::OkStatus();
}

// Where nobody gives a window it is the default, or as long as slow passes and steps need.
int64_t LeastWindow(const AnnotateSettings& settings) {
  return std::max({settings.window, kFewestSamples * settings.interval, settings.step});
}

absl::Status CheckUsage(const AnnotateOptions& options) {
  const AnnotateSettings& settings = options.settings;
  if ((settings.source == "file") != !settings.file.empty()) {
    return Refuse("--source file and --file FILE go together");
  }
  if (settings.step > settings.window) {
    return Refuse(
        fmt::format("--step {} is longer than --window {}", settings.step, settings.window));
  }
  if (settings.source == "prometheus" && !settings.original_arithmetic &&
      settings.interval > settings.window) {
    return Refuse(fmt::format(
        "--interval {} is longer than --window {}: in between, agents take values for too old",
        settings.interval, settings.window));
  }
  if (settings.source != "prometheus" && settings.original_arithmetic) {
    return Refuse("--original-arithmetic goes with --source prometheus");
  }
  if (settings.use_requests && !settings.original_arithmetic) {
    return Refuse("--use-requests (USE_REQ) goes with --original-arithmetic");
  }
  const int64_t least_window = kFewestSamples * settings.interval;
  if (settings.source != "prometheus" && settings.window < least_window) {
    return Refuse(fmt::format(
        "--window {} is too short for --source {}: each --interval ({}) gives one sample, and four "
        "are needed: at least {}",
        settings.window, settings.source, settings.interval, least_window));
  }
  if (settings.source != "prometheus" && !options.further.empty()) {
    return Refuse("`further` of the settings file goes with --source prometheus");
  }
  return absl::OkStatus();
}

annotate::AnnotatorOptions AnnotatorOptionsOf(const AnnotateSettings& settings) {
  annotate::AnnotatorOptions options;
  options.interval = seconds(settings.interval);
  options.forget = seconds(settings.forget);
  options.diff = {.threshold = settings.threshold, .refresh = seconds(settings.refresh)};
  options.patcher.qps = settings.qps;
  return options;
}

}  // namespace

absl::StatusOr<AnnotateOptions> PrepareAnnotate(const AnnotateFlags& flags, const World& world) {
  auto file = ReadSettingsFile(flags.config, world);
  if (!file.ok()) return file.status();
  AnnotateOptions options;
  options.what = flags.what;
  options.dry_run = flags.dry_run;
  options.once = flags.once || flags.dry_run;
  options.output = flags.output;
  if (!options.output.empty() && !options.once) {
    return Refuse("-o prints what one pass measured: it goes with --once or --dry-run");
  }
  auto further = TakeFurther(&*file);
  if (!further.ok()) return further.status();
  if (flags.what == Annotating::kUsage) options.further = *std::move(further);
  auto group =
      Load(flags, {flags.settings, world.environment, *std::move(file)}, world, &options.warnings);
  if (!group.ok()) return group.status();
  options.settings = AnnotateSettingsOf(*group);
  if (options.settings.original_arithmetic && group->GivenBy("--window").empty()) {
    options.settings.window = kOriginalWindow;
  } else if (group->GivenBy("--window").empty()) {
    options.settings.window = LeastWindow(options.settings);
  }
  absl::Status status = ChooseCluster(options.settings, world.environment, &options.cluster);
  options.cluster.kubeconfig_by = group->GivenBy("--kubeconfig");
  if (std::string by = group->GivenBy("--prometheus-url"); !by.empty()) {
    options.prometheus_url_by = std::move(by);
  }
  if (status.ok() && flags.what == Annotating::kUsage) status = CheckUsage(options);
  if (!status.ok()) return status;
  options.annotator = AnnotatorOptionsOf(options.settings);
  options.lease = {.namespace_ = options.settings.lease_namespace,
                   .name = options.settings.lease_name};
  options.log = {options.settings.log_level, options.settings.log_format == "json"};
  return options;
}

}  // namespace outrigger::cli
