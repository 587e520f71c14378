#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "codec/json/body.h"
#include "codec/json/object_list.h"
#include "devices/dra/objects.h"

// Objects of resource.k8s.io as JSON, v1 and v1beta2, as `kubectl get ... -o json` prints them.

namespace outrigger::dra {

/// Each reads an object of json::ForEachObject(), whatever was there before. InvalidArgument names
/// the place: broken JSON, a wrong type, no name, a version of the API that is not read. A
/// malformed value is appended to `malformed` with its path, and treated as absent.
absl::Status DecodeSlice(const json::ListedObject& object, Slice* slice,
                         std::vector<json::MalformedValue>* malformed);
absl::Status DecodeClass(const json::ListedObject& object, Class* of,
                         std::vector<json::MalformedValue>* malformed);
absl::Status DecodeTaintRule(const json::ListedObject& object, TaintRule* rule,
                             std::vector<json::MalformedValue>* malformed);
absl::Status DecodeClaim(const json::ListedObject& object, Claim* claim,
                         std::vector<json::MalformedValue>* malformed);
/// A ResourceClaimTemplate: `claim` is what a pod gets of it, without a name of its own, in the
/// template's namespace; `name` is the template's.
absl::Status DecodeTemplate(const json::ListedObject& object, std::string* name, Claim* claim,
                            std::vector<json::MalformedValue>* malformed);

/// What a pod claims.
struct PodClaim {
  std::string name;         ///< in the pod
  std::string claim;        ///< the ResourceClaim; empty: it is to be made of the template
  std::string of_template;  ///< empty: none
};
struct PodClaims {
  std::string namespace_;
  std::string name;
  std::string node;  ///< where it is bound; empty: nowhere
  std::vector<PodClaim> claims;
};
/// The claims of a Pod's spec, with the names that its status has for those of templates.
absl::Status DecodePodClaims(const json::ListedObject& object, PodClaims* pod);

/// Whether an object of `api_version` is of the group.
bool IsOfDra(std::string_view api_version);

}  // namespace outrigger::dra
