#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/scheduler_config/document.h"
#include "cli/scheduler_config/entry_url.h"
#include "console/format/world.h"
#include "console/settings/setting_group.h"
#include "outrigger/agent/registry.h"

// The `extenders` of a KubeSchedulerConfiguration, each with its agent: the doctor judges them,
// scheduler-config keeps or replaces them.

namespace outrigger::cli {

/// The four verbs of an entry, in the order in which kube-scheduler calls them.
enum EntryVerb : size_t { kFilterVerb, kPreemptVerb, kPrioritizeVerb, kBindVerb, kVerbCount };

/// "filterVerb" and "filter".
std::string_view FieldNameOf(EntryVerb verb);
std::string_view NameOf(EntryVerb verb);
/// Whether the agent has the verb at all.
bool HasVerb(const AgentInfo& agent, EntryVerb verb);

/// An element of `extenders`.
struct Entry {
  MapReader fields;
  Field<std::string> url_text;
  std::array<Field<std::string>, kVerbCount> verbs;
  Field<absl::Duration> timeout;
  bool ignorable = false;
  size_t managed_resources = 0;

  std::optional<EntryUrl> url = std::nullopt;
  bool scheme_missing = false;       // `url` is what was meant; nobody can call it
  const AgentInfo* agent = nullptr;  // whose it is; null: another's, or that of several agents
  bool ours = false;                 // calls a process of this program
  std::string left_out = {};         // the agent that it names, if that one is not compiled in
  /// The agents at the merged paths that it calls; empty where it is not known which are served.
  std::vector<const AgentInfo*> together = {};

  const Place& place() const { return fields.place(); }
  bool Has(EntryVerb verb) const { return verbs[verb].Given() && !verbs[verb].value.empty(); }
  /// Called while a pod is being scheduled, when every other pod waits.
  bool InCycle() const { return Has(kFilterVerb) || Has(kPreemptVerb) || Has(kPrioritizeVerb); }
  /// Calls an agent that plans for all pods.
  bool Plans() const { return Planner() != nullptr; }
  /// Calls an agent that prepares pods.
  bool Prepares() const;
  /// The agent that it calls and that plans for all pods; null if there is none.
  const AgentInfo* Planner() const;
  /// True if it calls `other`, alone or together with others.
  bool Calls(const AgentInfo& other) const;
  /// False if it is known that no agent that it calls has the verb.
  bool MayServe(EntryVerb verb) const;
  /// The path that `verb` is called at.
  std::string PathOf(EntryVerb verb) const;
  /// "extenders[1] (http://127.0.0.1:9870/gang)".
  std::string Title() const;
};

/// A path of the agents, as they are served.
struct ServedPath {
  const AgentInfo* agent = nullptr;
  std::string path;
  std::string verb;
};

/// The paths of the agents of `groups`. Internal for an agent that refuses its own defaults.
absl::StatusOr<std::vector<ServedPath>> ServedPaths(const std::vector<SettingGroup>& groups);

/// The elements of `extenders` of `root`, in its order. `groups` are those of the agents that are
/// compiled in, and outlive the result; `paths` are theirs.
std::vector<Entry> ReadEntries(const MapReader& root, const std::vector<SettingGroup>& groups,
                               const LeftOutAgents& left_out, const std::vector<ServedPath>& paths);

}  // namespace outrigger::cli
