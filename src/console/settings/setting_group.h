#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "console/settings/server_settings.h"
#include "outrigger/agent/registry.h"

namespace outrigger::cli {

/// The names under which a setting can be given.
struct SettingNames {
  std::string flag;  // "--safe.max-risk"
  std::string env;   // "OUTRIGGER_SAFE_MAX_RISK"
  std::string key;   // "safe.maxRisk": section and key of a settings file
};

/// A setting with its names, bound to the struct it sets.
struct BoundSetting : SettingNames {
  SettingSpec spec;
  SettingNames former_switch;  // of the switch that it was in earlier versions; or empty
  void* target = nullptr;
  std::string given_by = {};  // "--kubeconfig", "OUTRIGGER_KUBECONFIG", "o.yaml:3:3: kubeconfig"

  bool IsSwitch() const { return spec.type == "boolean"; }
  /// The accepted words of a choice ("text", "json"), else empty.
  std::vector<std::string> Choices() const;
};

/// A setting of earlier versions that is accepted, and ignored unless its value still counts.
struct RetiredSetting : SettingNames {
  Retired spec;
  SettingSpec former = {};  // without a name: the value is ignored
  void* target = nullptr;

  bool Counts() const { return !former.name.empty(); }
};

/// The settings of the server (agent is null) or of one agent, its weight included.
struct SettingGroup {
  const AgentInfo* agent = nullptr;  // outlives the group
  std::vector<BoundSetting> settings;
  std::vector<RetiredSetting> retired;
  /// What `settings` point into.
  std::shared_ptr<ServerSettings> server;
  SettingsValues values;  // of the server: no more than which are given
  std::shared_ptr<double> weight;

  /// "server" or "agent safe".
  std::string Title() const;
  /// Where the setting of that flag comes from (BoundSetting::given_by); empty: nowhere.
  std::string GivenBy(std::string_view flag) const;
};

/// A new set of all settings, at their defaults: the server's first, then each agent's in the
/// registry's order. `registry` outlives the result.
std::vector<SettingGroup> MakeSettingGroups(const std::vector<AgentInfo>& registry);

}  // namespace outrigger::cli
