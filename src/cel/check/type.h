#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace outrigger::cel {

enum class TypeKind : uint8_t {
  kError,  // of a part that is wrong, so that it is reported once
  kDyn,
  kAny,  // as kDyn; what attributes of DRA devices are
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kDuration,
  kTimestamp,
  kList,
  kMap,
  kType,
  kOpaque,  // known by its name: optional_type, kubernetes.Quantity, ...
  kStruct,
  kVariable,  // a parameter of a signature, or not known yet
};

/// A type that the checker gives to expressions. Immutable; refers to its parameters.
struct Type {
  TypeKind kind = TypeKind::kDyn;
  std::string_view name = {};
  std::array<const Type*, 2> parameters = {};
  uint8_t parameter_count = 0;
  int32_t variable = 0;
};

/// Types without parameters.
namespace types {
extern const Type kError;
extern const Type kDyn;
extern const Type kAny;
extern const Type kNull;
extern const Type kBool;
extern const Type kInt;
extern const Type kUint;
extern const Type kDouble;
extern const Type kString;
extern const Type kBytes;
extern const Type kDuration;
extern const Type kTimestamp;
extern const Type kQuantity;
extern const Type kSemver;
extern const Type kIp;
extern const Type kCidr;
extern const Type kUrl;
extern const Type kFormat;
extern const Type kTypeOfDyn;
}  // namespace types

/// Makes types with parameters and owns them.
class TypePool {
 public:
  TypePool() = default;
  TypePool(const TypePool&) = delete;
  TypePool& operator=(const TypePool&) = delete;

  const Type* List(const Type* item);
  const Type* Map(const Type* key, const Type* value);
  const Type* Optional(const Type* held);
  const Type* TypeOf(const Type* type);
  const Type* Variable(int32_t number);
  /// `type` with other parameters.
  const Type* With(const Type& type, std::array<const Type*, 2> parameters);

 private:
  const Type* Add(const Type& type);
  std::deque<Type> types_;
};

bool IsDyn(const Type& type);
bool IsOptional(const Type& type);
/// The same in all parts.
bool SameType(const Type& a, const Type& b);
/// "list(int)", "map(string, any)", "kubernetes.Quantity".
std::string FormatType(const Type& type);

}  // namespace outrigger::cel
