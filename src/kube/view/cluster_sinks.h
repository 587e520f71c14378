#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "codec/json/pod_group_reader.h"
#include "kube/view/object_store.h"
#include "kube/watch/object_sink.h"
#include "outrigger/agent/needs.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::kube {

/// What holds the view of the cluster. Called by one thread per kind, at once: thread-safe.
class ClusterSink {
 public:
  virtual ~ClusterSink() = default;
  virtual void UpsertNode(Node node) = 0;
  virtual void RemoveNode(std::string_view name) = 0;
  virtual void UpsertPod(const Pod& pod) = 0;
  virtual void RemovePod(std::string_view namespace_, std::string_view name) = 0;
};

/// Reads nodes as far as `needs` says. A node whose JSON says another kind is an error.
class NodeSink final : public ObjectSink {
 public:
  NodeSink(ClusterSink* cluster, Needs needs) : cluster_(cluster), needs_(std::move(needs)) {}
  absl::Status Upsert(const ObjectHead& head, json::Object object, const json::Path& at) override;
  absl::Status UpsertProtobuf(const ObjectHead& head, std::string_view object,
                              const json::Path& at) override;
  bool ReadsProtobuf() const override { return true; }
  void Remove(const ObjectHead& gone) override;

 private:
  ClusterSink* const cluster_;
  const Needs needs_;
};

/// Reads pods as far as `needs` says.
class PodSink final : public ObjectSink {
 public:
  /// `counting` is asked before each full list for what Pod::resize_counting becomes.
  PodSink(ClusterSink* cluster, Needs needs, std::function<ResizeCounting()> counting)
      : cluster_(cluster), needs_(std::move(needs)), ask_counting_(std::move(counting)) {}
  absl::Status Upsert(const ObjectHead& head, json::Object object, const json::Path& at) override;
  absl::Status UpsertProtobuf(const ObjectHead& head, std::string_view object,
                              const json::Path& at) override;
  bool ReadsProtobuf() const override { return true; }
  void Remove(const ObjectHead& gone) override;
  void BeginReplace() override { counting_ = ask_counting_(); }

 private:
  void HandOn();

  ClusterSink* const cluster_;
  const Needs needs_;
  const std::function<ResizeCounting()> ask_counting_;
  ResizeCounting counting_ = ResizeCounting::kByPod;
  Pod pod_;
};

/// Reads PodGroups of one dialect.
class PodGroupSink final : public ObjectSink {
 public:
  PodGroupSink(ObjectStore* board, Dialect dialect, json::GroupParts parts)
      : board_(*board), dialect_(dialect), parts_(parts) {}
  absl::Status Upsert(const ObjectHead& head, json::Object object, const json::Path& at) override;
  void Remove(const ObjectHead& gone) override;

 private:
  ObjectStore& board_;
  const Dialect dialect_;
  const json::GroupParts parts_;
};

/// Reads PriorityClasses: names and values, or `whole`.
class PriorityClassSink final : public ObjectSink {
 public:
  PriorityClassSink(ObjectStore* board, bool whole) : board_(*board), whole_(whole) {}
  absl::Status Upsert(const ObjectHead& head, json::Object object, const json::Path& at) override;
  void Remove(const ObjectHead& gone) override;

 private:
  ObjectStore& board_;
  const bool whole_;
};

/// Reads PodDisruptionBudgets.
class BudgetSink final : public ObjectSink {
 public:
  explicit BudgetSink(ObjectStore* board) : board_(*board) {}
  absl::Status Upsert(const ObjectHead& head, json::Object object, const json::Path& at) override;
  void Remove(const ObjectHead& gone) override;

 private:
  ObjectStore& board_;
};

/// Reads PersistentVolumes.
class VolumeSink final : public ObjectSink {
 public:
  explicit VolumeSink(ObjectStore* board) : board_(*board) {}
  absl::Status Upsert(const ObjectHead& head, json::Object object, const json::Path& at) override;
  void Remove(const ObjectHead& gone) override;

 private:
  ObjectStore& board_;
};

/// Reads PersistentVolumeClaims.
class VolumeClaimSink final : public ObjectSink {
 public:
  explicit VolumeClaimSink(ObjectStore* board) : board_(*board) {}
  absl::Status Upsert(const ObjectHead& head, json::Object object, const json::Path& at) override;
  void Remove(const ObjectHead& gone) override;

 private:
  ObjectStore& board_;
};

/// Reads ResourceClaims.
class DeviceClaimSink final : public ObjectSink {
 public:
  explicit DeviceClaimSink(ObjectStore* board) : board_(*board) {}
  absl::Status Upsert(const ObjectHead& head, json::Object object, const json::Path& at) override;
  void Remove(const ObjectHead& gone) override;
  void EndReplace(std::string_view version) override;

 private:
  ObjectStore& board_;
};

/// Reads StorageClasses.
class StorageClassSink final : public ObjectSink {
 public:
  explicit StorageClassSink(ObjectStore* board) : board_(*board) {}
  absl::Status Upsert(const ObjectHead& head, json::Object object, const json::Path& at) override;
  void Remove(const ObjectHead& gone) override;

 private:
  ObjectStore& board_;
};

/// Reads DeviceClasses.
class DeviceClassSink final : public ObjectSink {
 public:
  explicit DeviceClassSink(ObjectStore* board) : board_(*board) {}
  absl::Status Upsert(const ObjectHead& head, json::Object object, const json::Path& at) override;
  void Remove(const ObjectHead& gone) override;

 private:
  ObjectStore& board_;
};

}  // namespace outrigger::kube
