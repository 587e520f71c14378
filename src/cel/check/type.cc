#include "cel/check/type.h"

#include "cel/values/concat.h"

namespace outrigger::cel {
namespace {

constexpr std::string_view kOptionalName = "optional_type";

constexpr Type Simple(TypeKind kind, std::string_view name) {
  return {kind, name, {}, 0, 0};
}

}  // namespace

namespace types {
constexpr Type kError = Simple(TypeKind::kError, "!error!");
constexpr Type kDyn = Simple(TypeKind::kDyn, "dyn");
constexpr Type kAny = Simple(TypeKind::kAny, "any");
constexpr Type kNull = Simple(TypeKind::kNull, "null");
constexpr Type kBool = Simple(TypeKind::kBool, "bool");
constexpr Type kInt = Simple(TypeKind::kInt, "int");
constexpr Type kUint = Simple(TypeKind::kUint, "uint");
constexpr Type kDouble = Simple(TypeKind::kDouble, "double");
constexpr Type kString = Simple(TypeKind::kString, "string");
constexpr Type kBytes = Simple(TypeKind::kBytes, "bytes");
constexpr Type kDuration = Simple(TypeKind::kDuration, "duration");
constexpr Type kTimestamp = Simple(TypeKind::kTimestamp, "timestamp");
constexpr Type kQuantity = Simple(TypeKind::kOpaque, "kubernetes.Quantity");
constexpr Type kSemver = Simple(TypeKind::kOpaque, "kubernetes.Semver");
constexpr Type kIp = Simple(TypeKind::kOpaque, "net.IP");
constexpr Type kCidr = Simple(TypeKind::kOpaque, "net.CIDR");
constexpr Type kUrl = Simple(TypeKind::kOpaque, "kubernetes.URL");
constexpr Type kFormat = Simple(TypeKind::kOpaque, "kubernetes.NamedFormat");
constexpr Type kTypeOfDyn = {TypeKind::kType, "type", {&kDyn}, 1, 0};
}  // namespace types

const Type* TypePool::Add(const Type& type) {
  return &types_.emplace_back(type);
}

const Type* TypePool::List(const Type* item) {
  return Add({TypeKind::kList, "list", {item}, 1, 0});
}
const Type* TypePool::Map(const Type* key, const Type* value) {
  return Add({TypeKind::kMap, "map", {key, value}, 2, 0});
}
const Type* TypePool::Optional(const Type* held) {
  return Add({TypeKind::kOpaque, kOptionalName, {held}, 1, 0});
}
const Type* TypePool::TypeOf(const Type* type) {
  return Add({TypeKind::kType, "type", {type}, 1, 0});
}
const Type* TypePool::Variable(int32_t number) {
  return Add({TypeKind::kVariable, "", {}, 0, number});
}
const Type* TypePool::With(const Type& type, std::array<const Type*, 2> parameters) {
  Type changed = type;
  changed.parameters = parameters;
  return Add(changed);
}

bool IsDyn(const Type& type) {
  return type.kind == TypeKind::kDyn || type.kind == TypeKind::kAny;
}

bool IsOptional(const Type& type) {
  return type.kind == TypeKind::kOpaque && type.name == kOptionalName;
}

bool SameType(const Type& a, const Type& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.name != b.name || a.variable != b.variable ||
      a.parameter_count != b.parameter_count) {
    return false;
  }
  for (size_t i = 0; i < a.parameter_count; ++i) {
    if (!SameType(*a.parameters[i], *b.parameters[i])) return false;
  }
  return true;
}

std::string FormatType(const Type& type) {
  if (type.kind == TypeKind::kVariable) return "dyn";
  std::string text(type.name);
  for (size_t i = 0; i < type.parameter_count; ++i) {
    Append(text, i == 0 ? "(" : ", ", FormatType(*type.parameters[i]));
  }
  return type.parameter_count == 0 ? text : text + ")";
}

}  // namespace outrigger::cel
