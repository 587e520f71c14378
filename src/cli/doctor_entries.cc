// Reads the entries of `extenders`, and finds out whose they are.

#include <algorithm>
#include <charconv>

#include "cli/agents.h"
#include "cli/doctor_case.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";

std::optional<int> ParsePort(std::string_view text) {
  int port = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  if (port < 1 || port > 65535) return std::nullopt;
  return port;
}

// "host", "host:80", "[::1]:80".
bool ReadAddress(std::string_view text, EntryUrl* url) {
  const size_t bracket = text.starts_with('[') ? text.find(']') : std::string_view::npos;
  if (text.starts_with('[') && bracket == std::string_view::npos) return false;
  const size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos) {
    const std::optional<int> port = ParsePort(text.substr(colon + 1));
    if (!port) return false;
    url->port = *port;
  }
  url->host = text.substr(0, colon);
  if (bracket != std::string_view::npos) url->host = text.substr(1, bracket - 1);
  return !url->host.empty();
}

std::string LastElement(const std::string& path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

absl::StatusOr<std::vector<ServedPath>> ServedPaths(const std::vector<SettingGroup>& told) {
  std::vector<ServedPath> served;
  for (const SettingGroup& group : told) {
    if (group.agent == nullptr) continue;
    const auto paths = PathsOf(*group.agent);
    if (!paths.ok()) return paths.status();
    for (const AgentPath& path : *paths) served.push_back({group.agent, path.path, path.verb});
  }
  return served;
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
    entry.url = ParseEntryUrl(std::string(kHttp) + entry.url_text.value);
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
void FindOwner(const std::vector<SettingGroup>& told, const LeftOutAgents& left_out,
               const std::vector<ServedPath>& paths, Entry* entry) {
  if (!entry->url) return;
  entry->agent = ByPaths(*entry, paths);
  const std::string name = LastElement(entry->url->path);
  for (const SettingGroup& group : told) {
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
  for (const SettingGroup& group : told) {
    if (group.agent == nullptr || entry->agent != nullptr || merged) continue;
    if (group.agent->port == entry->url->port) entry->agent = group.agent;
  }
  entry->ours = entry->agent != nullptr || merged;
}

}  // namespace

std::string EntryUrl::Address() const {
  const bool brackets = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", brackets ? "[" : "", host, brackets ? "]" : "", port);
}

std::optional<EntryUrl> ParseEntryUrl(const std::string& text) {
  EntryUrl url;
  url.tls = text.starts_with(kHttps);
  if (!url.tls && !text.starts_with(kHttp)) return std::nullopt;
  if (text.find_first_of(" \t\r\n\"?#") != std::string::npos) return std::nullopt;
  url.port = url.tls ? 443 : 80;
  std::string_view rest = std::string_view(text).substr((url.tls ? kHttps : kHttp).size());
  rest = rest.substr(0, rest.find_last_not_of('/') + 1);  // as kube-scheduler does
  const size_t slash = rest.find('/');
  if (!ReadAddress(rest.substr(0, slash), &url)) return std::nullopt;
  if (slash != std::string_view::npos) url.path = rest.substr(slash);
  return url;
}

absl::StatusOr<DoctorCase> MakeCase(const YAML::Node& root, const std::vector<SettingGroup>& told,
                                    const LeftOutAgents& left_out) {
  auto paths = ServedPaths(told);
  if (!paths.ok()) return paths.status();
  const MapReader reader(root, Place{"", root.Mark().line + 1});
  DoctorCase found{reader, reader.List("profiles"), {}, *std::move(paths), told};
  for (const MapReader& fields : reader.List("extenders")) {
    found.entries.push_back(ReadEntry(fields));
    FindOwner(told, left_out, found.paths, &found.entries.back());
  }
  return found;
}

}  // namespace outrigger::cli
