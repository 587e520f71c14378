#include <utility>

#include "codec/json/object_readers.h"
#include "codec/json/pod_part_readers.h"
#include "codec/json/pod_parts.h"

namespace outrigger::json {

namespace {

// Keeps the owner that is the controller; there is one at most.
absl::Status ReadOwners(Value value, const Path& at, std::optional<OwnerReference>* controller) {
  return ForEachElement(value, at, [controller](Value item, const Path& where) {
    OwnerReference owner;
    bool is_controller = false;
    absl::Status status = ReadField(item, where, [&](Value object, const Path& place) {
      return ReadObject(object, place, Field{"kind", &owner.kind}, Field{"name", &owner.name},
                        Field{"uid", &owner.uid}, Field{"apiVersion", &owner.api_version},
                        Field{"controller", &is_controller});
    });
    if (is_controller) *controller = std::move(owner);
    return status;
  });
}

absl::Status ReadMetadata(Value value, const Path& at, const Needs& needs, Pod* pod) {
  const bool metadata = needs.Has(Needs::kPodMetadata);
  const bool life = needs.Has(Needs::kPodStatus);
  const bool times = life || needs.Has(Needs::kPodTimes);
  const auto created = [pod](Value time, const Path& place) {
    return ReadTime(time, place, &pod->creation_time);
  };
  const auto deleted = [pod](Value time, const Path& place) {
    int64_t seconds = 0;
    pod->being_deleted = true;
    return ReadTime(time, place, &seconds);
  };
  const auto owners = [pod](Value list, const Path& place) {
    return ReadOwners(list, place, &pod->controller);
  };
  return ReadObject(
      value, at, Field{"name", &pod->name}, Field{"namespace", &pod->namespace_},
      Field{"uid", &pod->uid}, Field{"labels", &pod->labels, metadata},
      Field{"annotations", &pod->annotations, metadata},
      Field{"resourceVersion", &pod->resource_version, life},
      Field{"generation", &pod->generation, life}, Field{"creationTimestamp", created, times},
      Field{"deletionTimestamp", deleted, life}, Field{"ownerReferences", owners, life});
}

template <typename ObjectOrValue>
absl::Status ReadFields(ObjectOrValue object, const Path& at, const Needs& needs, Pod* pod) {
  // Of a pod that is followed its place is always read.
  const bool scheduling = needs.Has(Needs::kPodScheduling) || needs.Has(Needs::kClusterPods);
  const bool life = needs.Has(Needs::kPodStatus);
  const bool times = needs.Has(Needs::kPodTimes);
  const bool contents = needs.Has(Needs::kPodResources) || needs.Has(Needs::kPodImages);
  PodParts parts;
  const auto metadata = [&](Value part, const Path& place) {
    return ReadMetadata(part, place, needs, pod);
  };
  const auto spec = [&](Value part, const Path& place) {
    return ReadPodSpec(part, place, needs, pod, &parts);
  };
  const auto status = [&](Value part, const Path& place) {
    return ReadPodStatus(part, place, needs, pod, &parts);
  };
  *pod = Pod();
  absl::Status read = ReadObject(object, at, Field{"metadata", metadata},
                                 Field{"spec", spec, scheduling || life || contents},
                                 Field{"status", status, scheduling || life || times});
  SetParts(std::move(parts), needs, pod);
  return read;
}

}  // namespace

absl::Status ReadPod(Value value, const Path& at, const Needs& needs, Pod* pod) {
  return ReadFields(value, at, needs, pod);
}

absl::Status ReadPod(Object object, const Path& at, const Needs& needs, Pod* pod) {
  return ReadFields(object, at, needs, pod);
}

}  // namespace outrigger::json
