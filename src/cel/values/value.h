#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "outrigger/k8s/quantity.h"

namespace outrigger::cel {

/// What a value is. kError is the outcome of a failed operation; kUnset is no value of the language
/// but a variable that has not been computed yet.
enum class Kind : uint8_t {
  kUnset,
  kError,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kList,
  kMap,
  kType,
  kDuration,
  kTimestamp,
  kOptional,
  kQuantity,
  kSemver,
  kIp,
  kCidr,
  kUrl,
  kFormat,
};

/// Why an operation failed. The last three end the whole evaluation, the others can be absorbed by
/// && and ||.
enum class ErrorCode : uint8_t {
  kNoSuchOverload,
  kNoSuchKey,
  kIndexOutOfRange,
  kDivisionByZero,
  kModulusByZero,
  kOverflow,
  kConversion,
  kEmptyList,
  kNoneDereferenced,
  kInvalidArgument,
  kNotIterable,
  kDuplicateKey,
  kUnhashableKey,
  kNotCounted,
  kCost,
};

struct ListBuffer;
struct MapBuffer;
struct Semver;
struct IpAddress;
struct Cidr;
struct Url;
struct NamedFormat;

/// One value of an expression: 16 bytes, trivially copyable. Lists, maps and texts are referred to;
/// whoever made the value says how long they live (an Arena, a Program, a device).
class Value {
 public:
  constexpr Value() = default;

  static constexpr Value Null() { return Value(Kind::kNull); }
  static constexpr Value Bool(bool value) {
    Value result(Kind::kBool);
    result.integer_ = value ? 1 : 0;
    return result;
  }
  static constexpr Value Int(int64_t value) {
    Value result(Kind::kInt);
    result.integer_ = value;
    return result;
  }
  static constexpr Value Uint(uint64_t value) {
    Value result(Kind::kUint);
    result.integer_ = static_cast<int64_t>(value);
    return result;
  }
  static constexpr Value Double(double value) {
    Value result(Kind::kDouble);
    result.number_ = value;
    return result;
  }
  static constexpr Value String(std::string_view text) { return Text(Kind::kString, text); }
  static constexpr Value Bytes(std::string_view bytes) { return Text(Kind::kBytes, bytes); }
  /// A type by its name, which must be static.
  static constexpr Value Type(std::string_view name) { return Text(Kind::kType, name); }
  /// The first `size` items of `buffer`; nullptr is the empty list.
  static Value List(const ListBuffer* buffer, uint32_t size) {
    return Referring(Kind::kList, buffer, size);
  }
  static Value Map(const MapBuffer* buffer, uint32_t size) {
    return Referring(Kind::kMap, buffer, size);
  }
  static constexpr Value Duration(int64_t nanoseconds) {
    Value result(Kind::kDuration);
    result.integer_ = nanoseconds;
    return result;
  }
  /// `offset` is the zone in which the text of the time was written, in minutes; only text shows
  /// it.
  static constexpr Value Timestamp(int64_t seconds, uint32_t nanoseconds, int16_t offset = 0) {
    Value result(Kind::kTimestamp);
    result.integer_ = seconds;
    result.size_ = nanoseconds;
    result.offset_ = offset;
    return result;
  }
  /// nullptr is optional.none().
  static Value Optional(const Value* held) { return Referring(Kind::kOptional, held, 0); }
  /// `computed`: the result of add() or sub(), which upstream cannot compare on the right of ==.
  static Value Of(const Quantity* quantity, bool computed = false) {
    return Referring(Kind::kQuantity, quantity, computed ? 1 : 0);
  }
  static Value Of(const Semver* version) { return Referring(Kind::kSemver, version, 0); }
  static Value Of(const IpAddress* address) { return Referring(Kind::kIp, address, 0); }
  static Value Of(const Cidr* cidr) { return Referring(Kind::kCidr, cidr, 0); }
  static Value Of(const Url* url) { return Referring(Kind::kUrl, url, 0); }
  static Value Of(const NamedFormat* format) { return Referring(Kind::kFormat, format, 0); }
  /// `detail` (a key, a function's name) must live as long as the value.
  static constexpr Value Error(ErrorCode code, std::string_view detail = {}) {
    Value result = Text(Kind::kError, detail);
    result.code_ = code;
    return result;
  }
  /// Not computed yet; `number` says how (see run/machine).
  static constexpr Value Unset(int64_t number = 0) {
    Value result;
    result.integer_ = number;
    return result;
  }

  constexpr Kind kind() const { return kind_; }
  constexpr bool Is(Kind kind) const { return kind_ == kind; }
  constexpr bool IsError() const { return kind_ == Kind::kError; }
  constexpr bool IsTrue() const { return kind_ == Kind::kBool && integer_ != 0; }
  constexpr bool IsFalse() const { return kind_ == Kind::kBool && integer_ == 0; }
  constexpr bool IsNumber() const {
    return kind_ == Kind::kInt || kind_ == Kind::kUint || kind_ == Kind::kDouble;
  }

  // Each of these needs the kind that its name says.
  constexpr bool boolean() const { return integer_ != 0; }
  constexpr int64_t integer() const { return integer_; }
  constexpr uint64_t unsigned_integer() const { return static_cast<uint64_t>(integer_); }
  constexpr double number() const { return number_; }
  constexpr std::string_view text() const { return {text_, size_}; }  // string, bytes, type, error
  const ListBuffer* list() const { return static_cast<const ListBuffer*>(pointer_); }
  const MapBuffer* map() const { return static_cast<const MapBuffer*>(pointer_); }
  constexpr int64_t nanoseconds() const { return integer_; }  // of a duration
  constexpr int64_t seconds() const { return integer_; }      // of a timestamp
  constexpr uint32_t subsecond() const { return size_; }      // of a timestamp
  constexpr int16_t offset() const { return offset_; }        // of a timestamp, in minutes
  const Value* held() const { return static_cast<const Value*>(pointer_); }
  const Quantity& quantity() const { return *static_cast<const Quantity*>(pointer_); }
  constexpr bool computed() const { return size_ != 0; }  // of a quantity
  const Semver& semver() const { return *static_cast<const Semver*>(pointer_); }
  const IpAddress& ip() const { return *static_cast<const IpAddress*>(pointer_); }
  const Cidr& cidr() const { return *static_cast<const Cidr*>(pointer_); }
  const Url& url() const { return *static_cast<const Url*>(pointer_); }
  const NamedFormat& format() const { return *static_cast<const NamedFormat*>(pointer_); }
  constexpr ErrorCode code() const { return code_; }

  /// Bytes of a text, items of a list, entries of a map.
  constexpr uint32_t size() const { return size_; }

 private:
  constexpr explicit Value(Kind kind) : kind_(kind) {}
  static constexpr Value Text(Kind kind, std::string_view text) {
    Value result(kind);
    result.text_ = text.data();
    result.size_ = static_cast<uint32_t>(text.size());
    return result;
  }
  static Value Referring(Kind kind, const void* pointer, uint32_t size) {
    Value result(kind);
    result.pointer_ = pointer;
    result.size_ = size;
    return result;
  }

  Kind kind_ = Kind::kUnset;
  ErrorCode code_ = ErrorCode::kNoSuchOverload;
  int16_t offset_ = 0;
  uint32_t size_ = 0;
  union {
    int64_t integer_ = 0;
    double number_;
    const char* text_;
    const void* pointer_;
  };
};
static_assert(sizeof(Value) == 16);

/// The name of a value's type as type() shows it: "int", "map", "kubernetes.Quantity".
std::string_view TypeNameOf(const Value& value);

/// Code points of a text, bytes of bytes, items of a list or map, bytes of an address, the held
/// value's size of an optional; 1 for everything else. What costs are counted by.
uint64_t SizeOf(const Value& value);

}  // namespace outrigger::cel
