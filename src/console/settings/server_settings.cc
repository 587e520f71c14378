#include "console/settings/server_settings.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "console/settings/units.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

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

constexpr std::string_view kAcceptedAgents = "agent names, see `outrigger agents`";
constexpr std::string_view kAcceptedAddress = "an IP address or localhost";
constexpr std::string_view kAcceptedAddresses = "IP addresses or localhost, separated by commas";

// Nothing given is all agents; an empty text is most likely a variable that was never set.
absl::StatusOr<std::string> NamesGiven(std::string_view text) {
  if (!text.empty()) return std::string(text);
  return absl::InvalidArgumentError(
      fmt::format("{}; leave it out to have all compiled in", kAcceptedAgents));
}

// As http::Listen() takes them: no name is looked up.
absl::StatusOr<std::string> AddressGiven(std::string_view text) {
  std::string address(text);
  in_addr v4{};
  if (address == "localhost" || inet_pton(AF_INET, address.c_str(), &v4) == 1) return address;
  in6_addr v6{};
  const std::string without_zone = address.substr(0, address.find('%'));
  if (inet_pton(AF_INET6, without_zone.c_str(), &v6) == 1) return address;
  return absl::InvalidArgumentError(std::string(kAcceptedAddress));
}

absl::Status RefuseAddresses(const std::string& why) {
  return absl::InvalidArgumentError(fmt::format("{}; {}", kAcceptedAddresses, why));
}

// Two addresses of which the first is taken already if the second is listened on.
absl::Status CheckPair(const std::string& address, const std::string& other) {
  if (address == other) return RefuseAddresses(fmt::format("{} is there twice", address));
  for (const std::string_view all : {"0.0.0.0", "::"}) {
    const bool one_family =
        (address.find(':') == std::string::npos) == (other.find(':') == std::string::npos);
    if (!one_family || (address != all && other != all)) continue;
    return RefuseAddresses(
        fmt::format("{} includes {}: leave that out", all, address == all ? other : address));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> AddressesGiven(std::string_view text) {
  std::vector<std::string> addresses;
  for (const std::string& part : SplitList(text)) {
    if (part.empty() && addresses.empty() && text.find(',') == std::string_view::npos) {
      return RefuseAddresses("there is none");
    }
    if (part.empty()) {
      return RefuseAddresses("one is empty: is a variable such as POD_IP not set?");
    }
    if (!AddressGiven(part).ok()) return RefuseAddresses(fmt::format("{:?} is none", part));
    const std::string address = part == "localhost" ? "127.0.0.1" : part;
    for (const std::string& other : addresses) {
      const absl::Status status = CheckPair(address, other);
      if (!status.ok()) return status;
    }
    addresses.push_back(address);
  }
  return std::string(text);
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
  Find(specs, "agents")->default_text = "all compiled in";
  Restrict(Find(specs, "agents"), "list", kAcceptedAgents, NamesGiven);
  Find(specs, "port")->default_text =
      fmt::format("the agent's own port; {} for several agents", kSharedPort);
  Find(specs, "admin-port")->default_text = "port + 100; a free one if port is 0";
  for (const char* path : {"node-table", "scheduler-config", "kubeconfig", "port-file", "tls-cert",
                           "tls-key", "client-ca"}) {
    Find(specs, path)->accepted = "the path of a file";
    Find(specs, path)->default_text = "none";
  }
  Restrict(Find(specs, "bind"), "text", kAcceptedAddress, AddressGiven);
  Restrict(Find(specs, "admin-bind"), "list", kAcceptedAddresses, AddressesGiven);
  Restrict(Find(specs, "max-body"), "size", kAcceptedSize, ParseSize);
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
