#include "devices/commands/claims/asked.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "console/format/text.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

using devices::ClaimObject;
using devices::PodClaim;

const ClaimObject* FindClaim(const DeviceObjects& objects, const DevicePod& pod,
                             const PodClaim& claim) {
  for (const ClaimObject& one : objects.claims) {
    if (one.privileged == claim.privileged && one.claim.namespace_ == pod.namespace_ &&
        one.claim.name == claim.claim_name) {
      return &one;
    }
  }
  return nullptr;
}

absl::Status Missing(const DeviceObjects& objects, const DevicePod& pod, const PodClaim& claim) {
  std::vector<std::string> names;
  std::vector<std::string> elsewhere;
  for (const ClaimObject& one : objects.claims) {
    if (one.privileged != claim.privileged) continue;
    if (one.claim.namespace_ == pod.namespace_) names.push_back(one.claim.name);
    if (one.claim.name == claim.claim_name) elsewhere.push_back(one.claim.namespace_);
  }
  const std::string hint = elsewhere.empty() ? DidYouMean(claim.claim_name, names)
                                             : "; there is one in namespace " + Listed(elsewhere);
  return absl::NotFoundError(
      Printable(fmt::format("pod {}: claim {}: there is no {} {} in namespace {}{}", NameOf(pod),
                            claim.name, claim.privileged ? "DevicePrivilegedClaim" : "DeviceClaim",
                            claim.claim_name, pod.namespace_, hint)));
}

absl::StatusOr<const ClaimObject*> Embedded(const DevicePod& pod, const PodClaim& claim,
                                            DeviceObjects* objects) {
  const std::string json = devices::EmbeddedClaim(pod.namespace_, pod.name, pod.uid, claim);
  absl::StatusOr<ClaimObject> read = devices::ParseClaim(json);
  if (!read.ok()) {
    return absl::Status(read.status().code(),
                        Printable(fmt::format("pod {}: claim {}: {}", NameOf(pod), claim.name,
                                              std::string(read.status().message()))));
  }
  objects->claims.push_back(*std::move(read));
  return &objects->claims.back();
}

absl::StatusOr<const ClaimObject*> ClaimOf(const DevicePod& pod, const PodClaim& claim,
                                           DeviceObjects* objects) {
  const ClaimObject* const found = FindClaim(*objects, pod, claim);
  if (found == nullptr) {
    if (!claim.embedded_spec.empty()) return Embedded(pod, claim, objects);
    return Missing(*objects, pod, claim);
  }
  if (claim.embedded_spec.empty()) return found;
  const std::string conflict = devices::EmbeddedClaimConflict(*found, claim, pod.uid);
  if (conflict.empty()) return found;
  return absl::InvalidArgumentError(Printable(fmt::format("pod {}: {}", NameOf(pod), conflict)));
}

}  // namespace

absl::StatusOr<AskedClaims> ClaimsOf(const DevicePod& pod, DeviceObjects* objects) {
  if (!pod.fault.empty()) {
    return absl::InvalidArgumentError(Printable(fmt::format("pod {}: {}", NameOf(pod), pod.fault)));
  }
  AskedClaims asked;
  asked.pod = NameOf(pod);
  if (pod.in_gang) asked.refusal = devices::kGangsUnplanned;
  for (const PodClaim& claim : pod.claims) {
    const auto found = ClaimOf(pod, claim, objects);
    if (!found.ok()) return found.status();
    asked.claims.push_back(*found);
    if (!claim.embedded_spec.empty()) asked.embedded.insert(*found);
  }
  return asked;
}

AskedClaims ClaimsOfFiles(const DeviceObjects& objects) {
  AskedClaims asked;
  for (size_t i = 0; i < objects.file_claims; ++i) asked.claims.push_back(&objects.claims[i]);
  return asked;
}

absl::StatusOr<const DevicePod*> FindPod(const DeviceObjects& objects, const std::string& name) {
  std::vector<std::string> names;
  std::vector<std::string> choices;
  const DevicePod* found = nullptr;
  const size_t count = name.empty() ? objects.file_pods : objects.pods.size();
  for (size_t i = 0; i < count; ++i) {
    const DevicePod& pod = objects.pods[i];
    names.push_back(NameOf(pod));
    if (!name.empty() && name != pod.name && name != names.back()) continue;
    found = &pod;
    choices.push_back(names.back());
  }
  if (found == nullptr && !name.empty()) {
    return absl::NotFoundError(
        Printable(fmt::format("there is no pod {}{}", name, DidYouMean(name, names))));
  }
  if (choices.size() > 1) {
    return absl::InvalidArgumentError(
        Printable(fmt::format("there are {} pods, {}; choose one with --pod NAMESPACE/NAME",
                              choices.size(), Listed(choices))));
  }
  return found;
}

}  // namespace outrigger::cli
