#include "console/settings/loader.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "console/format/text.h"
#include "console/settings/former_names.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "sdk/base/nearest.h"

namespace outrigger::cli {
namespace {

std::string Quoted(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return Printable(text + '"');
}

class Loader {
 public:
  Loader(const SettingSources& sources, std::vector<SettingGroup>* groups,
         std::vector<std::string>* warnings)
      : sources_(sources), groups_(*groups), warnings_(*warnings) {
    for (const FileValue& value : sources.file) file_.emplace(value.key, &value);
  }

  absl::Status Load() {
    for (SettingGroup& group : groups_) {
      for (BoundSetting& setting : group.settings) {
        absl::Status status = LoadOne(setting);
        if (!status.ok()) return status;
      }
    }
    WarnOfUnknownVariables();
    return CheckFileKeys();
  }

 private:
  // From the weakest source to the strongest: each overwrites, and each is checked.
  absl::Status LoadOne(BoundSetting& setting) {
    const std::string* variable = Variable(setting.env);
    const auto flag = sources_.flags.find(setting.flag);
    const bool has_flag = flag != sources_.flags.end();
    const bool has_file = file_.count(setting.key) > 0;
    if (!has_file && !has_flag && variable == nullptr) LoadLegacy(setting);
    absl::Status status = has_file ? LoadFromFile(setting) : absl::OkStatus();
    if (status.ok() && variable != nullptr) {
      status = Set(setting, setting.env + "=" + Quoted(*variable), *variable);
      setting.given_by = setting.env;
    }
    if (status.ok() && has_flag) {
      status = Set(setting, setting.flag + ": " + Quoted(flag->second), flag->second);
      setting.given_by = setting.flag;
    }
    return status;
  }

  static absl::Status Set(const BoundSetting& setting, const std::string& where,
                          std::string_view text) {
    absl::Status status = setting.spec.parse(setting.target, text);
    if (status.ok()) return status;
    return absl::InvalidArgumentError(
        fmt::format("{} is not accepted; expected {}", where, std::string(status.message())));
  }

  absl::Status LoadFromFile(BoundSetting& setting) {
    const FileValue& value = *file_.find(setting.key)->second;
    setting.given_by = fmt::format("{}: {}", value.place, value.key);
    const std::string where = fmt::format("{}: {}", setting.given_by, Quoted(value.text));
    const std::string& type = setting.spec.type;
    if (value.quoted && (type == "boolean" || type == "integer" || type == "number")) {
      return absl::InvalidArgumentError(fmt::format(
          "{} is not accepted; expected {}, without quotes", where, setting.spec.accepted));
    }
    return Set(setting, where, value.text);
  }

  // An older program took its default for a value that it could not read; so do we, but say so.
  void LoadLegacy(const BoundSetting& setting) {
    const std::string& name = setting.spec.legacy_env;
    const std::string* value = name.empty() ? nullptr : Variable(name);
    if (value == nullptr || value->empty()) return;
    absl::Status status = setting.spec.parse_legacy(setting.target, *value);
    if (status.ok()) return;
    warnings_.push_back(fmt::format("{}={} is not accepted; expected {}; the default is used: {}",
                                    name, Quoted(*value), std::string(status.message()),
                                    setting.spec.default_text));
  }

  const std::string* Variable(const std::string& name) const {
    const std::string* value = Find(sources_.environment, name);
    return value == nullptr || IsServiceLink(name, *value) ? nullptr : value;
  }

  void WarnOfUnknownVariables() {
    constexpr std::string_view kPrefix = "OUTRIGGER_";
    std::set<std::string> names = {"OUTRIGGER_CONFIG"};
    for (const SettingGroup& group : groups_) {
      for (const BoundSetting& setting : group.settings) names.insert(setting.env);
    }
    // Compared without the prefix: that all of them have in common makes none of them near.
    std::vector<std::string> known;
    known.reserve(names.size());
    for (const std::string& name : names) known.push_back(name.substr(kPrefix.size()));
    // What the scripts of this tree read; they pass it on to the programs that they start.
    names.insert({"OUTRIGGER_BIN", "OUTRIGGER_BUDGET", "OUTRIGGER_CACHE", "OUTRIGGER_GO",
                  "OUTRIGGER_JOBS", "OUTRIGGER_PROGRESS", "OUTRIGGER_TICK"});
    for (const auto& [name, value] : sources_.environment) {
      if (!name.starts_with(kPrefix) || names.count(name) > 0) continue;
      if (IsServiceLink(name, value)) continue;
      const std::string nearest = Nearest(name.substr(kPrefix.size()), known);
      warnings_.push_back(fmt::format(
          "environment variable {} is not a setting and is ignored{}", name,
          nearest.empty() ? "" : fmt::format("; did you mean {}{}?", kPrefix, nearest)));
    }
  }

  absl::Status CheckFileKeys() const {
    std::vector<std::string> known;
    for (const SettingGroup& group : groups_) {
      for (const BoundSetting& setting : group.settings) known.push_back(setting.key);
    }
    const std::set<std::string> keys(known.begin(), known.end());
    for (const FileValue& value : sources_.file) {
      if (keys.count(value.key) > 0) continue;
      const auto below = std::find_if(known.begin(), known.end(), [&](const std::string& key) {
        return key.starts_with(value.key + ".");
      });
      if (below != known.end()) {
        return absl::InvalidArgumentError(
            fmt::format("{}: {} is a section; its settings go below it, such as {}",
                        value.key_place, value.key, *below));
      }
      return absl::InvalidArgumentError(fmt::format("{}: {}: no such setting{}", value.key_place,
                                                    Printable(value.key),
                                                    DidYouMean(value.key, known)));
    }
    return absl::OkStatus();
  }

  const SettingSources& sources_;
  std::vector<SettingGroup>& groups_;
  std::vector<std::string>& warnings_;
  std::map<std::string, const FileValue*> file_;
};

}  // namespace

absl::Status LoadSettings(const SettingSources& sources, std::vector<SettingGroup>* groups,
                          std::vector<std::string>* warnings) {
  auto renamed = WithPresentNames(sources, *groups, warnings);
  if (!renamed.ok()) return renamed.status();
  return Loader(*renamed, groups, warnings).Load();
}

}  // namespace outrigger::cli
