#include "codec/json/reader.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "codec/json/words.h"
#include "fmt/format.h"

namespace outrigger::json {
namespace {

bool Opens(char c) {
  return c == '{' || c == '[';
}
bool Closes(char c) {
  return c == '}' || c == ']';
}

// The position of the quote that ends the string which begins at `quote`.
size_t EndOfString(std::string_view raw, size_t quote) {
  size_t at = quote + 1;
  while (at < raw.size() && raw[at] != '"') at += raw[at] == '\\' ? 2 : 1;
  return at;
}

bool IsTooDeep(std::string_view raw) {
  size_t depth = 0;
  for (size_t at = 0; at < raw.size(); ++at) {
    if (raw[at] == '\\' && at + 1 < raw.size() && (raw[at + 1] == '"' || raw[at + 1] == '\\')) {
      ++at;  // to simdjson a backslash escapes a quote outside of strings, too
    } else if (raw[at] == '"') {
      at = EndOfString(raw, at);
    } else if (Opens(raw[at])) {
      if (++depth > kMaxDepth) return true;
    } else if (Closes(raw[at]) && depth > 0) {
      --depth;
    }
  }
  return false;
}

size_t AfterBlanks(std::string_view raw, size_t at) {
  while (at < raw.size() &&
         (raw[at] == ' ' || raw[at] == '\n' || raw[at] == '\t' || raw[at] == '\r')) {
    ++at;
  }
  return at;
}

// True if a value begins at `at`, which is not a string before a colon.
bool ValueBegins(std::string_view raw, size_t at) {
  if (std::string_view(",:]}").find(raw[at]) != std::string_view::npos) return false;
  if (raw[at] != '"') return true;
  at = AfterBlanks(raw, EndOfString(raw, at) + 1);
  return at >= raw.size() || raw[at] != ':';
}

// Where simdjson steps over an object or array it looks at brackets only, and counts them right if
// and only if what it meets first is a value (in an object, behind a key and a colon). That it is
// an end is fine as well.
bool BeginsWell(std::string_view raw) {
  size_t at = AfterBlanks(raw, 1);
  if (raw.front() == '[') return raw[at] == ']' || ValueBegins(raw, at);
  if (raw[at] != '"') return raw[at] == '}';
  at = AfterBlanks(raw, EndOfString(raw, at) + 1);
  if (at >= raw.size() || raw[at] != ':') return false;
  at = AfterBlanks(raw, at + 1);
  return at < raw.size() && ValueBegins(raw, at);
}

// Checks a skipped object or array, from bracket to bracket without blanks around, of which is
// known that its strings close: InvalidArgument if the outermost two brackets differ in kind, if
// it begins so that simdjson cannot have counted the brackets between them, or if anything lies
// deeper than kMaxDepth. Of values below 20 kB, which cannot be that deep, only the beginning is
// read.
absl::Status CheckBrackets(std::string_view raw, const Path& at) {
  const bool same_kind = raw.size() >= 2 && raw.back() == (raw.front() == '{' ? '}' : ']');
  if (!same_kind || !BeginsWell(raw)) return Broken(at, simdjson::TAPE_ERROR);
  // A depth of n takes 2n brackets; counting all of them, those in strings too, is the next bound.
  const bool may_be_too_deep =
      raw.size() > 2 * kMaxDepth &&
      static_cast<size_t>(std::count_if(raw.begin(), raw.end(), Opens)) > kMaxDepth;
  if (may_be_too_deep && IsTooDeep(raw)) {
    return Invalid(at, fmt::format("nested deeper than {} levels", kMaxDepth));
  }
  return absl::OkStatus();
}

namespace ondemand = simdjson::ondemand;

constexpr std::string_view kNotJson = "what is not JSON";

bool IsBlank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

std::string_view WithoutBlanksBehind(const char* begin, const char* end) {
  while (end > begin && IsBlank(end[-1])) --end;
  return {begin, static_cast<size_t>(end - begin)};
}

// The bytes between the quotes of a field's key. On-Demand has no length for keys; but between
// closing quote and value nothing but blanks and the colon can stand.
std::string_view RawKey(ondemand::field& field) {
  const char* begin = field.key().raw();
  const char* end = field.value().raw_json_token().data();
  while (end > begin && end[-1] != '"') --end;
  return end > begin ? std::string_view(begin, static_cast<size_t>(end - begin) - 1)
                     : std::string_view();
}

absl::Status KeyOf(ondemand::field& field, const Path& at, std::string_view* key) {
  *key = RawKey(field);
  if (key->find('\\') == std::string_view::npos) return absl::OkStatus();
  const auto error = field.unescaped_key().get(*key);
  return error == simdjson::SUCCESS ? absl::OkStatus() : Broken(at, error);
}

std::string_view TypeName(Value value) {
  ondemand::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return kNotJson;
  switch (type) {
    case ondemand::json_type::array:
      return "an array";
    case ondemand::json_type::object:
      return "an object";
    case ondemand::json_type::number:
      return IsNumber(Token(value)) ? "a number" : kNotJson;
    case ondemand::json_type::string:
      return "a string";
    case ondemand::json_type::boolean:
      return value.get_bool().error() == simdjson::SUCCESS ? "a boolean" : kNotJson;
    case ondemand::json_type::null:
      return "null";
  }
  return kNotJson;
}

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

absl::Status Expected(const Path& at, std::string_view what, Value value) {
  return Invalid(at, fmt::format("expected {}, found {}", what, TypeName(value)));
}

absl::Status Broken(const Path& at, simdjson::error_code error) {
  switch (error) {
    case simdjson::EMPTY:
      return Invalid(at, "expected a JSON object, found nothing");
    case simdjson::UTF8_ERROR:
      return Invalid(at, "broken JSON: not UTF-8");
    case simdjson::UNCLOSED_STRING:
      return Invalid(at, "broken JSON: a string is not closed");
    case simdjson::UNESCAPED_CHARS:
      return Invalid(at, "broken JSON: a control character in a string");
    case simdjson::STRING_ERROR:
      return Invalid(at, "broken JSON: an invalid escape in a string");
    case simdjson::MEMALLOC:
    case simdjson::CAPACITY:
      return absl::ResourceExhaustedError("body: no memory to read it");
    default:
      return Invalid(at, "broken JSON: brackets, commas or colons are off");
  }
}

std::string_view Token(Value value) {
  const std::string_view token = value.raw_json_token();
  return WithoutBlanksBehind(token.data(), token.data() + token.size());
}

absl::Status TakeNull(Value value, const Path& at, bool* is_null) {
  if (*value.raw_json_token().data() != 'n') return absl::OkStatus();
  const auto error = value.is_null().get(*is_null);
  return error == simdjson::SUCCESS && *is_null ? absl::OkStatus() : Broken(at, error);
}

absl::Status TakeString(Value value, const Path& at) {
  simdjson::ondemand::raw_json_string text;
  const auto error = value.get_raw_json_string().get(text);
  return error == simdjson::SUCCESS ? absl::OkStatus() : Broken(at, error);
}

absl::Status SkipValue(Value value, const Path& at) {
  switch (*value.raw_json_token().data()) {
    case '{':
    case '[':
      break;
    case '}':
    case ']':
    case ',':
    case ':':
      return Broken(at, simdjson::TAPE_ERROR);
    case '"':
      return TakeString(value, at);
    default:
      return absl::OkStatus();  // the loop around steps over a scalar
  }
  std::string_view raw;
  if (const auto error = simdjson::to_json_string(value).get(raw)) return Broken(at, error);
  return CheckBrackets(WithoutBlanksBehind(raw.data(), raw.data() + raw.size()), at);
}

absl::Status ForEachField(Object object, const Path& at, OnField on_field) {
  for (auto entry : object) {
    if (const auto error = entry.error()) return Broken(at, error);
    ondemand::field field = entry.value_unsafe();
    std::string_view key;
    absl::Status status = KeyOf(field, at, &key);
    if (status.ok()) status = on_field(key, field.value());
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ForEachField(Value value, const Path& at, OnField on_field) {
  Object object;
  const auto error = value.get_object().get(object);
  if (error == simdjson::INCORRECT_TYPE) return Expected(at, "an object", value);
  return error == simdjson::SUCCESS ? ForEachField(object, at, on_field) : Broken(at, error);
}

absl::Status ForEachElement(Value value, const Path& at, OnElement on_element) {
  ondemand::array array;
  const auto error = value.get_array().get(array);
  if (error == simdjson::INCORRECT_TYPE) return Expected(at, "an array", value);
  if (error != simdjson::SUCCESS) return Broken(at, error);
  size_t index = 0;
  for (auto entry : array) {
    if (const auto broken = entry.error()) return Broken(at, broken);
    absl::Status status = on_element(entry.value_unsafe(), at.Index(index++));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

bool EqualsAnyCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [lower](char x, char y) { return lower(x) == lower(y); });
}

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
