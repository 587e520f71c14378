#include "kube/view/cluster_sinks.h"

#include <cstdint>
#include <utility>

#include "codec/json/object_readers.h"
#include "codec/json/pod_group_reader.h"
#include "codec/protobuf/object_readers.h"
#include "kube/stream/priority_class_reader.h"

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

absl::Status PodGroupSink::Upsert(const ObjectHead& /*head*/, json::Object object,
                                  const json::Path& at) {
  PodGroup group;
  absl::Status status = json::ReadPodGroup(object, at, dialect_, parts_, &group);
  if (status.ok()) board_.PutGroup(std::move(group));
  return status;
}

void PodGroupSink::Remove(const ObjectHead& gone) {
  board_.RemoveGroup(dialect_, gone.namespace_, gone.name);
}

absl::Status PriorityClassSink::Upsert(const ObjectHead& head, json::Object object,
                                       const json::Path& at) {
  if (whole_) {
    PriorityClass read;
    absl::Status status = ReadPriorityClassJson(object, at, &read);
    if (status.ok()) board_.PutClass(std::move(read));
    return status;
  }
  int32_t value = 0;
  absl::Status status = json::ReadObject(object, at, json::Field{"value", &value});
  if (status.ok()) board_.PutClassValue(head.name, value);
  return status;
}

void PriorityClassSink::Remove(const ObjectHead& gone) {
  board_.RemoveClass(gone.name);
}

absl::Status BudgetSink::Upsert(const ObjectHead& /*head*/, json::Object object,
                                const json::Path& at) {
  DisruptionBudget budget;
  absl::Status status = json::ReadDisruptionBudget(object, at, &budget);
  if (status.ok()) board_.PutBudget(std::move(budget));
  return status;
}

void BudgetSink::Remove(const ObjectHead& gone) {
  board_.RemoveBudget(gone.namespace_, gone.name);
}

absl::Status VolumeSink::Upsert(const ObjectHead& /*head*/, json::Object object,
                                const json::Path& at) {
  Volume volume;
  absl::Status status = json::ReadVolume(object, at, &volume);
  if (!status.ok()) return status;
  board_.ChangeClaims([&](cluster::ClaimStore* claims) { return claims->Put(std::move(volume)); });
  return status;
}

void VolumeSink::Remove(const ObjectHead& gone) {
  board_.ChangeClaims([&](cluster::ClaimStore* claims) { return claims->RemoveVolume(gone.name); });
}

absl::Status VolumeClaimSink::Upsert(const ObjectHead& /*head*/, json::Object object,
                                     const json::Path& at) {
  VolumeClaim claim;
  absl::Status status = json::ReadVolumeClaim(object, at, &claim);
  if (!status.ok()) return status;
  board_.ChangeClaims([&](cluster::ClaimStore* claims) { return claims->Put(std::move(claim)); });
  return status;
}

void VolumeClaimSink::Remove(const ObjectHead& gone) {
  board_.ChangeClaims([&](cluster::ClaimStore* claims) {
    return claims->RemoveVolumeClaim(gone.namespace_, gone.name);
  });
}

absl::Status StorageClassSink::Upsert(const ObjectHead& /*head*/, json::Object object,
                                      const json::Path& at) {
  StorageClass read;
  absl::Status status = json::ReadStorageClass(object, at, &read);
  if (!status.ok()) return status;
  board_.ChangeClaims([&](cluster::ClaimStore* claims) { return claims->Put(std::move(read)); });
  return status;
}

void StorageClassSink::Remove(const ObjectHead& gone) {
  board_.ChangeClaims(
      [&](cluster::ClaimStore* claims) { return claims->RemoveStorageClass(gone.name); });
}

absl::Status DeviceClaimSink::Upsert(const ObjectHead& /*head*/, json::Object object,
                                     const json::Path& at) {
  DeviceClaim claim;
  absl::Status status = json::ReadDeviceClaim(object, at, &claim);
  if (!status.ok()) return status;
  board_.ChangeClaims([&](cluster::ClaimStore* claims) { return claims->Put(std::move(claim)); });
  return status;
}

void DeviceClaimSink::Remove(const ObjectHead& gone) {
  board_.ChangeClaims([&](cluster::ClaimStore* claims) {
    return claims->RemoveDeviceClaim(gone.namespace_, gone.name);
  });
}

void DeviceClaimSink::EndReplace(std::string_view version) {
  board_.ChangeClaims(
      [&](cluster::ClaimStore* claims) { return claims->SetDeviceClaimsServed(!version.empty()); });
}

absl::Status DeviceClassSink::Upsert(const ObjectHead& /*head*/, json::Object object,
                                     const json::Path& at) {
  DeviceClass read;
  absl::Status status = json::ReadDeviceClass(object, at, &read);
  if (status.ok()) board_.PutDeviceClass(std::move(read));
  return status;
}

void DeviceClassSink::Remove(const ObjectHead& gone) {
  board_.RemoveDeviceClass(gone.name);
}

}  // namespace outrigger::kube
