#include "cli/server_settings.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "cli/units.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

SettingSpec* Find(std::vector<SettingSpec>& specs, std::string_view name) {
  const auto it = std::find_if(specs.begin(), specs.end(),
                               [&](const SettingSpec& spec) { return spec.name == name; });
  return it == specs.end() ? nullptr : &*it;
}

// Puts `check` before the plain parser of a text.
template <typename Check>
void Restrict(SettingSpec* spec, std::string type, std::string_view accepted, Check check) {
  spec->type = std::move(type);
  spec->accepted = accepted;
  spec->parse = [check, plain = spec->parse](void* settings, std::string_view text) {
    const auto value = check(text);
    return value.ok() ? plain(settings, text) : value.status();
  };
  spec->parse_legacy = spec->parse;
}

// The older program wrote levels in capitals and knew two more names.
std::string LegacyLevel(std::string_view text) {
  std::string level(text);
  std::transform(level.begin(), level.end(), level.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (level == "warning") return "warn";
  if (level == "alert") return "error";
  return level;
}

}  // namespace

std::vector<SettingSpec> ServerSpecs() {
  std::vector<SettingSpec> specs = SettingsSchema::Of<ServerSettings>().specs();
  Find(specs, "agents")->type = "list";
  Find(specs, "agents")->default_text = "all that are compiled in";
  Find(specs, "agents")->accepted = "names of agents (see `outrigger agents`)";
  Find(specs, "port")->default_text =
      fmt::format("the agent's own port; {} when several are served", kSharedPort);
  Find(specs, "admin-port")->default_text = "port + 100; any free one when port is 0";
  for (const char* path :
       {"node-table", "kubeconfig", "port-file", "tls-cert", "tls-key", "client-ca"}) {
    Find(specs, path)->accepted = "the path of a file";
    Find(specs, path)->default_text = "none";
  }
  for (const char* address : {"bind", "admin-bind"}) {
    Find(specs, address)->accepted = "an IP address or localhost";
  }
  Restrict(Find(specs, "max-body"), "size", kAcceptedSize, ParseSize);
  Restrict(Find(specs, "max-body-memory"), "size", kAcceptedSize, ParseSize);
  Find(specs, "context")->accepted = "the name of a context";
  Find(specs, "context")->default_text = "the current one";
  Restrict(Find(specs, "max-staleness"), "duration", kAcceptedDuration, ParseDuration);
  Restrict(Find(specs, "drain-delay"), "duration", kAcceptedDuration, ParseDuration);
  Restrict(Find(specs, "drain-timeout"), "duration", kAcceptedDuration, ParseDuration);
  SettingSpec* level = Find(specs, "log-level");
  level->parse_legacy = [plain = level->parse](void* settings, std::string_view text) {
    return plain(settings, LegacyLevel(text));
  };
  return specs;
}

}  // namespace outrigger::cli
