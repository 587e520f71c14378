#include "console/settings/annotate_environment.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "absl/strings/numbers.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

// Nothing: not set, or something else than the variable of the program.
const std::string* ValueIn(const Environment& environment, const std::string& name) {
  const std::string* const value = Find(environment, name);
  return value == nullptr || value->empty() || IsServiceLink(name, *value) ? nullptr : value;
}

absl::Status Refuse(std::string_view name, std::string_view value, std::string_view accepted) {
  return absl::InvalidArgumentError(
      fmt::format("{}={:?} is not accepted; expected {}", name, Printable(value), accepted));
}

const BoundSetting* FindSetting(const SettingGroup& group, std::string_view name) {
  const auto found =
      std::find_if(group.settings.begin(), group.settings.end(),
                   [&](const BoundSetting& setting) { return setting.spec.name == name; });
  return found == group.settings.end() ? nullptr : &*found;
}

// The program wrote True and False as Python does.
std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

absl::Status Take(const SettingGroup& group, std::string_view setting, std::string_view variable,
                  std::string_view value, const std::string& text) {
  const BoundSetting* const bound = FindSetting(group, setting);
  if (bound == nullptr || group.values.given().contains(setting)) return absl::OkStatus();
  const absl::Status status = bound->spec.parse(bound->target, text);
  return status.ok() ? status : Refuse(variable, value, std::string(status.message()));
}

absl::Status TakeAddress(const Environment& environment, const SettingGroup& group) {
  const std::string* const host = ValueIn(environment, "PROM_IP");
  const std::string* const port = ValueIn(environment, "PROM_PORT");
  if (host == nullptr && port == nullptr) return absl::OkStatus();
  if (host != nullptr && host->find_first_of("/:@ \t\r\n") != std::string::npos) {
    return Refuse("PROM_IP", *host, "the address or name of a host, without a port");
  }
  int number = 9090;
  if (port != nullptr && (!absl::SimpleAtoi(*port, &number) || number < 1 || number > 65535)) {
    return Refuse("PROM_PORT", *port, "an integer from 1 to 65535");
  }
  const std::string name = host == nullptr ? "127.0.0.1" : *host;
  const std::string url = fmt::format("http://{}:{}", name, number);
  return Take(group, "prometheus-url", "PROM_IP", name, url);
}

}  // namespace

std::string FormerVariables(std::string_view setting) {
  if (setting == "prometheus-url") return "PROM_IP, PROM_PORT";
  if (setting == "exporter-port") return "NODE_EXP_PORT";
  if (setting == "interval") return "ANNOTATE_FREQ";
  if (setting == "forecast") return "USE_FORECAST";
  if (setting == "use-requests") return "USE_REQ";
  return "";
}

absl::Status TakeFormerEnvironment(const Environment& environment, Annotating what,
                                   SettingGroup* group) {
  absl::Status status;
  if (const std::string* value = ValueIn(environment, "ANNOTATE_FREQ")) {
    status = Take(*group, "interval", "ANNOTATE_FREQ", *value, *value);
  }
  if (!status.ok() || what == Annotating::kAllocation) return status;
  status = TakeAddress(environment, *group);
  if (!status.ok()) return status;
  if (const std::string* value = ValueIn(environment, "NODE_EXP_PORT")) {
    status = Take(*group, "exporter-port", "NODE_EXP_PORT", *value, *value);
  }
  if (!status.ok()) return status;
  if (const std::string* value = ValueIn(environment, "USE_FORECAST")) {
    status = Take(*group, "forecast", "USE_FORECAST", *value, LowerCase(*value));
  }
  if (!status.ok()) return status;
  if (const std::string* value = ValueIn(environment, "USE_REQ")) {
    status = Take(*group, "use-requests", "USE_REQ", *value, LowerCase(*value));
  }
  return status;
}

}  // namespace outrigger::cli
