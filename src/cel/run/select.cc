#include "cel/run/select.h"

#include <cmath>
#include <optional>

#include "cel/values/collections.h"

namespace outrigger::cel {
namespace {

Selection NoSuchKey(const Value& key) {
  const bool text = key.Is(Kind::kString);
  return {Value::Error(ErrorCode::kNoSuchKey, text ? key.text() : std::string_view()), true, false};
}

// A whole number as an index, also written as uint or double.
std::optional<int64_t> IndexOf(const Value& key) {
  if (key.Is(Kind::kInt)) return key.integer();
  if (key.Is(Kind::kUint) && key.integer() >= 0) return key.integer();
  if (!key.Is(Kind::kDouble) || std::trunc(key.number()) != key.number()) return std::nullopt;
  if (key.number() < -0x1p53 || key.number() > 0x1p53) return std::nullopt;
  return static_cast<int64_t>(key.number());
}

}  // namespace

Selection Select(const Value& value, const Value& key) {
  if (value.Is(Kind::kMap)) {
    if (IsUnhashable(value, key)) return {Value::Error(ErrorCode::kUnhashableKey), false, false};
    const Value* found = FindKeyOrDefault(value, key);
    return found == nullptr ? NoSuchKey(key) : Selection{*found, false, found->IsError()};
  }
  if (!value.Is(Kind::kList)) return NoSuchKey(key);
  const std::optional<int64_t> index = IndexOf(key);
  if (!index)
    return {Value::Error(ErrorCode::kInvalidArgument, "unsupported index value"), false, false};
  if (*index < 0 || *index >= value.size())
    return {Value::Error(ErrorCode::kIndexOutOfRange), true, false};
  return {ItemsOf(value)[static_cast<size_t>(*index)], false, false};
}

}  // namespace outrigger::cel
