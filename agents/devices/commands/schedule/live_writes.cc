#include "devices/commands/schedule/live_writes.h"

#include <random>
#include <utility>

#include "fmt/format.h"
#include "kube/objects.h"
#include "kube/resource.h"
#include "kube/write/binding.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
WriteAccess LiveWrites::Access() {
  std::random_device random;
  devices::WriterOptions options;
  options.identity = fmt::format("outrigger-schedule_{:08x}{:08x}", random(), random());
  return {&access_, this, std::move(options)};
}

absl::Status LiveWrites::Bind(const devices::PodOnNode& pod, const CallLimits& limits) {
  return kube::Bind(*client_.client, {pod.namespace_, pod.name, pod.uid, pod.node},
                    kube::OptionsOf(limits, false));
}

absl::StatusOr<std::string> LiveWrites::NodeOf(const devices::PodOnNode& pod,
                                               const CallLimits& limits) {
  const auto text = kube::Get(*client_.client, kube::kPods, {pod.namespace_, pod.name},
                              kube::OptionsOf(limits, false));
  if (!text.ok()) return text.status();
  const nlohmann::json read = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!read.is_object()) return absl::InternalError("the pod cannot be read");
  const nlohmann::json::json_pointer uid("/metadata/uid");
  if (read.value(uid, std::string()) != pod.uid) {
    return absl::NotFoundError("another pod now has its name");
  }
  return read.value(nlohmann::json::json_pointer("/spec/nodeName"), std::string());
}

}  // namespace outrigger::cli
