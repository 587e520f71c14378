#include "cel/values/value.h"

#include "cel/values/network.h"
#include "cel/values/text.h"

namespace outrigger::cel {

std::string_view TypeNameOf(const Value& value) {
  switch (value.kind()) {
    case Kind::kUnset:
    case Kind::kError:
      return "error";
    case Kind::kNull:
      return "null_type";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return "int";
    case Kind::kUint:
      return "uint";
    case Kind::kDouble:
      return "double";
    case Kind::kString:
      return "string";
    case Kind::kBytes:
      return "bytes";
    case Kind::kList:
      return "list";
    case Kind::kMap:
      return "map";
    case Kind::kType:
      return "type";
    case Kind::kDuration:
      return "google.protobuf.Duration";
    case Kind::kTimestamp:
      return "google.protobuf.Timestamp";
    case Kind::kOptional:
      return "optional_type";
    case Kind::kQuantity:
      return "kubernetes.Quantity";
    case Kind::kSemver:
      return "kubernetes.Semver";
    case Kind::kIp:
      return "net.IP";
    case Kind::kCidr:
      return "net.CIDR";
    case Kind::kUrl:
      return "kubernetes.URL";
    case Kind::kFormat:
      return "kubernetes.NamedFormat";
  }
  return "error";
}

uint64_t SizeOf(const Value& value) {
  switch (value.kind()) {
    case Kind::kString:
      return CountCodePoints(value.text());
    case Kind::kBytes:
    case Kind::kList:
    case Kind::kMap:
      return value.size();
    case Kind::kOptional:
      return value.held() == nullptr ? 1 : SizeOf(*value.held());
    case Kind::kIp:
      return value.ip().is_v4 ? 4 : 16;
    case Kind::kCidr:
      return (value.cidr().bits + 7U) / 8U;
    default:
      return 1;
  }
}

}  // namespace outrigger::cel
