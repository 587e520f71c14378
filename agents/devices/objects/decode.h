#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "codec/json/body.h"
#include "codec/json/object_list.h"
#include "devices/allocation/claim.h"
#include "devices/allocation/device_class.h"
#include "devices/allocation/pool.h"
#include "devices/objects/admin_access.h"
#include "devices/objects/objects.h"

// Objects of devmgmtproto.k8s.io/v1alpha1 as JSON, both dialects, as `kubectl get ... -o json`
// prints them. Names of fields are accepted in any case, since a fault of the prototype's types
// prints some of them with a capital.

namespace outrigger::device_objects {

/// Each reads an object of json::ForEachObject(). InvalidArgument names the place: broken JSON, a
/// wrong type, no name. What is malformed is appended to `malformed` with its path, also each
/// unknown field of a spec. Of a pool it is treated as absent; a claim or class that has any gets a
/// `fault`, since it would be served wrongly.
absl::Status DecodePool(const json::ListedObject& object, devices::Pool* pool,
                        std::vector<json::MalformedValue>* malformed);
absl::Status DecodeClass(const json::ListedObject& object, devices::Class* of,
                         std::vector<json::MalformedValue>* malformed);
absl::Status DecodeDriver(const json::ListedObject& object, devices::Driver* driver,
                          std::vector<json::MalformedValue>* malformed);
/// A DeviceClaim, or a DevicePrivilegedClaim: every device that matches, whoever uses it.
absl::Status DecodeClaim(const json::ListedObject& object, devices::Claim* claim,
                         std::vector<json::MalformedValue>* malformed);

// The same with metadata and status.
absl::Status DecodePoolObject(const json::ListedObject& object, devices::PoolObject* pool,
                              std::vector<json::MalformedValue>* malformed);
absl::Status DecodeClassObject(const json::ListedObject& object, devices::ClassObject* of,
                               std::vector<json::MalformedValue>* malformed);
absl::Status DecodeClaimObject(const json::ListedObject& object, devices::ClaimObject* claim,
                               std::vector<json::MalformedValue>* malformed);

absl::Status DecodeNamespace(const json::ListedObject& object, devices::NamespaceObject* name_space,
                             std::vector<json::MalformedValue>* malformed);

/// "spec.count: "x" is not a count".
std::string TextOf(const json::MalformedValue& value);

}  // namespace outrigger::device_objects
