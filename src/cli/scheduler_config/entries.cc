#include "cli/scheduler_config/entries.h"

#include <algorithm>

#include "cli/agents/agents.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

std::string LastElement(const std::string& path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

Entry ReadEntry(const MapReader& fields) {
  Entry entry{.fields = fields,
              .url_text = fields.Text("urlPrefix"),
              .verbs = {},
              .timeout = fields.Duration("httpTimeout"),
              .ignorable = fields.Truth("ignorable").Or(false),
              .managed_resources = fields.List("managedResources").size()};
  for (size_t i = 0; i < kVerbCount; ++i) {
    entry.verbs[i] = fields.Text(std::string(FieldNameOf(static_cast<EntryVerb>(i))));
  }
  if (entry.url_text.Given()) entry.url = ParseEntryUrl(entry.url_text.value);
  if (!entry.url && entry.url_text.Given()) {
    // Whose the entry is can be said all the same.
    entry.url = ParseEntryUrl("http://" + entry.url_text.value);
    entry.scheme_missing = entry.url.has_value();
  }
  return entry;
}

const AgentInfo* ByPaths(const Entry& entry, const std::vector<ServedPath>& paths) {
  for (size_t i = 0; i < kVerbCount; ++i) {
    const auto verb = static_cast<EntryVerb>(i);
    if (!entry.Has(verb)) continue;
    const auto found = std::find_if(paths.begin(), paths.end(), [&](const ServedPath& served) {
      return served.path == entry.PathOf(verb);
    });
    if (found != paths.end()) return found->agent;
  }
  return nullptr;
}

// Paths of an agent, else its name at the end of the path, else the port that is its own.
void FindOwner(const std::vector<SettingGroup>& groups, const LeftOutAgents& left_out,
               const std::vector<ServedPath>& paths, Entry* entry) {
  if (!entry->url) return;
  entry->agent = ByPaths(*entry, paths);
  const std::string name = LastElement(entry->url->path);
  for (const SettingGroup& group : groups) {
    if (group.agent == nullptr || entry->agent != nullptr) continue;
    if (group.agent->name == name) entry->agent = group.agent;
  }
  if (entry->agent == nullptr &&
      std::find(left_out.begin(), left_out.end(), name) != left_out.end()) {
    entry->left_out = name;
    return;
  }
  // At the port that agents share when several are served, a path without a name is all of theirs.
  const bool merged = entry->url->path.empty() && entry->url->port == kSharedPort;
  for (const SettingGroup& group : groups) {
    if (group.agent == nullptr || entry->agent != nullptr || merged) continue;
    if (group.agent->port == entry->url->port) entry->agent = group.agent;
  }
  entry->ours = entry->agent != nullptr || merged;
}

}  // namespace

std::string_view FieldNameOf(EntryVerb verb) {
  constexpr std::string_view kNames[] = {"filterVerb", "preemptVerb", "prioritizeVerb", "bindVerb"};
  return kNames[verb];
}

std::string_view NameOf(EntryVerb verb) {
  constexpr std::string_view kNames[] = {"filter", "preempt", "prioritize", "bind"};
  return kNames[verb];
}

bool HasVerb(const AgentInfo& agent, EntryVerb verb) {
  const AgentFactory& factory = agent.factory;
  const bool has[] = {factory.filters, factory.preempts, factory.scores, factory.TakesBindCalls()};
  return has[verb];
}

const AgentInfo* Entry::Planner() const {
  const auto plans = [](const AgentInfo* one) { return one->factory.wishes.last; };
  if (agent != nullptr) return plans(agent) ? agent : nullptr;
  const auto found = std::find_if(together.begin(), together.end(), plans);
  return found == together.end() ? nullptr : *found;
}

bool Entry::Prepares() const {
  const auto prepares = [](const AgentInfo* one) { return one->factory.prebinds; };
  return agent != nullptr ? prepares(agent)
                          : std::any_of(together.begin(), together.end(), prepares);
}

bool Entry::Calls(const AgentInfo& other) const {
  return agent == &other || std::find(together.begin(), together.end(), &other) != together.end();
}

bool Entry::MayServe(EntryVerb verb) const {
  if (agent != nullptr) return HasVerb(*agent, verb);
  return together.empty() || std::any_of(together.begin(), together.end(),
                                         [verb](const auto* one) { return HasVerb(*one, verb); });
}

std::string Entry::PathOf(EntryVerb verb) const {
  return (url ? url->path : "") + "/" + verbs[verb].value;
}

std::string Entry::Title() const {
  return fmt::format("{} ({})", place().path, url_text.value);
}

absl::StatusOr<std::vector<ServedPath>> ServedPaths(const std::vector<SettingGroup>& groups) {
  std::vector<ServedPath> served;
  for (const SettingGroup& group : groups) {
    if (group.agent == nullptr) continue;
    const auto paths = PathsOf(*group.agent);
    if (!paths.ok()) return paths.status();
    for (const AgentPath& path : *paths) served.push_back({group.agent, path.path, path.verb});
  }
  return served;
}

std::vector<Entry> ReadEntries(const MapReader& root, const std::vector<SettingGroup>& groups,
                               const LeftOutAgents& left_out,
                               const std::vector<ServedPath>& paths) {
  std::vector<Entry> entries;
  for (const MapReader& fields : root.List("extenders")) {
    entries.push_back(ReadEntry(fields));
    FindOwner(groups, left_out, paths, &entries.back());
  }
  return entries;
}

}  // namespace outrigger::cli
