#include "gang/commands/gate_release.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <stop_token>
#include <utility>

#include "fmt/format.h"
#include "kube/errors.h"
#include "kube/json_text.h"
#include "kube/objects.h"
#include "kube/resource.h"
#include "kube/write/status_patch.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/parallel.h"

namespace outrigger::cli {
namespace {

using Json = nlohmann::ordered_json;
using Policies = std::map<std::string, bool>;

constexpr kube::Resource kOwnAccessReviews{"authorization.k8s.io", "v1", "selfsubjectaccessreviews",
                                           "SelfSubjectAccessReview", false};

absl::StatusOr<bool> IsAllowed(kube::Api& api, const AccessRule& rule, const std::string& verb,
                               const kube::CallOptions& options) {
  const Json review = {
      {"apiVersion", kube::ApiVersionOf(kOwnAccessReviews)},
      {"kind", kOwnAccessReviews.kind},
      {"spec",
       {{"resourceAttributes",
         {{"group", rule.api_group}, {"resource", rule.resource}, {"verb", verb}}}}}};
  const auto answer = kube::Create(api, kOwnAccessReviews, "", review.dump(), options);
  if (!answer.ok()) return answer.status();
  const Json judged = Json::parse(*answer, nullptr, /*allow_exceptions=*/false);
  const Json::json_pointer allowed("/status/allowed");
  return judged.is_object() && judged.contains(allowed) && judged[allowed].is_boolean() &&
         judged[allowed].get<bool>();
}

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

bool HasGate(const Json& pod, std::string_view gate) {
  const Json::json_pointer at("/spec/schedulingGates");
  if (!pod.is_object() || !pod.contains(at) || !pod[at].is_array()) return false;
  return std::any_of(pod[at].begin(), pod[at].end(),
                     [gate](const Json& one) { return kube::TextAt(one, "/name") == gate; });
}

// As the API server says it of every authorizer. Admission plugins refuse one pod and not the next,
// and policies may not have heard yet that they are off.
bool IsOfRights(const absl::Status& status) {
  return absl::IsPermissionDenied(status) &&
         kube::MessageOf(status).find("cannot patch resource") != std::string_view::npos;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> MissingRights(kube::Api& api,
                                                       const std::vector<AccessRule>& wanted,
                                                       const kube::CallOptions& options) {
  std::vector<std::string> missing;
  for (const AccessRule& rule : wanted) {
    for (const std::string& verb : rule.verbs) {
      const auto allowed = IsAllowed(api, rule, verb, options);
      if (!allowed.ok()) return allowed.status();
      if (*allowed) continue;
      missing.push_back(fmt::format("{} {}{}{}", verb, rule.resource,
                                    rule.api_group.empty() ? "" : ".", rule.api_group));
    }
  }
  return missing;
}

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

absl::StatusOr<std::vector<GatedPod>> ListGatedPods(kube::Api& api, std::string_view gate) {
  kube::ListOptions list;
  list.field_selector = "spec.nodeName=";
  const auto pods = kube::List(api, kube::kPods, "", list, {.rate_limited = false});
  if (!pods.ok()) return pods.status();
  std::vector<GatedPod> gated;
  for (const std::string& item : pods->items) {
    const Json pod = Json::parse(item, nullptr, /*allow_exceptions=*/false);
    if (!HasGate(pod, gate)) continue;
    gated.push_back({kube::TextAt(pod, "/metadata/namespace"), kube::TextAt(pod, "/metadata/name"),
                     kube::TextAt(pod, "/metadata/uid"),
                     !kube::TextAt(pod, "/status/nominatedNodeName").empty()});
  }
  return gated;
}

GateRelease::GateRelease(kube::Api* api, GateReleaseOptions options, Clock clock)
    : api_(*api), options_(std::move(options)), clock_(std::move(clock)) {}

absl::StatusOr<GateReleased> GateRelease::Run() {
  const auto began = clock_.now();
  size_t vain = 0;
  const MutexLock lock(mutex_);  // ReleaseFrom() lets go of it while its threads run
  for (size_t round = 0; round < kMostRounds; ++round) {
    // What is listed from then on is as it stays.
    const bool is_settled = clock_.now() - began >= options_.settle;
    const auto pods = ListGatedPods(api_, options_.gate);
    if (!pods.ok()) return pods.status();
    done_.left.clear();
    if (pods->empty() && is_settled) return std::move(done_);
    const size_t before = done_.released;
    const absl::Status may = Round(*pods, !is_settled);
    if (!may.ok()) return may;
    const bool is_vain = done_.released == before;
    if (!is_vain) done_.took = clock_.now() - began;
    vain = is_vain && is_settled ? vain + 1 : 0;
    if (vain == kMostVainRounds) return std::move(done_);
    if (is_vain || !is_settled || !done_.left.empty()) (void)clock_.sleep(kPause, {});
  }
  done_.keep_coming = true;
  return std::move(done_);
}

absl::Status GateRelease::Round(const std::vector<GatedPod>& pods, bool carefully) {
  done_before_ = done_.released + done_.gone;
  done_in_round_ = 0;
  size_t first = 0;
  if (carefully && !pods.empty()) {
    first = 1;
    absl::Status may = ReleaseFrom(pods, 0, first);
    if (!may.ok() || !done_.left.empty()) return may;
  }
  return ReleaseFrom(pods, first, pods.size());
}

absl::Status GateRelease::ReleaseFrom(const std::vector<GatedPod>& pods, size_t first, size_t end) {
  absl::Status refused;
  std::stop_source enough;
  mutex_.unlock();
  ParallelFor(end - first, kAtOnce, [&](size_t i) {
    if (enough.stop_requested()) return;
    const GatedPod& pod = pods[first + i];
    const absl::Status status = kube::RemoveGate(api_, {pod.namespace_, pod.name, pod.uid},
                                                 options_.gate, {}, {.rate_limited = false});
    const MutexLock lock(mutex_);
    if (IsOfRights(status)) {
      refused = status;
      enough.request_stop();
      return;
    }
    Take(pod, status);
    ++done_in_round_;
    if (options_.progress) {
      options_.progress(done_before_ + done_in_round_, done_before_ + pods.size());
    }
  });
  mutex_.lock();
  return refused;
}

// Another pod of the name is in the next list, if it has the gate; so is one
// that another writer was faster with (409).
void GateRelease::Take(const GatedPod& pod, const absl::Status& status) {
  if (status.ok()) {
    ++done_.released;
    if (pod.is_nominated) ++done_.nominated;
  } else if (absl::IsNotFound(status) || (absl::IsAborted(status) && !kube::ApiErrorOf(status))) {
    ++done_.gone;
  } else {
    done_.left.emplace_back(fmt::format("{}/{}", pod.namespace_, pod.name), status);
  }
}

}  // namespace outrigger::cli
