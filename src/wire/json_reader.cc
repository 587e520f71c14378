#include "wire/json_reader.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>

#include "fmt/format.h"
#include "wire/brackets.h"

namespace outrigger::wire {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr size_t kMaxTextInMessages = 64;
constexpr std::string_view kNotJson = "what is not JSON";
constexpr std::string_view kAcceptedQuantity = "a quantity such as 250m, 1.5Gi or 2e3";

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

// RFC 8259, section 6. simdjson's own parsers refuse what does not fit a double.
bool IsNumber(std::string_view text) {
  size_t i = 0;
  const auto digits = [&] {
    const size_t first = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i - first;
  };
  const auto skip = [&](std::string_view any) {
    const bool found = i < text.size() && any.find(text[i]) != std::string_view::npos;
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
  return i == text.size();
}

// The text of a quantity, given as a string or a number; nothing else is accepted.
absl::Status QuantityText(Value value, const Path& at, std::string_view* text) {
  *text = Token(value);
  if (text->starts_with('"')) return Read(value, at, text);
  return IsNumber(*text) ? absl::OkStatus()
                         : Expected(at, "a quantity (a string or a number)", value);
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

void Path::Malformed(std::string_view value, std::string_view accepted) const {
  if (malformed_ == nullptr || malformed_->size() >= kMaxMalformed) return;
  malformed_->push_back({.node = {},
                         .field = Text(/*within_object=*/true),
                         .value = std::string(Cut(value)),
                         .accepted = std::string(accepted)});
}

std::string Path::Text(bool within_object) const {
  if (within_object && is_object_) return {};
  std::string text = parent_ == nullptr ? std::string() : parent_->Text(within_object);
  if (index_ != kNoIndex) return text + fmt::format("[{}]", index_);
  if (!text.empty()) text += '.';
  return text += Cut(key_);
}

std::string_view Cut(std::string_view text) {
  if (text.size() <= kMaxTextInMessages) return text;
  size_t end = kMaxTextInMessages;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

absl::Status Invalid(const Path& at, std::string_view text) {
  const std::string path = at.Text();
  return absl::InvalidArgumentError(fmt::format("{}: {}", path.empty() ? "body" : path, text));
}

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
    default:
      return absl::OkStatus();  // the loop around steps over a scalar
  }
  std::string_view raw;
  if (const auto error = simdjson::to_json_string(value).get(raw)) return Broken(at, error);
  return CheckBrackets(WithoutBlanksBehind(raw.data(), raw.data() + raw.size()), at);
}

absl::Status ForEachField(Object object, const Path& at, OnField on_field) {
  for (auto entry : object) {
    ondemand::field field;
    if (const auto error = std::move(entry).get(field)) return Broken(at, error);
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
    Value element;
    if (const auto broken = std::move(entry).get(element)) return Broken(at, broken);
    if (absl::Status status = on_element(element, at.Index(index++)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Read(Value value, const Path& at, std::string_view* text) {
  const std::string_view token = Token(value);
  if (!token.starts_with('"')) return Expected(at, "a string", value);
  if (token.find('\\') != std::string_view::npos) {
    const auto error = value.get_string().get(*text);
    return error == simdjson::SUCCESS ? absl::OkStatus() : Broken(at, error);
  }
  *text = token.substr(1, token.size() - 2);
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

bool EqualsAnyCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [lower](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace outrigger::wire
