#include "devices/objects/decode.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codec/json/body.h"
#include "codec/json/object_list.h"
#include "codec/json/parser.h"
#include "codec/json/path.h"
#include "codec/json/reader.h"
#include "devices/objects/admin_access.h"
#include "devices/objects/objects.h"
#include "devices/objects/readers.h"
#include "fmt/format.h"

namespace outrigger::device_objects {
namespace {

using ReadIt = absl::FunctionRef<absl::Status(json::Object root, const json::Path& at)>;

absl::Status Decode(const json::ListedObject& object, std::vector<json::MalformedValue>* malformed,
                    ReadIt read) {
  const json::ParserLease parser;
  const json::Path at(object.place, malformed);
  json::Object root;
  absl::Status status = parser->Open(object.body, &root);
  if (status.ok()) status = read(root, at.AsObject());
  return status.ok() ? parser->Close() : status;
}

}  // namespace

std::string TextOf(const json::MalformedValue& value) {
  return fmt::format("{}: \"{}\" is not {}", value.field, value.value, value.accepted);
}

absl::Status DecodePoolObject(const json::ListedObject& object, devices::PoolObject* pool,
                              std::vector<json::MalformedValue>* malformed) {
  return Decode(object, malformed, [pool](json::Object root, const json::Path& at) {
    return ReadPool(root, at, pool);
  });
}

absl::Status DecodePool(const json::ListedObject& object, devices::Pool* pool,
                        std::vector<json::MalformedValue>* malformed) {
  devices::PoolObject read;
  absl::Status status = DecodePoolObject(object, &read, malformed);
  *pool = std::move(read.pool);
  return status;
}

absl::Status DecodeClassObject(const json::ListedObject& object, devices::ClassObject* of,
                               std::vector<json::MalformedValue>* malformed) {
  std::vector<json::MalformedValue> found;
  absl::Status status = Decode(object, &found, [of](json::Object root, const json::Path& at) {
    return ReadClass(root, at, of);
  });
  if (!found.empty()) of->of.fault = TextOf(found[0]);
  malformed->insert(malformed->end(), found.begin(), found.end());
  return status;
}

absl::Status DecodeClass(const json::ListedObject& object, devices::Class* of,
                         std::vector<json::MalformedValue>* malformed) {
  devices::ClassObject read;
  absl::Status status = DecodeClassObject(object, &read, malformed);
  *of = std::move(read.of);
  return status;
}

absl::Status DecodeDriver(const json::ListedObject& object, devices::Driver* driver,
                          std::vector<json::MalformedValue>* malformed) {
  return Decode(object, malformed, [driver](json::Object root, const json::Path& at) {
    return ReadDriver(root, at, driver);
  });
}

absl::Status DecodeClaimObject(const json::ListedObject& object, devices::ClaimObject* claim,
                               std::vector<json::MalformedValue>* malformed) {
  const std::string_view kind = object.kind.empty() ? devices::kClaimKind.kind : object.kind;
  std::vector<json::MalformedValue> found;
  absl::Status status = Decode(object, &found, [&](json::Object root, const json::Path& at) {
    return ReadClaim(root, at, kind, claim);
  });
  if (!found.empty()) claim->claim.fault = TextOf(found[0]);
  malformed->insert(malformed->end(), found.begin(), found.end());
  return status;
}

absl::Status DecodeClaim(const json::ListedObject& object, devices::Claim* claim,
                         std::vector<json::MalformedValue>* malformed) {
  devices::ClaimObject read;
  absl::Status status = DecodeClaimObject(object, &read, malformed);
  *claim = std::move(read.claim);
  return status;
}

absl::Status DecodeNamespace(const json::ListedObject& object, devices::NamespaceObject* name_space,
                             std::vector<json::MalformedValue>* malformed) {
  return Decode(object, malformed, [name_space](json::Object root, const json::Path& at) {
    return ReadNamespace(root, at, name_space);
  });
}

}  // namespace outrigger::device_objects

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
