#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/doctor_document.h"
#include "cli/serve_options.h"
#include "cli/setting_group.h"
#include "outrigger/agent/registry.h"

// What the doctor's checks look at: the configuration, whose its entries are, and what the agents
// are told.

namespace outrigger::cli {

/// The four verbs of an entry, in the order in which kube-scheduler calls them.
enum EntryVerb : size_t { kFilterVerb, kPreemptVerb, kPrioritizeVerb, kBindVerb, kVerbCount };

/// "filterVerb" and "filter".
std::string_view FieldNameOf(EntryVerb verb);
std::string_view NameOf(EntryVerb verb);
/// Whether the agent has the verb at all.
bool HasVerb(const AgentInfo& agent, EntryVerb verb);

/// A urlPrefix, taken apart.
struct EntryUrl {
  bool tls = false;
  std::string host;  // without brackets
  int port = 80;
  std::string path;  // "/safe", or empty

  /// "127.0.0.1:9870".
  std::string Address() const;
};

/// Nothing for what kube-scheduler cannot call.
std::optional<EntryUrl> ParseEntryUrl(const std::string& text);

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

  const Place& place() const { return fields.place(); }
  bool Has(EntryVerb verb) const { return verbs[verb].Given() && !verbs[verb].value.empty(); }
  /// Called while a pod is being scheduled, when every other pod waits.
  bool InCycle() const { return Has(kFilterVerb) || Has(kPreemptVerb) || Has(kPrioritizeVerb); }
  /// Of an agent that plans for all pods.
  bool Plans() const { return agent != nullptr && agent->factory.wishes.last; }
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

struct DoctorCase {
  MapReader root;
  std::vector<MapReader> profiles;
  std::vector<Entry> entries;
  std::vector<ServedPath> paths;
  const std::vector<SettingGroup>& told;  // outlives this

  /// The agents that entries call, in the registry's order.
  std::vector<const AgentInfo*> Agents() const;
  std::vector<const Entry*> EntriesOf(const AgentInfo& agent) const;
  /// What an agent is told; nothing if it has no such setting.
  std::optional<std::string> Told(const AgentInfo& agent, std::string_view setting) const;
};

/// Internal for an agent that refuses its own defaults.
absl::StatusOr<DoctorCase> MakeCase(const YAML::Node& root, const std::vector<SettingGroup>& told,
                                    const LeftOutAgents& left_out);

}  // namespace outrigger::cli
