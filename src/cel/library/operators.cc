#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "cel/library/function.h"
#include "cel/values/collections.h"
#include "cel/values/time.h"

namespace outrigger::cel {
namespace operators {
namespace {

using Args = std::span<const Value>;

Value Overflow() {
  return Value::Error(ErrorCode::kOverflow);
}

// The result of an operation of two integers that says whether it overflowed.
template <typename T>
Value Checked(bool overflowed, T result) {
  if (overflowed) return Overflow();
  if constexpr (std::is_signed_v<T>) {
    return Value::Int(result);
  } else {
    return Value::Uint(result);
  }
}

Value MovedTimestamp(const Value& time, int64_t nanoseconds) {
  constexpr int64_t kSecond = 1'000'000'000;
  int64_t seconds = nanoseconds / kSecond;
  int64_t rest = nanoseconds % kSecond + time.subsecond();
  if (rest < 0) {
    rest += kSecond;
    --seconds;
  } else if (rest >= kSecond) {
    rest -= kSecond;
    ++seconds;
  }
  seconds += time.seconds();
  if (seconds < kFirstSecond || seconds > kLastSecond) return Overflow();
  return Value::Timestamp(seconds, static_cast<uint32_t>(rest), time.offset());
}

Value Joined(Evaluation& evaluation, const Value& a, const Value& b) {
  const size_t size = size_t{a.size()} + b.size();
  if (size > std::numeric_limits<uint32_t>::max()) return OutOfMemory();
  char* place = evaluation.arena.Allocate<char>(size);
  if (place == nullptr) return OutOfMemory();
  std::memcpy(place, a.text().data(), a.size());
  std::memcpy(place + a.size(), b.text().data(), b.size());
  const std::string_view joined(place, size);
  return a.Is(Kind::kString) ? Value::String(joined) : Value::Bytes(joined);
}

Value AddSame(Evaluation& evaluation, const Value& a, const Value& b) {
  switch (a.kind()) {
    case Kind::kInt: {
      int64_t sum = 0;
      const bool overflowed = __builtin_add_overflow(a.integer(), b.integer(), &sum);
      return Checked(overflowed, sum);
    }
    case Kind::kUint: {
      uint64_t sum = 0;
      const bool overflowed =
          __builtin_add_overflow(a.unsigned_integer(), b.unsigned_integer(), &sum);
      return Checked(overflowed, sum);
    }
    case Kind::kDouble:
      return Value::Double(a.number() + b.number());
    case Kind::kDuration: {
      int64_t sum = 0;
      if (__builtin_add_overflow(a.nanoseconds(), b.nanoseconds(), &sum)) return Overflow();
      return Value::Duration(sum);
    }
    case Kind::kString:
    case Kind::kBytes:
      return Joined(evaluation, a, b);
    case Kind::kList:
      return AppendedList(evaluation.arena, a, ItemsOf(b));
    default:
      return NoSuchOverload("_+_");
  }
}

Value Add(Evaluation& evaluation, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.kind() == b.kind()) return AddSame(evaluation, a, b);
  if (a.Is(Kind::kTimestamp) && b.Is(Kind::kDuration)) return MovedTimestamp(a, b.nanoseconds());
  if (a.Is(Kind::kDuration) && b.Is(Kind::kTimestamp)) return MovedTimestamp(b, a.nanoseconds());
  return NoSuchOverload("_+_");
}

Value SubtractTimestamps(const Value& a, const Value& b) {
  int64_t difference = 0;
  if (__builtin_mul_overflow(a.seconds() - b.seconds(), int64_t{1'000'000'000}, &difference) ||
      __builtin_add_overflow(difference, int64_t{a.subsecond()} - int64_t{b.subsecond()},
                             &difference)) {
    return Overflow();
  }
  return Value::Duration(difference);
}

Value Subtract(Evaluation&, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.Is(Kind::kTimestamp) && b.Is(Kind::kDuration)) {
    if (b.nanoseconds() == std::numeric_limits<int64_t>::min()) return Overflow();
    return MovedTimestamp(a, -b.nanoseconds());
  }
  if (a.kind() != b.kind()) return NoSuchOverload("_-_");
  switch (a.kind()) {
    case Kind::kInt: {
      int64_t result = 0;
      const bool overflowed = __builtin_sub_overflow(a.integer(), b.integer(), &result);
      return Checked(overflowed, result);
    }
    case Kind::kUint: {
      uint64_t result = 0;
      const bool overflowed =
          __builtin_sub_overflow(a.unsigned_integer(), b.unsigned_integer(), &result);
      return Checked(overflowed, result);
    }
    case Kind::kDouble:
      return Value::Double(a.number() - b.number());
    case Kind::kDuration: {
      int64_t result = 0;
      if (__builtin_sub_overflow(a.nanoseconds(), b.nanoseconds(), &result)) return Overflow();
      return Value::Duration(result);
    }
    case Kind::kTimestamp:
      return SubtractTimestamps(a, b);
    default:
      return NoSuchOverload("_-_");
  }
}

Value Multiply(Evaluation&, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.kind() != b.kind()) return NoSuchOverload("_*_");
  if (a.Is(Kind::kInt)) {
    int64_t result = 0;
    const bool overflowed = __builtin_mul_overflow(a.integer(), b.integer(), &result);
    return Checked(overflowed, result);
  }
  if (a.Is(Kind::kUint)) {
    uint64_t result = 0;
    const bool overflowed =
        __builtin_mul_overflow(a.unsigned_integer(), b.unsigned_integer(), &result);
    return Checked(overflowed, result);
  }
  return a.Is(Kind::kDouble) ? Value::Double(a.number() * b.number()) : NoSuchOverload("_*_");
}

Value Divide(Evaluation&, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.kind() != b.kind()) return NoSuchOverload("_/_");
  if (a.Is(Kind::kDouble)) return Value::Double(a.number() / b.number());
  if (!a.IsNumber()) return NoSuchOverload("_/_");
  if (b.integer() == 0) return Value::Error(ErrorCode::kDivisionByZero);
  if (a.Is(Kind::kUint)) return Value::Uint(a.unsigned_integer() / b.unsigned_integer());
  if (a.integer() == std::numeric_limits<int64_t>::min() && b.integer() == -1) return Overflow();
  return Value::Int(a.integer() / b.integer());
}

Value Modulo(Evaluation&, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.kind() != b.kind() || !a.IsNumber() || a.Is(Kind::kDouble)) return NoSuchOverload("_%_");
  if (b.integer() == 0) return Value::Error(ErrorCode::kModulusByZero);
  if (a.Is(Kind::kUint)) return Value::Uint(a.unsigned_integer() % b.unsigned_integer());
  if (a.integer() == std::numeric_limits<int64_t>::min() && b.integer() == -1) return Overflow();
  return Value::Int(a.integer() % b.integer());
}

Value Negate(Evaluation&, Args args) {
  const Value& a = args[0];
  if (a.Is(Kind::kDouble)) return Value::Double(-a.number());
  const bool duration = a.Is(Kind::kDuration);
  if (!a.Is(Kind::kInt) && !duration) return NoSuchOverload("-_");
  if (a.integer() == std::numeric_limits<int64_t>::min()) return Overflow();
  return duration ? Value::Duration(-a.nanoseconds()) : Value::Int(-a.integer());
}

Value Not(Evaluation&, Args args) {
  return args[0].Is(Kind::kBool) ? Value::Bool(!args[0].boolean()) : NoSuchOverload("!_");
}

template <typename Decide>
Value Ordered(Args args, std::string_view name, Decide decide) {
  const auto order = Compare(args[0], args[1]);
  if (!order) return NoSuchOverload(name);
  if (*order == std::partial_ordering::unordered) {
    return Value::Error(ErrorCode::kInvalidArgument, "NaN values cannot be ordered");
  }
  return Value::Bool(decide(*order));
}

Value Less(Evaluation&, Args args) {
  return Ordered(args, "_<_", std::is_lt);
}
Value LessOrEqual(Evaluation&, Args args) {
  return Ordered(args, "_<=_", std::is_lteq);
}
Value Greater(Evaluation&, Args args) {
  return Ordered(args, "_>_", std::is_gt);
}
Value GreaterOrEqual(Evaluation&, Args args) {
  return Ordered(args, "_>=_", std::is_gteq);
}

Value In(Evaluation& evaluation, Args args) {
  if (args[1].Is(Kind::kMap)) {
    if (IsUnhashable(args[1], args[0])) return Value::Error(ErrorCode::kUnhashableKey);
    return Value::Bool(FindKey(args[1], args[0]) != nullptr);
  }
  if (!args[1].Is(Kind::kList)) return NoSuchOverload("_in_");
  for (const Value& item : ItemsOf(args[1])) {
    if (Equal(args[0], item, evaluation.work)) return Value::Bool(true);
  }
  return Value::Bool(false);
}

Value Size(Evaluation&, Args args) {
  switch (args[0].kind()) {
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kList:
    case Kind::kMap:
      return Value::Int(static_cast<int64_t>(SizeOf(args[0])));
    default:
      return NoSuchOverload("size");
  }
}

Value InsertIntoMap(Evaluation& evaluation, Args args) {
  if (!args[0].Is(Kind::kMap)) return NoSuchOverload("cel.@mapInsert");
  if (args.size() == 3) return InsertedMap(evaluation.arena, args[0], args[1], args[2]);
  if (!args[1].Is(Kind::kMap)) return NoSuchOverload("cel.@mapInsert");
  Value map = args[0];
  for (const MapEntry& entry : EntriesOf(args[1])) {
    map = InsertedMap(evaluation.arena, map, entry.key, entry.value);
    if (map.IsError()) return map;
  }
  return map;
}

// What the interpreter decides itself.
Value Special(Evaluation&, Args) {
  return NoSuchOverload();
}

constexpr std::string_view kComparisons =
    "bool,bool>bool | int,int>bool | int,double>bool | int,uint>bool | uint,uint>bool | "
    "uint,double>bool | uint,int>bool | double,double>bool | double,int>bool | double,uint>bool | "
    "string,string>bool $lesser | bytes,bytes>bool $lesser | timestamp,timestamp>bool | "
    "duration,duration>bool";

constexpr std::array kRows = {
    FunctionRow{"_?_:_", "bool,A,A>A", Special},
    FunctionRow{"_&&_", "bool,bool>bool", Special},
    FunctionRow{"_||_", "bool,bool>bool", Special},
    FunctionRow{"!_", "bool>bool", Not},
    FunctionRow{"@not_strictly_false", "bool>bool", Special},
    FunctionRow{"_==_", "A,A>bool $lesser", Special},
    FunctionRow{"_!=_", "A,A>bool $lesser", Special},
    FunctionRow{"_+_",
                "bytes,bytes>bytes $sum | double,double>double | duration,duration>duration | "
                "duration,timestamp>timestamp | timestamp,duration>timestamp | int,int>int | "
                "list(A),list(A)>list(A) | string,string>string $sum | uint,uint>uint",
                Add},
    FunctionRow{"_-_",
                "double,double>double | duration,duration>duration | int,int>int | "
                "timestamp,duration>timestamp | timestamp,timestamp>duration | uint,uint>uint",
                Subtract},
    FunctionRow{"_*_", "double,double>double | int,int>int | uint,uint>uint", Multiply},
    FunctionRow{"_/_", "double,double>double | int,int>int | uint,uint>uint", Divide},
    FunctionRow{"_%_", "int,int>int | uint,uint>uint", Modulo},
    FunctionRow{"-_", "double>double | int>int", Negate},
    FunctionRow{"_<_", kComparisons, Less},
    FunctionRow{"_<=_", kComparisons, LessOrEqual},
    FunctionRow{"_>_", kComparisons, Greater},
    FunctionRow{"_>=_", kComparisons, GreaterOrEqual},
    FunctionRow{"_[_]",
                "list(A),int>A | map(A,B),A>B | optional(list(A)),int>optional(A) | "
                "optional(map(A,B)),A>optional(B)",
                Special},
    FunctionRow{"_[?_]",
                "list(A),int>optional(A) | optional(list(A)),int>optional(A) | "
                "map(A,B),A>optional(B) | optional(map(A,B)),A>optional(B)",
                Special},
    FunctionRow{"@in", "A,list(A)>bool $second | A,map(A,B)>bool", In},
    FunctionRow{
        "size",
        "bytes>int | .bytes>int | list(A)>int | .list(A)>int | map(A,B)>int | .map(A,B)>int "
        "| string>int | .string>int",
        Size},
    FunctionRow{"cel.@mapInsert", "map(A,B),A,B>map(A,B) | map(A,B),map(A,B)>map(A,B)",
                InsertIntoMap},
};

}  // namespace
}  // namespace operators

std::span<const FunctionRow> OperatorFunctions() {
  return operators::kRows;
}

}  // namespace outrigger::cel
