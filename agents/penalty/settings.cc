#include "settings.h"

#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "outrigger/agent/lease_claim.h"
#include "outrigger/k8s/label_syntax.h"

namespace outrigger::penalty {
namespace {

// The settings of classes that the user may leave empty.
absl::Status SetTexts(const Settings& settings, Policy* policy) {
  const std::vector<std::pair<std::string_view, const std::string*>> texts = {
      {"start", &settings.start},       {"completion", &settings.completion},
      {"recovery", &settings.recovery}, {"quantum", &settings.quantum},
      {"floor", &settings.floor},       {"ceiling", &settings.ceiling}};
  for (const auto& [name, text] : texts) {
    if (text->empty()) continue;
    absl::Status status = policy->Set(name, *text);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status SetNumbers(const Settings& settings, Policy* policy) {
  const std::vector<std::pair<std::string_view, double>> numbers = {
      {"half-life", settings.half_life},
      {"step", settings.step},
      {"step-interval", settings.step_interval},
      {"grace", settings.grace},
      {"coalesce", settings.coalesce}};
  for (const auto& [name, number] : numbers) {
    absl::Status status = policy->Set(name, fmt::format("{}", number));
    if (!status.ok()) return status;
  }
  policy->allow_crossing = settings.allow_crossing;
  return absl::OkStatus();
}

absl::Status SetSelector(const Settings& settings, Options* options) {
  if (settings.class_selector.empty()) return absl::OkStatus();
  absl::Status parsed = ParseLabelSelector(settings.class_selector, &options->selector.emplace());
  if (parsed.ok()) return parsed;
  return absl::InvalidArgumentError(fmt::format("class-selector: \"{}\" is not accepted: {}",
                                                settings.class_selector,
                                                std::string(parsed.message())));
}

absl::Status CheckNames(const Settings& settings) {
  if (!IsDnsLabel(settings.name_space)) {
    return absl::InvalidArgumentError(
        fmt::format("namespace: \"{}\" is not accepted; expected the name of a namespace",
                    settings.name_space));
  }
  if (!IsDnsSubdomain(settings.lease)) {
    return absl::InvalidArgumentError(
        fmt::format("lease: \"{}\" is not accepted; expected the name of a Lease", settings.lease));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Options> OptionsFrom(const Settings& settings) {
  Options options;
  absl::Status status = CheckNames(settings);
  if (status.ok()) status = SetSelector(settings, &options);
  if (status.ok()) status = SetTexts(settings, &options.policy);
  if (status.ok()) status = SetNumbers(settings, &options.policy);
  if (status.ok()) status = options.policy.Validate();
  if (!status.ok()) return status;
  options.claim = LeaseClaimOf(settings.name_space, settings.lease, settings.lease_seconds);
  options.mapped = settings.replacement == "mapped";
  options.dry_run = settings.dry_run;
  return options;
}

}  // namespace outrigger::penalty
