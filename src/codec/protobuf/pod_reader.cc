// Field numbers: k8s.io/api/core/v1/generated.proto and
// k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto, v0.36.

#include <optional>
#include <utility>

#include "codec/protobuf/object_readers.h"
#include "codec/protobuf/pod_reading.h"
#include "codec/protobuf/reader.h"

namespace outrigger::protobuf {
namespace {

// Keeps the owner if it is the controller; there is one at most.
absl::Status KeepController(Bytes bytes, const Path& at,
                            std::optional<OwnerReference>* controller) {
  OwnerReference owner;
  bool is_controller = false;
  absl::Status status =
      ReadMessage(bytes, at, Field{1, "kind", &owner.kind}, Field{3, "name", &owner.name},
                  Field{4, "uid", &owner.uid}, Field{5, "apiVersion", &owner.api_version},
                  Field{6, "controller", &is_controller});
  if (is_controller) *controller = std::move(owner);
  return status;
}

absl::Status ReadMetadata(Bytes bytes, const Path& at, PodReading* reading) {
  const bool metadata = reading->needs.Has(Needs::kPodMetadata);
  const bool life = reading->needs.Has(Needs::kPodStatus);
  const bool times = life || reading->needs.Has(Needs::kPodTimes);
  Pod* const pod = reading->pod;
  const auto deleted = [pod](Bytes time, const Path& place) {
    std::optional<int64_t> seconds;
    absl::Status status = ReadTime(time, place, &seconds);
    pod->being_deleted = seconds.has_value();
    return status;
  };
  const auto owner = [pod](Bytes message, const Path& place) {
    return KeepController(message, place, &pod->controller);
  };
  return ReadMessage(
      bytes, at, Field{1, "name", &pod->name}, Field{3, "namespace", &pod->namespace_},
      Field{5, "uid", &pod->uid}, Field{6, "resourceVersion", &pod->resource_version, life},
      Field{7, "generation", &pod->generation, life},
      Field{8, "creationTimestamp", IntoTime(&pod->creation_time), times},
      Field{9, "deletionTimestamp", deleted, life}, Field{11, "labels", &pod->labels, metadata},
      Field{12, "annotations", &pod->annotations, metadata},
      Field{13, "ownerReferences", Counted(&reading->owners, owner), life});
}

void Normalize(Pod* pod) {
  pod->labels.Normalize();
  pod->annotations.Normalize();
  pod->node_selector.Normalize();
  pod->overhead.Normalize();
  pod->status_allocated.Normalize();
  if (pod->pod_requests) pod->pod_requests->Normalize();
  if (pod->pod_limits) pod->pod_limits->Normalize();
  if (pod->status_requests) pod->status_requests->Normalize();
}

}  // namespace

absl::Status ReadPod(std::string_view object, const Path& at, const Needs& needs, Pod* pod) {
  // Of a pod that is followed its place is always read.
  const bool scheduling = needs.Has(Needs::kPodScheduling) || needs.Has(Needs::kClusterPods);
  const bool life = needs.Has(Needs::kPodStatus);
  const bool times = needs.Has(Needs::kPodTimes);
  const bool contents = needs.Has(Needs::kPodResources) || needs.Has(Needs::kPodImages);
  PodReading reading{needs, pod, {}};
  *pod = Pod();
  absl::Status status =
      ReadMessage(object, at, Field{1, "metadata", Into(&reading, ReadMetadata)},
                  Field{2, "spec", Into(&reading, ReadPodSpec), scheduling || life || contents},
                  Field{3, "status", Into(&reading, ReadPodStatus), scheduling || life || times});
  Normalize(pod);
  json::SetParts(std::move(reading.parts), needs, pod);
  return status;
}

}  // namespace outrigger::protobuf
