#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codec/json/body.h"
#include "codec/json/object_list.h"
#include "devices/objects/admin_access.h"
#include "devices/objects/decode.h"
#include "devices/objects/objects.h"

namespace outrigger::devices {
namespace {

using json::Padded;

template <typename Object>
using DecodeInto = absl::Status (*)(const json::ListedObject& object, Object* read,
                                    std::vector<json::MalformedValue>* malformed);

json::ListedObject Whole(const Padded& text) {
  return {.kind = {}, .body = text.body(), .place = {}, .api_version = {}};
}

template <typename Object>
absl::StatusOr<Object> ParseWhole(std::string_view json, DecodeInto<Object> decode,
                                  bool takes_malformed = false) {
  const Padded text(json);
  std::vector<json::MalformedValue> malformed;
  Object object;
  absl::Status status = decode(Whole(text), &object, &malformed);
  if (status.ok() && !malformed.empty() && !takes_malformed) {
    status = absl::InvalidArgumentError(device_objects::TextOf(malformed[0]));
  }
  if (!status.ok()) return status;
  return object;
}

}  // namespace

absl::StatusOr<PoolObject> ParsePool(std::string_view json) {
  return ParseWhole<PoolObject>(json, device_objects::DecodePoolObject);
}

absl::StatusOr<Driver> ParseDriver(std::string_view json) {
  return ParseWhole<Driver>(json, device_objects::DecodeDriver);
}

absl::StatusOr<NamespaceObject> ParseNamespace(std::string_view json) {
  return ParseWhole<NamespaceObject>(json, device_objects::DecodeNamespace);
}

// What is malformed is the fault of the claim or class.
absl::StatusOr<ClaimObject> ParseClaim(std::string_view json) {
  return ParseWhole<ClaimObject>(json, device_objects::DecodeClaimObject, true);
}

absl::StatusOr<ClassObject> ParseClass(std::string_view json) {
  return ParseWhole<ClassObject>(json, device_objects::DecodeClassObject, true);
}

}  // namespace outrigger::devices
