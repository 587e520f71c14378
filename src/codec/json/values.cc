// Scalars, maps and lists: Read() of json_reader.h.

#include <chrono>
#include <limits>
#include <optional>
#include <utility>

#include "codec/json/accepted.h"
#include "codec/json/reader.h"
#include "fmt/format.h"

namespace outrigger::json {
namespace {

// The text of a quantity, given as a string or a number; nothing else is accepted.
absl::Status QuantityText(Value value, const Path& at, std::string_view* text) {
  *text = Token(value);
  if (text->starts_with('"')) return Read(value, at, text);
  return IsNumber(*text) ? absl::OkStatus()
                         : Expected(at, "a quantity (a string or a number)", value);
}

// Seconds since 1970 of exactly "YYYY-MM-DDThh:mm:ssZ", as metav1.Time is always encoded.
std::optional<int64_t> SecondsOf(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  if (text.size() != kForm.size()) return std::nullopt;
  for (size_t i = 0; i < kForm.size(); ++i) {
    const bool fits = kForm[i] == 'd' ? text[i] >= '0' && text[i] <= '9' : text[i] == kForm[i];
    if (!fits) return std::nullopt;
  }
  const auto number = [text](size_t at, size_t digits) {
    unsigned value = 0;
    for (const char digit : text.substr(at, digits)) {
      value = value * 10 + static_cast<unsigned>(digit - '0');
    }
    return value;
  };
  const std::chrono::year_month_day day(std::chrono::year(static_cast<int>(number(0, 4))),
                                        std::chrono::month(number(5, 2)),
                                        std::chrono::day(number(8, 2)));
  const unsigned hour = number(11, 2);
  const unsigned minute = number(14, 2);
  const unsigned second = number(17, 2);
  if (!day.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const auto midnight = std::chrono::sys_days(day).time_since_epoch();
  return int64_t{midnight.count()} * 86'400 + int64_t{hour} * 3600 + int64_t{minute} * 60 + second;
}

template <typename Int>
absl::Status ReadInt(Value value, const Path& at, Int* number) {
  int64_t wide = 0;
  if (value.get_int64().get(wide) == simdjson::SUCCESS && std::in_range<Int>(wide)) {
    *number = static_cast<Int>(wide);
    return absl::OkStatus();
  }
  const std::string what =
      fmt::format("an integer of {} bits", std::numeric_limits<Int>::digits + 1);
  const std::string_view token = Token(value);
  if (!IsNumber(token)) return Expected(at, what, value);
  return Invalid(at, fmt::format("expected {}, found {}", what, Cut(token)));
}

}  // namespace

// simdjson's own parsers refuse what does not fit a double.
bool IsNumber(std::string_view token) {
  size_t i = 0;
  const auto digits = [&] {
    const size_t first = i;
    while (i < token.size() && token[i] >= '0' && token[i] <= '9') ++i;
    return i - first;
  };
  const auto skip = [&](std::string_view any) {
    const bool found = i < token.size() && any.find(token[i]) != std::string_view::npos;
    if (found) ++i;
    return found;
  };
  skip("-");
  if (!skip("0") && digits() == 0) return false;
  if (skip(".") && digits() == 0) return false;
  if (skip("eE")) {
    skip("+-");
    if (digits() == 0) return false;
  }
  return i == token.size();
}

absl::Status Read(Value value, const Path& at, std::string_view* text) {
  const std::string_view token = Token(value);
  if (!token.starts_with('"')) return Expected(at, "a string", value);
  if (token.find('\\') != std::string_view::npos) {
    const auto error = value.get_string().get(*text);
    return error == simdjson::SUCCESS ? absl::OkStatus() : Broken(at, error);
  }
  *text = token.substr(1, token.size() - 2);
  return TakeString(value, at);
}

namespace {

// A string without escapes, as almost all are, at the least cost; false if it is anything else, and
// then it has not been read.
bool ReadPlain(Value value, std::string_view* text) {
  const std::string_view token = Token(value);
  if (!token.starts_with('"') || token.find('\\') != std::string_view::npos) return false;
  *text = token.substr(1, token.size() - 2);
  simdjson::ondemand::raw_json_string raw;
  return value.get_raw_json_string().get(raw) == simdjson::SUCCESS;
}

}  // namespace

absl::Status Read(Value value, const Path& at, std::vector<std::string_view>* texts) {
  texts->clear();
  simdjson::ondemand::array array;
  const auto error = value.get_array().get(array);
  if (error == simdjson::INCORRECT_TYPE) return Expected(at, "an array", value);
  if (error != simdjson::SUCCESS) return Broken(at, error);
  for (auto entry : array) {
    if (const auto broken = entry.error()) return Broken(at, broken);
    std::string_view& text = texts->emplace_back();
    if (ReadPlain(entry.value_unsafe(), &text)) continue;
    absl::Status status = ReadField(entry.value_unsafe(), at.Index(texts->size() - 1), &text);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Read(Value value, const Path& at, std::string* text) {
  std::string_view view;
  absl::Status status = Read(value, at, &view);
  if (status.ok()) text->assign(view);
  return status;
}

absl::Status Read(Value value, const Path& at, bool* flag) {
  return value.get_bool().get(*flag) == simdjson::SUCCESS ? absl::OkStatus()
                                                          : Expected(at, "a boolean", value);
}

absl::Status Read(Value value, const Path& at, int32_t* number) {
  return ReadInt(value, at, number);
}

absl::Status Read(Value value, const Path& at, int64_t* number) {
  return ReadInt(value, at, number);
}

absl::Status ReadTime(Value value, const Path& at, int64_t* seconds) {
  std::string_view text;
  absl::Status status = Read(value, at, &text);
  if (!status.ok()) return status;
  const auto time = SecondsOf(text);
  *seconds = time.value_or(0);
  if (!time.has_value()) at.Malformed(text, kAcceptedTime);
  return status;
}

absl::Status Read(Value value, const Path& at, StringMap* map) {
  map->clear();
  absl::Status status = ForEachField(value, at, [&](std::string_view key, Value item) {
    std::string_view text;
    absl::Status read = ReadField(item, at.Key(key), &text);
    if (read.ok()) map->Append(key, text);
    return read;
  });
  map->Normalize();
  return status;
}

absl::Status ReadQuantity(Value value, const Path& at, std::optional<Quantity>* quantity) {
  std::string_view text;
  absl::Status status = QuantityText(value, at, &text);
  if (!status.ok()) return status;
  const auto parsed = Quantity::Parse(text);
  if (parsed.ok()) {
    *quantity = *parsed;
  } else {
    at.Malformed(text, kAcceptedQuantity);
  }
  return status;
}

absl::Status Read(Value value, const Path& at, ResourceList* list) {
  list->clear();
  absl::Status status = ForEachField(value, at, [&](std::string_view name, Value item) {
    const Path place = at.Key(name);
    std::string_view text;
    absl::Status read = ReadField(item, place, [&text](Value amount, const Path& where) {
      return QuantityText(amount, where, &text);
    });
    if (!read.ok()) return read;
    const bool is_null = text.data() == nullptr;
    const auto quantity = is_null ? Quantity() : Quantity::Parse(text);
    if (quantity.ok()) {
      list->Append(name, *quantity);
    } else {
      place.Malformed(text, kAcceptedQuantity);
    }
    return read;
  });
  list->Normalize();
  return status;
}

}  // namespace outrigger::json
