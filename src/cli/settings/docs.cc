#include "cli/settings/docs.h"

#include <cctype>

#include "cli/settings/annotate_environment.h"
#include "cli/settings/annotate_settings.h"
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
   ("formerly"); a value that is not accepted there is warned about and means the default, as it did
5. the default

All names follow from the flag's as these do.

A value that is not accepted, a key that no setting has and a key given twice end the start with
exit code 2 and a message that names the place; a file that cannot be read ends it with 1. An
`OUTRIGGER_` variable that means nothing is warned about; those that Kubernetes makes for a Service
named `outrigger` are left alone.

A flag of an agent that is not served is warned about. Such a variable, or section of the file, is
not: agents may share them.

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
names, and the environment variable of the original program. Unlike above, a value of such a variable
that is not accepted ends the start, too. Both commands can share a file; its section `further` has
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

std::string SettingsTable(const SettingGroup& group) {
  std::string text = "\n| setting | meaning | accepted | default |\n|---|---|---|---|\n";
  for (const BoundSetting& setting : group.settings) {
    const SettingSpec& spec = setting.spec;
    std::string meaning = CellOfSetting(spec.help);
    if (!spec.legacy_env.empty()) meaning += fmt::format("; formerly `{}`", spec.legacy_env);
    text += fmt::format("| `{}` | {} | {} | {} |\n", setting.flag, meaning,
                        CellOfSetting(spec.accepted), CellOfSetting(spec.default_text));
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
      rows += fmt::format("| `{}` | {}: {} |\n", retired.flag,
                          retired.Counts() ? "counts until then, and then" : "ignored",
                          retired.spec.why);
    }
  }
  if (rows.empty()) return "";
  return "\n## Old names\n\nVersion 0.2.0 removes these. Until then each is accepted with a "
         "warning, also as variable and in the file.\n\n| old | now |\n|---|---|\n" +
         rows;
}

}  // namespace

std::string SettingsSection(const SettingGroup& group) {
  const std::string heading = group.agent == nullptr
                                  ? std::string("## Server\n")
                                  : fmt::format("## Agent {}\n\n{} Port {}.\n", group.agent->name,
                                                Sentence(group.agent->summary), group.agent->port);
  return heading + SettingsTable(group);
}

std::string AnnotatorSections() {
  std::string text = kAnnotators;
  for (const Annotating what : {Annotating::kUsage, Annotating::kAllocation}) {
    SettingGroup group = MakeAnnotateGroup(what);
    for (BoundSetting& setting : group.settings) {
      setting.spec.legacy_env = FormerVariables(setting.spec.name);
    }
    text += fmt::format("\n## `outrigger annotate {}`\n",
                        what == Annotating::kUsage ? "usage" : "allocation");
    text += SettingsTable(group);
  }
  return text;
}

std::string SettingsPage(const std::vector<AgentInfo>& registry) {
  std::string page = kSettingsIntroduction;
  const std::vector<SettingGroup> groups = MakeSettingGroups(registry);
  for (const SettingGroup& group : groups) {
    page += '\n';
    page += SettingsSection(group);
  }
  page += OldNames(groups);
  page += '\n';
  page += AnnotatorSections();
  return page;
}

}  // namespace outrigger::cli
