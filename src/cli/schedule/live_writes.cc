#include "cli/schedule/live_writes.h"

#include <random>
#include <utility>

#include "fmt/format.h"
#include "kube/objects.h"
#include "kube/resource.h"
#include "kube/write/binding.h"
#include "kube/write/custom_object.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

kube::CallOptions CallOptionsOf(const CallLimits& limits) {
  return {.timeout = limits.timeout, .stop = limits.stop, .rate_limited = false};
}

class NotFollowed final : public FollowedKind {
  absl::Status Usable() const override {
    return absl::UnimplementedError("a command that ends follows nothing");
  }
};

}  // namespace

WriteAccess LiveWrites::Access() {
  std::random_device random;
  devices::WriterOptions options;
  options.identity = fmt::format("outrigger-schedule_{:08x}{:08x}", random(), random());
  return {this, this, std::move(options)};
}

std::unique_ptr<FollowedKind> LiveWrites::Follow(const CustomKind& /*kind*/,
                                                 CustomObjectSink* /*sink*/) {
  return std::make_unique<NotFollowed>();
}

absl::StatusOr<std::string> LiveWrites::ReadCustomObject(const CustomKind& kind,
                                                         const CustomObjectName& object,
                                                         const CallLimits& limits) {
  return kube::ReadCustomObject(*client_.client, kind, object, CallOptionsOf(limits));
}

absl::StatusOr<std::string> LiveWrites::CreateCustomObject(const CustomKind& kind,
                                                           std::string_view namespace_,
                                                           std::string_view json,
                                                           const CallLimits& limits) {
  return kube::CreateCustomObject(*client_.client, kind, namespace_, json, CallOptionsOf(limits));
}

absl::StatusOr<std::string> LiveWrites::PatchCustomStatus(const CustomKind& kind,
                                                          const CustomObjectName& object,
                                                          std::string_view status_patch,
                                                          const CallLimits& limits) {
  return kube::PatchCustomStatus(*client_.client, kind, object, status_patch,
                                 CallOptionsOf(limits));
}

absl::Status LiveWrites::Bind(const devices::PodOnNode& pod, const CallLimits& limits) {
  return kube::Bind(*client_.client, {pod.namespace_, pod.name, pod.uid, pod.node},
                    CallOptionsOf(limits));
}

absl::StatusOr<std::string> LiveWrites::NodeOf(const devices::PodOnNode& pod,
                                               const CallLimits& limits) {
  const auto text =
      kube::Get(*client_.client, kube::kPods, {pod.namespace_, pod.name}, CallOptionsOf(limits));
  if (!text.ok()) return text.status();
  const nlohmann::json read = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!read.is_object()) return absl::InternalError("the pod cannot be read");
  const nlohmann::json::json_pointer uid("/metadata/uid");
  if (read.value(uid, std::string()) != pod.uid) {
    return absl::NotFoundError("another pod has its name");
  }
  return read.value(nlohmann::json::json_pointer("/spec/nodeName"), std::string());
}

}  // namespace outrigger::cli
