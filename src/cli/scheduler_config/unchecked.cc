#include "cli/scheduler_config/unchecked.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/scheduler_config/added_affinity.h"
#include "cli/scheduler_config/scheduler_config.h"
#include "cli/scheduler_config/unknown_filters.h"
#include "gang/plan/call_resources.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

// The names of the plugins in one list of an extension point.
std::set<std::string> NamesIn(const MapReader& set, const char* list) {
  std::set<std::string> names;
  for (const MapReader& plugin : set.List(list)) names.insert(plugin.Text("name").value);
  return names;
}

// An extension point's own list comes before multiPoint, as expandMultiPointPlugins() of
// pkg/scheduler/framework/runtime has it.
bool IsOff(const MapReader& profile, const std::string& plugin) {
  const MapReader plugins = profile.Map("plugins");
  for (const char* point : {"filter", "multiPoint"}) {
    const MapReader set = plugins.Map(point);
    if (NamesIn(set, "enabled").contains(plugin)) return false;
    const std::set<std::string> disabled = NamesIn(set, "disabled");
    if (disabled.contains(plugin) || disabled.contains("*")) return true;
  }
  return false;
}

std::set<std::string, std::less<>> ManagedAndIgnored(const MapReader& root) {
  std::set<std::string, std::less<>> names;
  for (const MapReader& extender : root.List("extenders")) {
    for (const MapReader& resource : extender.List("managedResources")) {
      const Field<std::string> name = resource.Text("name");
      if (name.Given() && resource.Truth("ignoredByScheduler").Or(false)) names.insert(name.value);
    }
  }
  return names;
}

UncheckedProfile ReadProfile(const MapReader& profile,
                             const std::set<std::string, std::less<>>& managed) {
  UncheckedProfile read;
  read.name = profile.Text("schedulerName").Or(kDefaultScheduler);
  read.place = profile.place();
  const MapReader fit = ArgumentsOf(profile, "NodeResourcesFit");
  const std::vector<Field<std::string>> own = fit.Texts("ignoredResources");
  if (managed.empty()) {
    for (const Field<std::string>& name : own) read.unchecked.resources.insert(name.value);
  } else {
    // The planner never compares what stands for calls.
    std::copy_if(managed.begin(), managed.end(),
                 std::inserter(read.unchecked.resources, read.unchecked.resources.end()),
                 [](const std::string& name) { return !plan::IsCallResource(name); });
    std::copy_if(own.begin(), own.end(), std::back_inserter(read.without_effect),
                 [&](const Field<std::string>& name) { return !managed.contains(name.value); });
  }
  for (const Field<std::string>& group : fit.Texts("ignoredResourceGroups")) {
    read.unchecked.resource_groups.insert(group.value);
  }
  for (int i = 0; i < plan::kFilterPlugins; ++i) {
    const auto plugin = static_cast<plan::FilterPlugin>(i);
    if (IsOff(profile, std::string(NameOf(plugin)))) read.unchecked.plugins.insert(plugin);
  }
  read.unknown = UnknownPlugins(profile);
  if (!read.unchecked.Has(plan::FilterPlugin::kPodTopologySpread)) {
    const std::vector<Field<std::string>> constraints = DefaultConstraints(profile);
    read.spreads = !constraints.empty();
    read.unknown.insert(read.unknown.end(), constraints.begin(), constraints.end());
  }
  if (auto added = ReadAddedAffinity(profile); added.ok()) {
    read.unchecked.added_affinity = *std::move(added);
  }
  return read;
}

std::vector<std::string> ItemsOf(const plan::ProfileChecks& unchecked) {
  std::vector<std::string> items(unchecked.resources.begin(), unchecked.resources.end());
  for (const std::string& group : unchecked.resource_groups) {
    items.push_back(absl::StrCat(group, "/*"));
  }
  for (const plan::FilterPlugin plugin : unchecked.plugins) items.emplace_back(NameOf(plugin));
  return items;
}

}  // namespace

MapReader ArgumentsOf(const MapReader& profile, const std::string& plugin) {
  for (const MapReader& config : profile.List("pluginConfig")) {
    if (config.Text("name").value == plugin) return config.Map("args");
  }
  return {YAML::Node(), profile.place()};
}

std::vector<UncheckedProfile> ReadUnchecked(const MapReader& root) {
  const auto managed = ManagedAndIgnored(root);
  std::vector<UncheckedProfile> profiles;
  for (const MapReader& profile : root.List("profiles")) {
    profiles.push_back(ReadProfile(profile, managed));
  }
  if (profiles.empty()) profiles.push_back(ReadProfile(root.Map("profiles"), managed));
  return profiles;
}

std::string UncheckedText(const std::vector<UncheckedProfile>& profiles) {
  const bool alike = std::all_of(profiles.begin(), profiles.end(), [&](const auto& profile) {
    return profile.unchecked == profiles.front().unchecked;
  });
  if (alike) return absl::StrJoin(ItemsOf(profiles.front().unchecked), ",");
  std::vector<std::string> items;
  for (const UncheckedProfile& profile : profiles) {
    for (const std::string& item : ItemsOf(profile.unchecked)) {
      items.push_back(absl::StrCat(profile.name, ":", item));
    }
  }
  return absl::StrJoin(items, ",");
}

}  // namespace outrigger::cli
