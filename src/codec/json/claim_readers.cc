
#include <string>

#include "codec/json/object_readers.h"

namespace outrigger::json {
namespace {

// Set by kube-scheduler and the volume controller.
constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
// The name of the class before spec.storageClassName, which it goes before still.
constexpr std::string_view kFormerClass = "volume.beta.kubernetes.io/storage-class";

// There is a time since when the object is being deleted.
auto Deleted(bool* deleted) {
  return [deleted](Value part, const Path& place) {
    *deleted = true;
    return SkipValue(part, place);
  };
}

absl::Status Named(const std::string& name, const Path& at, absl::Status status) {
  if (status.ok() && name.empty()) return Invalid(at.Key("metadata").Key("name"), "is empty");
  return status;
}

}  // namespace

absl::Status ReadVolume(Object object, const Path& at, Volume* volume) {
  *volume = Volume();
  const auto metadata = [volume](Value part, const Path& place) {
    return ReadObject(part, place, Field{"name", &volume->name}, Field{"labels", &volume->labels});
  };
  const auto affinity = [volume](Value part, const Path& place) {
    return ReadObject(part, place, Field{"required", &volume->node_affinity});
  };
  const auto spec = [&affinity](Value part, const Path& place) {
    return ReadObject(part, place, Field{"nodeAffinity", affinity});
  };
  return Named(volume->name, at,
               ReadObject(object, at, Field{"metadata", metadata}, Field{"spec", spec}));
}

absl::Status ReadVolumeClaim(Object object, const Path& at, VolumeClaim* claim) {
  *claim = VolumeClaim();
  StringMap annotations;
  const auto metadata = [&](Value part, const Path& place) {
    return ReadObject(part, place, Field{"name", &claim->name},
                      Field{"namespace", &claim->namespace_}, Field{"annotations", &annotations},
                      Field{"deletionTimestamp", Deleted(&claim->being_deleted)});
  };
  const auto spec = [claim](Value part, const Path& place) {
    return ReadObject(part, place, Field{"volumeName", &claim->volume},
                      Field{"storageClassName", &claim->storage_class});
  };
  absl::Status status = ReadObject(object, at, Field{"metadata", metadata}, Field{"spec", spec});
  claim->selected_node = annotations.Get(kSelectedNode);
  if (annotations.Contains(kFormerClass)) claim->storage_class = annotations.Get(kFormerClass);
  claim->bound = !claim->volume.empty() && annotations.Contains(kBindCompleted);
  return Named(claim->name, at, std::move(status));
}

absl::Status ReadDeviceClaim(Object object, const Path& at, DeviceClaim* claim) {
  *claim = DeviceClaim();
  const auto metadata = [claim](Value part, const Path& place) {
    return ReadObject(part, place, Field{"name", &claim->name},
                      Field{"namespace", &claim->namespace_},
                      Field{"deletionTimestamp", Deleted(&claim->being_deleted)});
  };
  const auto allocation = [claim](Value part, const Path& place) {
    claim->allocated = true;
    return ReadObject(part, place, Field{"nodeSelector", &claim->nodes});
  };
  const auto reserved = [claim](Value part, const Path& place) {
    return ForEachElement(part, place, [claim](Value pod, const Path& at_pod) {
      claim->reserved = true;
      return SkipValue(pod, at_pod);
    });
  };
  const auto status = [&](Value part, const Path& place) {
    return ReadObject(part, place, Field{"allocation", allocation}, Field{"reservedFor", reserved});
  };
  return Named(claim->name, at,
               ReadObject(object, at, Field{"metadata", metadata}, Field{"status", status}));
}

absl::Status ReadStorageClass(Object object, const Path& at, StorageClass* of) {
  *of = StorageClass();
  const auto metadata = [of](Value part, const Path& place) {
    return ReadObject(part, place, Field{"name", &of->name});
  };
  std::string mode;
  absl::Status status =
      ReadObject(object, at, Field{"metadata", metadata}, Field{"volumeBindingMode", &mode});
  of->binds_late = mode == "WaitForFirstConsumer";
  return Named(of->name, at, std::move(status));
}

absl::Status ReadDeviceClass(Object object, const Path& at, DeviceClass* of) {
  *of = DeviceClass();
  const auto metadata = [of](Value part, const Path& place) {
    return ReadObject(part, place, Field{"name", &of->name});
  };
  const auto spec = [of](Value part, const Path& place) {
    return ReadObject(part, place, Field{"extendedResourceName", &of->extended_resource});
  };
  return Named(of->name, at,
               ReadObject(object, at, Field{"metadata", metadata}, Field{"spec", spec}));
}

}  // namespace outrigger::json
