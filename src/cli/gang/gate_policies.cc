#include "cli/gang/gate_policies.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "kube/json_text.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kAdmissionGroup = "admissionregistration.k8s.io";
// The newest first: of what is served in several versions, every one shows all objects.
constexpr std::array<std::string_view, 3> kVersions = {"v1", "v1beta1", "v1alpha1"};

struct PolicyKind {
  std::string_view policies;
  std::string_view bindings;
  std::string_view kind;  // of a binding
};
constexpr std::array<PolicyKind, 2> kPolicyKinds = {
    PolicyKind{"mutatingadmissionpolicies", "mutatingadmissionpolicybindings",
               "MutatingAdmissionPolicyBinding"},
    PolicyKind{"validatingadmissionpolicies", "validatingadmissionpolicybindings",
               "ValidatingAdmissionPolicyBinding"}};

bool IsOfAName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_' ||
         c == '/';
}

// True where `text` has the name as a whole one.
bool HasName(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool begins = at == 0 || !IsOfAName(text[at - 1]);
    if (begins && (end == text.size() || !IsOfAName(text[end]))) return true;
  }
  return false;
}

// Policies that name the gate, and whether they are ours.
using Policies = std::map<std::string, bool>;

Policies ThoseOf(const std::vector<std::string>& items, std::string_view gate) {
  Policies found;
  for (const std::string& item : items) {
    const Json policy = Json::parse(item, nullptr, /*allow_exceptions=*/false);
    if (!policy.is_object() || !policy.contains("spec")) continue;
    if (!HasName(policy["spec"].dump(-1, ' ', false, Json::error_handler_t::replace), gate))
      continue;
    found[kube::TextAt(policy, "/metadata/name")] =
        kube::TextAt(policy, "/metadata/labels/app.kubernetes.io~1part-of") == "outrigger";
  }
  return found;
}

std::vector<GateBinding> BindingsOf(const std::vector<std::string>& items, const Policies& policies,
                                    const kube::Resource& resource) {
  std::vector<GateBinding> found;
  for (const std::string& item : items) {
    const Json binding = Json::parse(item, nullptr, /*allow_exceptions=*/false);
    if (!binding.is_object()) continue;
    const auto policy = policies.find(kube::TextAt(binding, "/spec/policyName"));
    if (policy == policies.end()) continue;
    found.push_back(
        {resource, kube::TextAt(binding, "/metadata/name"), policy->first, policy->second});
  }
  std::sort(found.begin(), found.end(),
            [](const GateBinding& a, const GateBinding& b) { return a.name < b.name; });
  return found;
}

// Nothing: the version is not served.
absl::StatusOr<std::optional<std::vector<GateBinding>>> InVersion(
    kube::Api& api, const PolicyKind& kind, std::string_view version, std::string_view gate,
    const kube::CallOptions& options) {
  const kube::Resource policies{kAdmissionGroup, version, kind.policies, "", false};
  const kube::Resource bindings{kAdmissionGroup, version, kind.bindings, kind.kind, false};
  const auto listed = kube::List(api, policies, "", {}, options);
  if (absl::IsNotFound(listed.status())) return std::optional<std::vector<GateBinding>>();
  if (!listed.ok()) return listed.status();
  const auto bound = kube::List(api, bindings, "", {}, options);
  if (!bound.ok()) return bound.status();
  return std::optional(BindingsOf(bound->items, ThoseOf(listed->items, gate), bindings));
}

}  // namespace

std::string TextOf(const GateBinding& binding) {
  return fmt::format("{} {}", binding.resource.kind, binding.name);
}

absl::StatusOr<std::vector<GateBinding>> FindGateBindings(kube::Api& api, std::string_view gate,
                                                          const kube::CallOptions& options) {
  std::vector<GateBinding> all;
  for (const PolicyKind& kind : kPolicyKinds) {
    for (const std::string_view version : kVersions) {
      auto found = InVersion(api, kind, version, gate, options);
      if (!found.ok()) return found.status();
      if (!found->has_value()) continue;
      for (GateBinding& binding : **found) all.push_back(std::move(binding));
      break;
    }
  }
  return all;
}

absl::Status DeleteGateBinding(kube::Api& api, const GateBinding& binding,
                               const kube::CallOptions& options) {
  const absl::Status deleted = kube::Delete(api, binding.resource, {"", binding.name}, {}, options);
  return absl::IsNotFound(deleted) ? absl::OkStatus() : deleted;
}

}  // namespace outrigger::cli
