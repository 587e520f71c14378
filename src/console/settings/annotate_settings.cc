#include "console/settings/annotate_settings.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "console/format/text.h"
#include "console/settings/server_settings.h"

namespace outrigger::cli {
namespace {

// What `annotate allocation` does not have.
bool IsOfUsage(std::string_view name) {
  constexpr std::string_view kOnly[] = {"refresh", "use-requests", "source",        "window",
                                        "step",    "forecast",     "exporter-port", "file"};
  return name.starts_with("prometheus-") || name.starts_with("query-") ||
         std::find(std::begin(kOnly), std::end(kOnly), name) != std::end(kOnly);
}

bool IsOf(Annotating what, std::string_view name) {
  if (what == Annotating::kUsage) return name != "gpu";
  return !IsOfUsage(name);
}

AnnotateSettings DefaultsOf(Annotating what) {
  AnnotateSettings settings;
  if (what == Annotating::kAllocation) {
    settings.threshold = 0;
    settings.lease_name = "outrigger-annotate-allocation";
    settings.admin_port = 9982;
  }
  return settings;
}

bool IsFile(std::string_view name) {
  return name == "kubeconfig" || name == "file" || name.ends_with("-file");
}

// What the setting of `outrigger serve` of that name accepts.
void AcceptAsServe(const std::vector<SettingSpec>& server, SettingSpec* spec) {
  const auto same = std::find_if(server.begin(), server.end(), [&](const SettingSpec& other) {
    return other.name == spec->name;
  });
  if (same == server.end()) return;
  spec->accepted = same->accepted;
  if (spec->help.empty()) spec->help = same->help;
  spec->type = same->type;
  if (same->default_text == "none" || spec->name == "context") {
    spec->default_text = same->default_text;
  }
  // Its parser writes into the server's settings: it only checks here.
  spec->parse = [check = same->parse, plain = spec->parse](void* target, std::string_view text) {
    ServerSettings scratch;
    absl::Status status = check(&scratch, text);
    return status.ok() ? plain(target, text) : status;
  };
}

void Complete(const std::vector<SettingSpec>& server, const AnnotateSettings& defaults,
              SettingSpec* spec) {
  spec->default_text = spec->print(&defaults);
  AcceptAsServe(server, spec);
  if (IsFile(spec->name)) {
    spec->accepted = "the path of a file";
    spec->default_text = "none";
  }
  if (spec->name.starts_with("query-")) {
    spec->accepted = "a query";
    spec->default_text = "see docs/annotators.md";
  }
  if (spec->default_text.empty()) spec->default_text = "none";
}

// The former variables want to know whether a setting was given.
void Mark(SettingSpec* spec, const SettingsValues& values) {
  spec->parse = [parse = spec->parse, name = spec->name, values](void* target,
                                                                 std::string_view text) {
    absl::Status status = parse(target, text);
    if (status.ok()) values.MarkGiven(name);
    return status;
  };
  spec->parse_legacy = spec->parse;
}

}  // namespace

SettingGroup MakeAnnotateGroup(Annotating what) {
  const auto settings = std::make_shared<AnnotateSettings>(DefaultsOf(what));
  const std::vector<SettingSpec> server = ServerSpecs();
  SettingGroup group;
  group.values = SettingsValues(settings, typeid(AnnotateSettings));
  const SettingsSchema schema = SettingsSchema::Of<AnnotateSettings>();
  for (SettingSpec spec : schema.specs()) {
    if (!IsOf(what, spec.name)) continue;
    Complete(server, *settings, &spec);
    Mark(&spec, group.values);
    BoundSetting bound{
        {"--" + spec.name, "OUTRIGGER_ANNOTATE_" + UpperCase(spec.name), CamelCase(spec.name)},
        {},
        {},
        nullptr};
    bound.spec = std::move(spec);
    bound.target = settings.get();
    group.settings.push_back(std::move(bound));
  }
  return group;
}

const AnnotateSettings& AnnotateSettingsOf(const SettingGroup& group) {
  return group.values.As<AnnotateSettings>();
}

}  // namespace outrigger::cli
