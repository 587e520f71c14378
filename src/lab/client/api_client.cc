#include "lab/client/api_client.h"

#include <utility>

#include "kube/objects.h"
#include "kube/write/binding.h"
#include "kube/write/status_patch.h"

namespace outrigger::lab {
namespace {

kube::EventOptions EventOptionsOf(const ApiClientOptions& options) {
  kube::EventOptions events;
  events.controller = options.scheduler_name;
  events.instance = options.scheduler_name;
  if (!options.host.empty()) events.instance += "-" + options.host;
  events.warn = options.warn;
  return events;
}

kube::CallOptions Until(const std::stop_source& stop) {
  kube::CallOptions options;
  options.stop = stop.get_token();
  return options;
}

}  // namespace

ApiClient::ApiClient(kube::Api* api, const ApiClientOptions& options)
    : api_(*api),
      clock_(options.clock),
      events_(kube::EventRecorder::Create(api, EventOptionsOf(options), options.clock)) {}

ApiClient::~ApiClient() = default;

absl::Status ApiClient::Bind(const Pod& pod, std::string_view node) {
  const kube::Binding binding{
      .namespace_ = pod.namespace_, .pod = pod.name, .uid = pod.uid, .node = node};
  return kube::Bind(api_, binding, Until(stop_));
}

absl::Status ApiClient::WriteUnscheduled(const Pod& pod, std::string_view reason,
                                         std::string_view message) {
  return kube::WriteUnscheduled(api_, pod, reason, message, clock_.wall(), Until(stop_));
}

void ApiClient::RecordEvent(const Pod& pod, bool warning, std::string_view reason,
                            std::string_view action, std::string_view note) {
  // What ends because we end is no news of the pod.
  if (stop_.stop_requested()) return;
  kube::Event event;
  event.regarding = {.api_version = "v1",
                     .kind = "Pod",
                     .namespace_ = pod.namespace_,
                     .name = pod.name,
                     .uid = pod.uid,
                     .resource_version = pod.resource_version};
  event.warning = warning;
  event.reason = reason;
  event.action = action;
  event.note = note;
  events_->Record(std::move(event));
}

}  // namespace outrigger::lab
