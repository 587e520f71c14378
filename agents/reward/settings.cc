#include "settings.h"

#include "fmt/format.h"
#include "outrigger/agent/lease_claim.h"
#include "outrigger/base/text.h"
#include "outrigger/k8s/label_syntax.h"

namespace outrigger::reward {
namespace {

absl::Status NotAccepted(std::string_view setting, std::string_view value, std::string_view what) {
  return absl::InvalidArgumentError(
      fmt::format("{}: \"{}\" is not accepted: {}", setting, value, what));
}

absl::Status SetFilter(const Settings& settings, PodFilter* filter) {
  if (!settings.pod_namespaces.empty()) filter->namespaces = SplitList(settings.pod_namespaces);
  for (const std::string& name : filter->namespaces) {
    if (IsDnsLabel(name)) continue;
    return NotAccepted("pod-namespaces", settings.pod_namespaces, "names of namespaces");
  }
  if (settings.pod_selector.empty()) return absl::OkStatus();
  absl::Status parsed = ParseLabelSelector(settings.pod_selector, &filter->selector.emplace());
  if (parsed.ok()) return parsed;
  return NotAccepted("pod-selector", settings.pod_selector, std::string(parsed.message()));
}

}  // namespace

absl::StatusOr<Options> OptionsFrom(const Settings& settings) {
  if (!IsDnsLabel(settings.name_space)) {
    return NotAccepted("namespace", settings.name_space, "the name of a namespace");
  }
  if (!IsDnsSubdomain(settings.lease)) {
    return NotAccepted("lease", settings.lease, "the name of a Lease");
  }
  if (!settings.type_label.empty() && !IsLabelKey(settings.type_label)) {
    return NotAccepted("type-label", settings.type_label, "the key of a label");
  }
  Options options;
  if (absl::Status status = SetFilter(settings, &options.filter); !status.ok()) return status;
  options.rule = {.half_life = settings.half_life, .mttf = settings.mttf, .prior = settings.prior};
  options.draws = settings.thompson;
  options.type_label = settings.type_label;
  options.is_original = settings.original_arithmetic;
  options.store = {.namespace_ = settings.name_space,
                   .config_map = std::string(kConfigMap),
                   .file = settings.state};
  options.claim = LeaseClaimOf(settings.name_space, settings.lease, settings.lease_seconds);
  return options;
}

}  // namespace outrigger::reward
