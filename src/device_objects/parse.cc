#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "device_objects/decode.h"
#include "device_objects/padded.h"
#include "json/body.h"
#include "json/object_list.h"
#include "outrigger/devices/admin_access.h"
#include "outrigger/devices/objects.h"

namespace outrigger::devices {
namespace {

using device_objects::Padded;

template <typename Object>
using DecodeInto = absl::Status (*)(const json::ListedObject& object, Object* read,
                                    std::vector<json::MalformedValue>* malformed);

json::ListedObject Whole(const Padded& text) {
  return {.kind = {}, .body = text.body(), .place = {}, .api_version = {}};
}

template <typename Object>
absl::StatusOr<Object> ParseWhole(std::string_view json, DecodeInto<Object> decode) {
  const Padded text(json);
  std::vector<json::MalformedValue> malformed;
  Object object;
  absl::Status status = decode(Whole(text), &object, &malformed);
  if (status.ok() && !malformed.empty()) {
    status = absl::InvalidArgumentError(device_objects::TextOf(malformed[0]));
  }
  if (!status.ok()) return status;
  return object;
}

}  // namespace

absl::StatusOr<PoolObject> ParsePool(std::string_view json) {
  return ParseWhole<PoolObject>(json, device_objects::DecodePoolObject);
}

absl::StatusOr<ClassObject> ParseClass(std::string_view json) {
  return ParseWhole<ClassObject>(json, device_objects::DecodeClassObject);
}

absl::StatusOr<Driver> ParseDriver(std::string_view json) {
  return ParseWhole<Driver>(json, device_objects::DecodeDriver);
}

absl::StatusOr<NamespaceObject> ParseNamespace(std::string_view json) {
  return ParseWhole<NamespaceObject>(json, device_objects::DecodeNamespace);
}

// What is malformed is the claim's fault.
absl::StatusOr<ClaimObject> ParseClaim(std::string_view json) {
  const Padded text(json);
  std::vector<json::MalformedValue> malformed;
  ClaimObject claim;
  absl::Status status = device_objects::DecodeClaimObject(Whole(text), &claim, &malformed);
  if (!status.ok()) return status;
  return claim;
}

}  // namespace outrigger::devices
