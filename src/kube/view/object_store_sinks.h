#pragma once

#include <string_view>

#include "json/pod_group_reader.h"
#include "kube/view/object_store.h"
#include "kube/watch/object_sink.h"

namespace outrigger::kube {

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
