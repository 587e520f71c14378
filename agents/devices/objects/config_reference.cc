// What may be named as a configuration.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "devices/objects/objects.h"
#include "fmt/format.h"
#include "outrigger/k8s/label_syntax.h"

namespace outrigger::devices {
namespace {

std::string ConfigText(const ConfigReference& config) {
  return fmt::format("config {} {}{}{}", config.kind, config.namespace_,
                     config.namespace_.empty() ? "" : "/", config.name);
}

template <typename... Args>
absl::Status Fault(fmt::format_string<Args...> text, Args&&... args) {
  return absl::InvalidArgumentError(fmt::format(text, std::forward<Args>(args)...));
}

bool IsKind(std::string_view kind) {
  return !kind.empty() && std::isalpha(static_cast<unsigned char>(kind.front())) != 0 &&
         std::all_of(kind.begin(), kind.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0; });
}

// Groups that Kubernetes keeps for itself: "apps", "rbac.authorization.k8s.io". What is in them is
// no configuration of devices, and the agent has rights to some of it for other ends.
bool IsOfKubernetes(std::string_view group) {
  return group.find('.') == std::string_view::npos || group == "k8s.io" ||
         group == "kubernetes.io" || group.ends_with(".k8s.io") ||
         group.ends_with(".kubernetes.io");
}

absl::Status CheckGroup(const ConfigReference& config) {
  const std::string_view version = config.api_version;
  const size_t slash = version.find('/');
  if (slash == std::string_view::npos) {
    return Fault(
        "{}: apiVersion \"{}\" has no group; only kinds of CustomResourceDefinitions are supported",
        ConfigText(config), version);
  }
  const std::string_view group = version.substr(0, slash);
  if (!IsDnsSubdomain(group) || !IsDnsLabel(version.substr(slash + 1))) {
    return Fault("{}: apiVersion \"{}\" is not GROUP/VERSION", ConfigText(config), version);
  }
  if (!IsOfKubernetes(group)) return absl::OkStatus();
  return Fault("{}: apiVersion \"{}\" is a group of Kubernetes itself, and these are not supported",
               ConfigText(config), version);
}

}  // namespace

absl::Status CheckConfig(const ConfigReference& config) {
  absl::Status group = CheckGroup(config);
  if (!group.ok()) return group;
  if (!IsKind(config.kind)) {
    return Fault("{}: kind \"{}\" is not letters and digits", ConfigText(config), config.kind);
  }
  if (!config.namespace_.empty() && !IsDnsLabel(config.namespace_)) {
    return Fault("{}: namespace \"{}\" is not a DNS label", ConfigText(config), config.namespace_);
  }
  if (!IsDnsSubdomain(config.name)) {
    return Fault("{}: name \"{}\" is not a DNS subdomain", ConfigText(config), config.name);
  }
  return absl::OkStatus();
}

}  // namespace outrigger::devices
