#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "codec/json/body.h"
#include "outrigger/agent/needs.h"
#include "outrigger/k8s/claims.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/pod_group.h"

// Objects one by one, as `kubectl get nodes,pods,... -o json` prints them.

namespace outrigger::json {

/// An object of a list. Views live as long as the body.
struct ListedObject {
  /// "Node"; of a typed list, such as NodeList, also where the object itself has no kind.
  std::string_view kind;
  /// The object's own bytes; of a list from bracket to bracket.
  Body body;
  /// Where it stands: "items[3]"; empty for a body that is the object.
  std::string place;
  /// "scheduling.x-k8s.io/v1alpha1", which tells kinds of one name apart; of a typed list as
  /// `kind`.
  std::string_view api_version = {};
};

using OnObject = absl::FunctionRef<absl::Status(const ListedObject& object)>;

/// Calls `on_object` for each object of a List, of a typed list, or for the one object that `body`
/// is; `kind` may stand anywhere. Nothing is built of the body, so that a dump may be large. The
/// first error of `on_object` ends it.
///
/// InvalidArgument names the place: broken JSON, an object or a body without a kind. What is
/// skipped is checked as wire/extender.h says of skipped values.
absl::Status ForEachObject(Body body, OnObject on_object);

/// Reads an object of ForEachObject(). InvalidArgument names the place in the list, and so do the
/// fields of `malformed`, which is appended to, name the node (empty for a pod).
absl::Status DecodeNode(const ListedObject& object, const Needs& needs, Node* node,
                        std::vector<MalformedValue>* malformed);
absl::Status DecodePod(const ListedObject& object, const Needs& needs, Pod* pod,
                       std::vector<MalformedValue>* malformed);
/// The same of a PodGroup, whose dialect its apiVersion tells; without phase and version.
absl::Status DecodePodGroup(const ListedObject& object, Dialect dialect, PodGroup* group,
                            std::vector<MalformedValue>* malformed);
/// The same of a PriorityClass.
absl::Status DecodePriorityClass(const ListedObject& object, std::string* name, int32_t* value);
/// The same of a PersistentVolume, a PersistentVolumeClaim and a ResourceClaim.
absl::Status DecodeVolume(const ListedObject& object, Volume* volume);
absl::Status DecodeVolumeClaim(const ListedObject& object, VolumeClaim* claim);
absl::Status DecodeDeviceClaim(const ListedObject& object, DeviceClaim* claim);
absl::Status DecodeDeviceClass(const ListedObject& object, DeviceClass* of);

}  // namespace outrigger::json
