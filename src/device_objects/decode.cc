#include "device_objects/decode.h"

#include <utility>

#include "absl/functional/function_ref.h"
#include "device_objects/readers.h"
#include "fmt/format.h"
#include "json/parser.h"
#include "json/path.h"
#include "json/reader.h"

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

absl::Status DecodePool(const json::ListedObject& object, devices::Pool* pool,
                        std::vector<json::MalformedValue>* malformed) {
  return Decode(object, malformed, [pool](json::Object root, const json::Path& at) {
    return ReadPool(root, at, pool);
  });
}

absl::Status DecodeClass(const json::ListedObject& object, devices::Class* of,
                         std::vector<json::MalformedValue>* malformed) {
  return Decode(object, malformed,
                [of](json::Object root, const json::Path& at) { return ReadClass(root, at, of); });
}

absl::Status DecodeDriver(const json::ListedObject& object, devices::Driver* driver,
                          std::vector<json::MalformedValue>* malformed) {
  return Decode(object, malformed, [driver](json::Object root, const json::Path& at) {
    return ReadDriver(root, at, driver);
  });
}

absl::Status DecodeClaim(const json::ListedObject& object, devices::Claim* claim,
                         std::vector<json::MalformedValue>* malformed) {
  const bool is_privileged = object.kind == "DevicePrivilegedClaim";
  std::vector<json::MalformedValue> found;
  absl::Status status = Decode(object, &found, [&](json::Object root, const json::Path& at) {
    return ReadClaim(root, at, is_privileged, claim);
  });
  if (!found.empty()) {
    claim->fault =
        fmt::format("{}: \"{}\" is not {}", found[0].field, found[0].value, found[0].accepted);
  }
  malformed->insert(malformed->end(), found.begin(), found.end());
  return status;
}

}  // namespace outrigger::device_objects
