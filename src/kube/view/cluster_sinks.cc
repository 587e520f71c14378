#include "kube/view/cluster_sinks.h"

#include "json/object_readers.h"
#include "protobuf/object_readers.h"

namespace outrigger::kube {

absl::Status NodeSink::Upsert(const ObjectHead& /*head*/, json::Object object,
                              const json::Path& at) {
  Node node;
  absl::Status status = json::ReadNode(object, at, needs_, &node);
  if (status.ok()) cluster_->UpsertNode(std::move(node));
  return status;
}

absl::Status NodeSink::UpsertProtobuf(const ObjectHead& /*head*/, std::string_view object,
                                      const json::Path& at) {
  Node node;
  absl::Status status = protobuf::ReadNode(object, at, needs_, &node);
  if (status.ok()) cluster_->UpsertNode(std::move(node));
  return status;
}

void NodeSink::Remove(const ObjectHead& gone) {
  cluster_->RemoveNode(gone.name);
}

void PodSink::HandOn() {
  pod_.resize_counting = counting_;
  cluster_->UpsertPod(pod_);
}

absl::Status PodSink::Upsert(const ObjectHead& /*head*/, json::Object object,
                             const json::Path& at) {
  absl::Status status = json::ReadPod(object, at, needs_, &pod_);
  if (status.ok()) HandOn();
  return status;
}

absl::Status PodSink::UpsertProtobuf(const ObjectHead& /*head*/, std::string_view object,
                                     const json::Path& at) {
  absl::Status status = protobuf::ReadPod(object, at, needs_, &pod_);
  if (status.ok()) HandOn();
  return status;
}

void PodSink::Remove(const ObjectHead& gone) {
  cluster_->RemovePod(gone.namespace_, gone.name);
}

}  // namespace outrigger::kube
