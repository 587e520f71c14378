#include "cli/annotate/options.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>

#include "cli/annotate/further.h"
#include "cli/format/files.h"
#include "cli/settings/annotate_environment.h"
#include "cli/settings/config_file.h"
#include "cli/settings/loader.h"
#include "cli/settings/units.h"
#include "fmt/format.h"

namespace outrigger::cli {
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
  if (!text.ok()) return text.status();
  return ParseConfigFile(path, *text);
}

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

absl::Status CheckUsage(const AnnotateOptions& options) {
  const AnnotateSettings& settings = options.settings;
  if ((settings.source == "file") != !settings.file.empty()) {
    return Refuse("--source file and --file FILE go together");
  }
  if (settings.step > settings.window) {
    return Refuse(
        fmt::format("--step {} is longer than --window {}", settings.step, settings.window));
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
  auto further = TakeFurther(&*file);
  if (!further.ok()) return further.status();
  if (flags.what == Annotating::kUsage) options.further = *std::move(further);
  auto group =
      Load(flags, {flags.settings, world.environment, *std::move(file)}, world, &options.warnings);
  if (!group.ok()) return group.status();
  options.settings = AnnotateSettingsOf(*group);
  absl::Status status = ChooseCluster(options.settings, world.environment, &options.cluster);
  if (status.ok() && flags.what == Annotating::kUsage) status = CheckUsage(options);
  if (!status.ok()) return status;
  options.annotator = AnnotatorOptionsOf(options.settings);
  options.lease = {.namespace_ = options.settings.lease_namespace,
                   .name = options.settings.lease_name};
  options.log = {options.settings.log_level, options.settings.log_format == "json"};
  return options;
}

}  // namespace outrigger::cli
