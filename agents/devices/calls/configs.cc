#include "calls/configs.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "fmt/format.h"
#include "outrigger/agent/call_budget.h"

namespace outrigger::devices::agent {
namespace {

// As apimachinery's meta.UnsafeGuessKindToResource(): the API server's own tables say it, and cost
// a call.
std::string PluralOf(std::string_view kind) {
  std::string name(kind);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name.empty()) return name;
  if (name.back() == 's') return name + "es";
  if (name.back() == 'y') return name.substr(0, name.size() - 1) + "ies";
  return name + "s";
}

std::string TextOf(const ConfigReference& config, std::string_view namespace_) {
  if (namespace_.empty()) return fmt::format("{} {}", config.kind, config.name);
  return fmt::format("{} {}/{}", config.kind, namespace_, config.name);
}

absl::StatusOr<std::vector<std::string>> ReadAll(CustomObjectAccess* api,
                                                 const std::vector<ConfigReference>& configs,
                                                 std::string_view namespace_,
                                                 const CallBudget& budget) {
  std::vector<std::string> copies;
  for (const ConfigReference& config : configs) {
    auto copy = ReadConfig(api, config, namespace_, budget.Left());
    if (!copy.ok()) return copy.status();
    copies.push_back(*std::move(copy));
  }
  return copies;
}

}  // namespace

ConfigNames ConfigNamesOf(const Contents& contents, const ClaimObject& claim) {
  ConfigNames names{.namespace_ = claim.claim.namespace_, .of_claim = claim.configs};
  for (const Request& request : claim.claim.requests) {
    for (const Detail& detail : request.details) {
      const auto of = contents.FindClass(detail.device_class);
      if (of != nullptr && !of->configs.empty()) names.of_classes[of->of.name] = of->configs;
    }
  }
  return names;
}

absl::StatusOr<std::string> ReadConfig(CustomObjectAccess* api, const ConfigReference& config,
                                       std::string_view namespace_, const CallLimits& limits) {
  const std::string_view where = config.namespace_.empty() ? namespace_ : config.namespace_;
  const std::string text = TextOf(config, where);
  const size_t slash = config.api_version.find('/');
  if (slash == std::string::npos) {
    return absl::FailedPreconditionError(
        fmt::format("config {}: apiVersion \"{}\" has no group, and only kinds of "
                    "CustomResourceDefinitions are read",
                    text, config.api_version));
  }
  const std::string group = config.api_version.substr(0, slash);
  const std::string version = config.api_version.substr(slash + 1);
  const std::string plural = PluralOf(config.kind);
  const CustomKind kind{group, version, plural, config.kind, !where.empty()};
  auto copy = api->ReadCustomObject(kind, {.namespace_ = where, .name = config.name}, limits);
  if (absl::IsNotFound(copy.status())) {
    return absl::FailedPreconditionError(fmt::format("config {} is not there", text));
  }
  if (absl::IsPermissionDenied(copy.status())) {
    return absl::FailedPreconditionError(fmt::format(
        "config {} may not be read: the agent needs the right to get {}.{}", text, plural, group));
  }
  return copy;
}

absl::StatusOr<ClaimConfigs> ReadConfigs(CustomObjectAccess* api, const ConfigNames& names,
                                         const CallLimits& limits) {
  const CallBudget budget(limits);
  ClaimConfigs configs;
  auto of_claim = ReadAll(api, names.of_claim, names.namespace_, budget);
  if (!of_claim.ok()) return of_claim.status();
  configs.of_claim = *std::move(of_claim);
  for (const auto& [name, of_class] : names.of_classes) {
    configs.of_classes.emplace(name, ReadAll(api, of_class, "", budget));
  }
  return configs;
}

}  // namespace outrigger::devices::agent
