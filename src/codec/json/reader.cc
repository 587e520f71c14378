#include "codec/json/reader.h"

#include <algorithm>

#include "codec/json/brackets.h"
#include "fmt/format.h"

namespace outrigger::json {
namespace {

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

}  // namespace outrigger::json
