#include "calls/configs.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "fmt/format.h"

namespace outrigger::devices::agent {
namespace {

// As apimachinery's meta.UnsafeGuessKindToResource(): the API server's own tables say it, and cost
// a call.
std::string PluralOf(std::string_view kind) {
  std::string name(kind);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name.back() == 's') return name + "es";
  if (name.back() == 'y') return name.substr(0, name.size() - 1) + "ies";
  return name + "s";
}

std::string ConfigText(const ConfigReference& config) {
  return fmt::format("config {} {}/{}", config.kind, config.namespace_, config.name);
}

std::string ConfigKeyOf(const ConfigReference& config) {
  return fmt::format("{}|{}|{}|{}", config.api_version, config.kind, config.namespace_,
                     config.name);
}

template <typename... Args>
absl::Status ConfigFault(fmt::format_string<Args...> text, Args&&... args) {
  return absl::FailedPreconditionError(fmt::format(text, std::forward<Args>(args)...));
}

bool CountsFor(const ConfigReference& config, const Claim& claim,
               std::span<const int> alternatives) {
  if (config.request < 0 || config.alternative < 0) return true;
  const auto request = static_cast<size_t>(config.request);
  if (request >= claim.requests.size()) return true;
  if (alternatives.empty()) return claim.requests[request].details.size() == 1;
  return alternatives[request] == config.alternative;
}

}  // namespace

ConfigNames ConfigNamesOf(const Contents& contents, const ClaimObject& claim,
                          std::span<const int> alternatives) {
  ConfigNames names{.namespace_ = claim.claim.namespace_};
  std::set<std::string> seen;
  const auto add = [&seen](const ConfigReference& config, std::vector<ConfigReference>* to) {
    if (seen.insert(ConfigKeyOf(config)).second) to->push_back(config);
  };
  for (const ConfigReference& config : claim.configs) {
    if (CountsFor(config, claim.claim, alternatives)) add(config, &names.of_claim);
  }
  seen.clear();  // what both name is a copy of both
  const std::vector<outrigger::devices::Request>& requests = claim.claim.requests;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (alternatives.empty() && requests[i].details.size() != 1) continue;
    const auto chosen = alternatives.empty() ? size_t{0} : static_cast<size_t>(alternatives[i]);
    const auto of = contents.FindClass(requests[i].details[chosen].device_class);
    if (of == nullptr) continue;
    for (const ConfigReference& config : of->configs) add(config, &names.of_classes);
  }
  return names;
}

absl::StatusOr<std::string> ConfigReader::Fetch(const ConfigReference& config) const {
  const absl::Status status = CheckConfig(config);  // the reader has done so; it makes a path
  if (!status.ok()) return ConfigFault("{}", std::string(status.message()));
  const CallLimits left = budget_.Left();
  if (left.timeout.count() == 0) {
    return absl::DeadlineExceededError(
        fmt::format("{}: no time left to read it", ConfigText(config)));
  }
  const size_t slash = config.api_version.find('/');
  const std::string group = config.api_version.substr(0, slash);
  const std::string version = config.api_version.substr(slash + 1);
  const std::string plural = PluralOf(config.kind);
  const CustomKind kind{group, version, plural, config.kind, /*namespaced=*/true};
  auto copy =
      api_.ReadCustomObject(kind, {.namespace_ = config.namespace_, .name = config.name}, left);
  if (absl::IsNotFound(copy.status())) return ConfigFault("{} does not exist", ConfigText(config));
  if (absl::IsPermissionDenied(copy.status())) {
    return ConfigFault("{} cannot be read: the agent needs the right to get {}.{}",
                       ConfigText(config), plural, group);
  }
  return copy;
}

absl::StatusOr<std::string> ConfigReader::ReadOne(const ConfigReference& config) {
  const std::string key = ConfigKeyOf(config);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  return known_.emplace(key, Fetch(config)).first->second;
}

absl::Status ConfigReader::ReadAll(const std::vector<ConfigReference>& configs,
                                   std::string_view namespace_, std::vector<std::string>* copies,
                                   size_t* bytes) {
  for (ConfigReference config : configs) {
    if (config.namespace_.empty()) config.namespace_ = namespace_;
    if (!namespace_.empty() && config.namespace_ != namespace_) {
      return ConfigFault("{}: namespace \"{}\" is not that of the claim", ConfigText(config),
                         config.namespace_);
    }
    auto copy = ReadOne(config);
    if (!copy.ok()) return copy.status();
    *bytes += copy->size();
    if (*bytes > kMostConfigBytes) {
      return ConfigFault("{}: the copies of all configs exceed {} bytes", ConfigText(config),
                         kMostConfigBytes);
    }
    copies->push_back(*std::move(copy));
  }
  return absl::OkStatus();
}

absl::StatusOr<ConfigCopies> ConfigReader::Read(const ConfigNames& names) {
  const size_t count = names.of_claim.size() + names.of_classes.size();
  if (count > kMostConfigs) {
    return ConfigFault("configs: the claim and its classes name {}, at most {} are read", count,
                       kMostConfigs);
  }
  ConfigCopies copies;
  size_t bytes = 0;
  absl::Status status = ReadAll(names.of_claim, names.namespace_, &copies.of_claim, &bytes);
  if (status.ok()) status = ReadAll(names.of_classes, "", &copies.of_classes, &bytes);
  if (!status.ok()) return status;
  return copies;
}

}  // namespace outrigger::devices::agent
