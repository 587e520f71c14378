#include <algorithm>
#include <set>

#include "cli/doctor/checks.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

using Id = FindingId;

constexpr const char* kBinder = "DefaultBinder";
constexpr const char* kPreemption = "DefaultPreemption";

// The plugins of one extension point.
struct PluginSet {
  std::vector<Field<std::string>> enabled;
  std::set<std::string> disabled;
  Place place;

  bool Disables(const char* plugin) const {
    return disabled.count(plugin) > 0 || disabled.count("*") > 0;
  }
  bool Enables(const char* plugin) const {
    return std::any_of(enabled.begin(), enabled.end(),
                       [&](const Field<std::string>& name) { return name.value == plugin; });
  }
};

PluginSet ReadSet(const MapReader& profile, const std::string& point) {
  const MapReader set = profile.Map("plugins").Map(point);
  PluginSet plugins;
  plugins.place = set.place();
  for (const MapReader& plugin : set.List("enabled")) {
    plugins.enabled.push_back(plugin.Text("name"));
  }
  for (const MapReader& plugin : set.List("disabled")) {
    plugins.disabled.insert(plugin.Text("name").value);
  }
  return plugins;
}

void CheckBinder(const PluginSet& bind, const PluginSet& every, Findings* findings) {
  const bool off = bind.Disables(kBinder) || every.Disables(kBinder);
  // What a plugin of multiPoint does is not known here: it may bind.
  if (!off || !bind.enabled.empty() || !every.enabled.empty()) return;
  findings->Add(Id::kBindPluginMissing, bind.Disables(kBinder) ? bind.place : every.place,
                "DefaultBinder is disabled, and no other plugin binds",
                "leave DefaultBinder enabled: an extender that binds comes before it");
}

void CheckUnused(const PluginSet& bind, Findings* findings) {
  for (const Field<std::string>& plugin : bind.enabled) {
    if (!plugin.Given() || plugin.value == kBinder) continue;
    findings->Add(Id::kBindPluginUnused, plugin.place, plugin.value,
                  "leave it out, or leave out the binding agent");
  }
}

void CheckPreemption(const PluginSet& post, const PluginSet& every, Findings* findings) {
  const auto other = std::find_if(
      post.enabled.begin(), post.enabled.end(),
      [](const Field<std::string>& name) { return name.Given() && name.value != kPreemption; });
  if (other != post.enabled.end()) {
    findings->Add(Id::kPreemptionReplaced, other->place, other->value,
                  "leave it out, and DefaultPreemption enabled");
    return;
  }
  const bool off = post.Disables(kPreemption) || every.Disables(kPreemption);
  if (!off || post.Enables(kPreemption) || every.Enables(kPreemption)) return;
  findings->Add(Id::kPreemptionOff, post.Disables(kPreemption) ? post.place : every.place,
                "DefaultPreemption is disabled",
                "leave DefaultPreemption enabled, unless no pod may be evicted");
}

}  // namespace

void CheckPlugins(const DoctorCase& found, Findings* findings) {
  const bool binds =
      std::any_of(found.entries.begin(), found.entries.end(),
                  [](const Entry& entry) { return entry.ours && entry.Has(kBindVerb); });
  const std::vector<const AgentInfo*> agents = found.Agents();
  const bool preempts = std::any_of(agents.begin(), agents.end(),
                                    [](const AgentInfo* agent) { return agent->factory.preempts; });
  for (const MapReader& profile : found.profiles) {
    const PluginSet every = ReadSet(profile, "multiPoint");
    const PluginSet bind = ReadSet(profile, "bind");
    CheckBinder(bind, every, findings);
    if (binds) CheckUnused(bind, findings);
    if (preempts) CheckPreemption(ReadSet(profile, "postFilter"), every, findings);
  }
}

}  // namespace outrigger::cli
