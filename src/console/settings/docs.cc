#include "console/settings/docs.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "console/settings/annotate_environment.h"
#include "console/settings/annotate_settings.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

constexpr const char* kSettingsIntroduction = R"(# Settings

<!-- Written by scripts/update-docs from the declarations in the code; do not edit. -->

A setting is taken from the first of these that has it:

1. a flag of `outrigger serve`: `--safe.max-risk 0.3`
2. an environment variable: `OUTRIGGER_SAFE_MAX_RISK=0.3`
3. the settings file that `--config` (or `OUTRIGGER_CONFIG`) names: `safe: {maxRisk: 0.3}`
4. the environment variable of the program that Outrigger replaces, where the table names one
   ("formerly"); an invalid value there causes a warning and means the default, as before
5. the default

All names are derived from the flag like these.

An invalid value, an unknown key or a key given twice ends the start with exit code 2 and a message
that names the place; a file that cannot be read ends it with 1. An unknown `OUTRIGGER_` variable
causes a warning, except those that Kubernetes sets for a Service named `outrigger`.

A flag of an agent that is not served causes a warning. Such a variable, or section of the file, does
not: several processes may share them.

A settings file is a mapping of server settings and of one section per agent:

```yaml
agents: [safe, congestion]
logFormat: json
safe:
  maxRisk: 0.3
  weight: 2
```
)";

constexpr const char* kAnnotators = R"(## Annotators

`outrigger annotate usage` and `outrigger annotate allocation` take settings in the same order: flag,
environment (`OUTRIGGER_ANNOTATE_QPS`), the settings file that `--config` or `OUTRIGGER_ANNOTATE_CONFIG`
names, and the environment variable of the original program. Unlike above, an invalid value of such a
variable ends the start, too. Both commands can share a file; its section `further` has
annotations of your own with the queries of their values:

```yaml
prometheusUrl: http://prometheus.monitoring.svc:9090
further:
  congestion-factor: '100 * max by (instance) (rate(node_network_transmit_bytes_total[5m])) / 1.25e9'
```
)";

// Helps are phrases, for the lists of flags; here they stand as sentences.
std::string Sentence(std::string phrase) {
  if (!phrase.empty()) {
    phrase[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(phrase[0])));
  }
  return phrase + ".";
}

// A cell of a table must not end early.
std::string CellOfSetting(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c;
  }
  return cell;
}

constexpr const char* kTableHead =
    "\n| setting | meaning | accepted | default |\n|---|---|---|---|\n";

std::string SettingsRow(const std::string& flag, const SettingSpec& spec) {
  std::string meaning = CellOfSetting(spec.help);
  if (!spec.legacy_env.empty()) meaning += fmt::format("; formerly `{}`", spec.legacy_env);
  return fmt::format("| `{}` | {} | {} | {} |\n", flag, meaning, CellOfSetting(spec.accepted),
                     CellOfSetting(spec.default_text));
}

// Without what several agents share; empty: there is no other.
std::string SettingsTable(const SettingGroup& group) {
  std::string rows;
  for (const BoundSetting& setting : group.settings) {
    if (setting.spec.shared_by.empty()) rows += SettingsRow(setting.flag, setting.spec);
  }
  return rows.empty() ? rows : kTableHead + rows;
}

std::string Anchor(std::string heading) {
  std::replace(heading.begin(), heading.end(), ' ', '-');
  return heading;
}

// Which settings of the agent stand in sections of several agents.
std::string SharedSettings(const SettingGroup& group) {
  std::vector<std::pair<std::string, std::string>> flags;  // by who shares them, in order
  for (const BoundSetting& setting : group.settings) {
    const std::string& who = setting.spec.shared_by;
    if (who.empty()) continue;
    const auto same = [&who](const auto& entry) { return entry.first == who; };
    auto found = std::find_if(flags.begin(), flags.end(), same);
    if (found == flags.end()) found = flags.insert(flags.end(), {who, ""});
    found->second += fmt::format("{}`{}`", found->second.empty() ? "" : ", ", setting.flag);
  }
  std::string text;
  for (const auto& [who, of] : flags) {
    text += fmt::format("\nAs [{}](#of-{}) have them: {}.\n", who, Anchor(who), of);
  }
  return text;
}

// What the settings of earlier versions are now.
std::string OldNames(const std::vector<SettingGroup>& groups) {
  std::string rows;
  for (const SettingGroup& group : groups) {
    for (const BoundSetting& setting : group.settings) {
      if (setting.former_switch.flag.empty()) continue;
      rows += fmt::format("| `{}` | `{}={}` |\n", setting.former_switch.flag, setting.flag,
                          setting.spec.former_on);
    }
    for (const RetiredSetting& retired : group.retired) {
      rows +=
          fmt::format("| `{}` | {}: {} |\n", retired.flag,
                      retired.Counts() ? "works until then, then" : "ignored", retired.spec.why);
    }
  }
  if (rows.empty()) return "";
  return "\n## Old names\n\nVersion 0.2.0 removes these. Until then each causes a warning, also as "
         "variable and in the file.\n\n| old | now |\n|---|---|\n" +
         rows;
}

SettingGroup AnnotateGroup(Annotating what) {
  SettingGroup group = MakeAnnotateGroup(what);
  for (BoundSetting& setting : group.settings) {
    setting.spec.legacy_env = FormerVariables(setting.spec.name);
  }
  return group;
}

// The setting of the group that is this one but for the default; null: there is none.
const BoundSetting* SameIn(const SettingGroup& group, const BoundSetting& setting) {
  const auto found =
      std::find_if(group.settings.begin(), group.settings.end(), [&](const BoundSetting& other) {
        return other.flag == setting.flag && other.spec.help == setting.spec.help &&
               other.spec.accepted == setting.spec.accepted &&
               other.spec.legacy_env == setting.spec.legacy_env;
      });
  return found == group.settings.end() ? nullptr : &*found;
}

// Without what `other` has in the same way: each setting stands once on the page.
std::string AnnotatorSection(std::string_view name, SettingGroup group, std::string_view other_name,
                             const SettingGroup& other) {
  std::string same;
  std::erase_if(group.settings, [&](const BoundSetting& setting) {
    const BoundSetting* const there = SameIn(other, setting);
    if (there == nullptr) return false;
    same += fmt::format("{}`{}`", same.empty() ? "" : ", ", setting.flag);
    const std::string& by_default = setting.spec.default_text;
    if (by_default != there->spec.default_text) same += fmt::format(" (default {})", by_default);
    return true;
  });
  return fmt::format("\n## `outrigger annotate {}`\n\nAs `outrigger {}` has them: {}.\n", name,
                     other_name, same) +
         SettingsTable(group);
}

}  // namespace

std::string SettingsSection(const SettingGroup& group) {
  const std::string heading = group.agent == nullptr
                                  ? std::string("## Server\n")
                                  : fmt::format("## Agent {}\n\n{} Port {}.\n", group.agent->name,
                                                Sentence(group.agent->summary), group.agent->port);
  return heading + SettingsTable(group) + SharedSettings(group);
}

std::vector<std::pair<std::string, std::string>> SharedRows(
    const std::vector<SettingGroup>& groups) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const SettingGroup& group : groups) {
    for (const BoundSetting& setting : group.settings) {
      SettingSpec spec = setting.spec;
      if (spec.shared_by.empty()) continue;
      if (spec.default_text == "outrigger-" + group.agent->name)
        spec.default_text = "outrigger-AGENT";
      std::pair row{spec.shared_by, SettingsRow("--AGENT." + spec.name, spec)};
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(std::move(row));
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return rows;
}

std::string AnnotatorSections() {
  const std::vector<SettingGroup> server = MakeSettingGroups({});
  const SettingGroup usage = AnnotateGroup(Annotating::kUsage);
  return kAnnotators + AnnotatorSection("usage", usage, "serve", server.front()) +
         AnnotatorSection("allocation", AnnotateGroup(Annotating::kAllocation), "annotate usage",
                          usage);
}

std::string SettingsPage(const std::vector<AgentInfo>& registry) {
  std::string page = kSettingsIntroduction;
  const std::vector<SettingGroup> groups = MakeSettingGroups(registry);
  for (const SettingGroup& group : groups) {
    page += '\n';
    page += SettingsSection(group);
  }
  std::string who;
  for (const auto& [sharing, row] : SharedRows(groups)) {
    if (sharing != who) page += fmt::format("\n## Of {}\n{}", sharing, kTableHead);
    who = sharing;
    page += row;
  }
  page += OldNames(groups);
  page += '\n';
  page += AnnotatorSections();
  return page;
}

}  // namespace outrigger::cli
