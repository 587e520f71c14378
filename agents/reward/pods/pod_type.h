#pragma once

#include <string>
#include <string_view>

#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::reward {

// Pods are of one type if they have the same namespace, name and images. A type is one text,
// "default/web nginx:1.25": it is a key, and so it stands in the state.

/// The parts of a type; views into it.
struct TypeParts {
  std::string_view namespace_;
  std::string_view name;
  std::string_view images;  // separated by commas; "-": none
};

/// Returns the type of a pod; empty: it has none, and is not counted. The name is the first that is
/// there and not empty: the label `label` (empty: none), the labels `podtype`,
/// `app.kubernetes.io/name`, `app` and `name`, the name of what controls the pod (of a ReplicaSet
/// its Deployment's, of the Job of a CronJob that one's), the pod's name. Long images are cut and
/// end in a hash of all.
std::string TypeOf(const Pod& pod, std::string_view label);
/// True if a pod of a snapshot has the name and the namespace of a type; its images are not asked
/// for. Needs Needs::PodMetadata(). Cheap unless the pod has none of the labels.
bool IsNamesake(const PodView& pod, const TypeParts& type, std::string_view label);
/// Returns the parts of what TypeOf() has returned.
TypeParts PartsOf(std::string_view type);
/// True if TypeOf() can have returned `text`, which is not empty.
bool IsType(std::string_view text);

/// The type in the original's arithmetic: the value of the label `podtype`, else `app`, else
/// `name`, where the first that is there counts though it be empty; without any of them the pod's
/// name. A view into `pod`.
std::string_view OriginalTypeOf(const Pod& pod);
/// The same of a pod of a snapshot; needs Needs::PodMetadata().
std::string_view OriginalTypeOf(const PodView& pod);

/// True if `text` can be the name of a node or in a type: 1 to 253 letters, digits, '-', '_' and
/// '.', as the API server accepts values of labels and names.
bool IsName(std::string_view text);

}  // namespace outrigger::reward
