#include "cel/library/formats.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/time/civil_time.h"
#include "cel/library/function.h"
#include "cel/values/collections.h"
#include "cel/values/concat.h"
#include "cel/values/time.h"
#include "cel/values/url.h"
#include "outrigger/k8s/label_syntax.h"

namespace outrigger::cel {
namespace formats {
namespace {

using Args = std::span<const Value>;
using Wrongs = std::vector<std::string>;

bool IsLower(char c) {
  return absl::ascii_islower(static_cast<unsigned char>(c));
}
bool IsDigit(char c) {
  return absl::ascii_isdigit(static_cast<unsigned char>(c));
}

// What is said of a name that is too long and of one that has wrong characters.
Wrongs Judge(std::string_view text, size_t longest, bool good, std::string_view rule) {
  Wrongs wrongs;
  if (text.size() > longest) wrongs.push_back(Concat("must be no more than ", longest, " bytes"));
  if (!good) wrongs.emplace_back(rule);
  return wrongs;
}

bool IsLabelOfAnyLength(std::string_view text, bool (*first)(char)) {
  const auto inner = [](char c) { return IsLower(c) || IsDigit(c) || c == '-'; };
  return !text.empty() && first(text.front()) && text.back() != '-' &&
         std::all_of(text.begin(), text.end(), inner);
}
bool StartsLabel(char c) {
  return IsLower(c) || IsDigit(c);
}

bool IsSubdomainOfAnyLength(std::string_view text) {
  while (true) {
    const size_t dot = std::min(text.find('.'), text.size());
    if (!IsLabelOfAnyLength(text.substr(0, dot), StartsLabel)) return false;
    if (dot == text.size()) return true;
    text.remove_prefix(dot + 1);
  }
}

constexpr std::string_view kLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must "
    "start and end with an alphanumeric character";
constexpr std::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', "
    "and must start and end with an alphanumeric character";
constexpr std::string_view kOldLabelRule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character";

Wrongs Label(std::string_view text) {
  return Judge(text, 63, IsLabelOfAnyLength(text, StartsLabel), kLabelRule);
}
Wrongs Subdomain(std::string_view text) {
  return Judge(text, 253, IsSubdomainOfAnyLength(text), kSubdomainRule);
}
Wrongs OldLabel(std::string_view text) {
  return Judge(text, 63, IsLabelOfAnyLength(text, IsLower), kOldLabelRule);
}

// A prefix may end with '-', since something follows it.
std::string WithoutLastDash(std::string_view text) {
  std::string masked(text);
  if (masked.size() > 1 && masked.back() == '-') masked.back() = 'a';
  return masked;
}
Wrongs LabelPrefix(std::string_view text) {
  return Label(WithoutLastDash(text));
}
Wrongs SubdomainPrefix(std::string_view text) {
  return Subdomain(WithoutLastDash(text));
}
Wrongs OldLabelPrefix(std::string_view text) {
  return OldLabel(WithoutLastDash(text));
}

Wrongs Unless(bool good, std::string_view wrong) {
  return good ? Wrongs() : Wrongs{std::string(wrong)};
}

Wrongs QualifiedName(std::string_view text) {
  return Unless(IsLabelKey(text),
                "name part must consist of alphanumeric characters, '-', '_' or "
                "'.', with an optional DNS subdomain prefix and '/'");
}
Wrongs LabelValue(std::string_view text) {
  return Unless(IsLabelValue(text),
                "a valid label must be an empty string or consist of alphanumeric "
                "characters, '-', '_' or '.', 63 at most");
}

Wrongs Uri(std::string_view text) {
  return Unless(ParseUrl(text).has_value(), "invalid URI");
}

Wrongs Uuid(std::string_view text) {
  static constexpr std::array<size_t, 5> kGroups = {8, 4, 4, 4, 12};
  for (const size_t group : kGroups) {
    if (group != 8 && text.starts_with('-')) text.remove_prefix(1);
    const std::string_view digits = text.substr(0, group);
    if (digits.size() != group ||
        !std::all_of(digits.begin(), digits.end(), absl::ascii_isxdigit)) {
      return {"does not match the UUID format"};
    }
    text.remove_prefix(group);
  }
  return Unless(text.empty(), "does not match the UUID format");
}

Wrongs Base64(std::string_view text) {
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  const std::string_view body = text.substr(0, text.size() - padding);
  const bool good =
      text.size() % 4 == 0 && !text.empty() && std::all_of(body.begin(), body.end(), [](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '/';
      });
  return Unless(good, "invalid base64");
}

Wrongs Date(std::string_view text) {
  const bool good = text.size() == 10 && ParseTimestamp(Concat(text, "T00:00:00Z")).has_value();
  return Unless(good, "invalid date");
}
Wrongs DateTime(std::string_view text) {
  std::string upper(text);
  absl::AsciiStrToUpper(&upper);
  return Unless(ParseTimestamp(upper).has_value(), "invalid datetime");
}

constexpr uint32_t kUuidPattern = 70;
constexpr uint32_t kTimePattern = 71;

constexpr std::array<NamedFormat, 13> kFormats = {{
    {"dns1123Label", 30, Label},
    {"dns1123Subdomain", 60, Subdomain},
    {"dns1035Label", 30, OldLabel},
    {"qualifiedName", 60, QualifiedName},
    {"dns1123LabelPrefix", 30, LabelPrefix},
    {"dns1123SubdomainPrefix", 60, SubdomainPrefix},
    {"dns1035LabelPrefix", 30, OldLabelPrefix},
    {"labelValue", 40, LabelValue},
    {"uri", 1103, Uri},
    {"uuid", kUuidPattern, Uuid},
    {"byte", 84, Base64},
    {"date", kTimePattern, Date},
    {"datetime", kTimePattern, DateTime},
}};

Value Named(Evaluation& evaluation, Args args) {
  if (!args[0].Is(Kind::kString)) return NoSuchOverload("format.named");
  const NamedFormat* format = FindFormat(args[0].text());
  return format == nullptr ? Value::Optional(nullptr) : NewOptional(evaluation, Value::Of(format));
}

Value Validate(Evaluation& evaluation, Args args) {
  if (!args[0].Is(Kind::kFormat) || !args[1].Is(Kind::kString)) return NoSuchOverload("validate");
  Value list = Value::List(nullptr, 0);
  for (const std::string& wrong : args[0].format().validate(args[1].text())) {
    const Value item = NewText(evaluation, wrong);
    if (item.IsError()) return item;
    list = AppendedList(evaluation.arena, list, {&item, 1});
    if (list.IsError()) return list;
  }
  return list.size() == 0 ? Value::Optional(nullptr) : NewOptional(evaluation, list);
}

template <size_t I>
Value Constant(Evaluation&, Args) {
  return Value::Of(&kFormats[I]);
}

constexpr std::array kRows = {
    FunctionRow{"format.named", "string>optional(format)", Named, CostRule::kOne},
    FunctionRow{"validate", ".format,string>optional(list(string))", Validate, CostRule::kValidate},
    FunctionRow{"format.dns1123Label", ">format", Constant<0>},
    FunctionRow{"format.dns1123Subdomain", ">format", Constant<1>},
    FunctionRow{"format.dns1035Label", ">format", Constant<2>},
    FunctionRow{"format.qualifiedName", ">format", Constant<3>},
    FunctionRow{"format.dns1123LabelPrefix", ">format", Constant<4>},
    FunctionRow{"format.dns1123SubdomainPrefix", ">format", Constant<5>},
    FunctionRow{"format.dns1035LabelPrefix", ">format", Constant<6>},
    FunctionRow{"format.labelValue", ">format", Constant<7>},
    FunctionRow{"format.uri", ">format", Constant<8>},
    FunctionRow{"format.uuid", ">format", Constant<9>},
    FunctionRow{"format.byte", ">format", Constant<10>},
    FunctionRow{"format.date", ">format", Constant<11>},
    FunctionRow{"format.datetime", ">format", Constant<12>},
};

}  // namespace
}  // namespace formats

std::span<const NamedFormat> NamedFormats() {
  return formats::kFormats;
}

const NamedFormat* FindFormat(std::string_view name) {
  const auto* found = std::find_if(formats::kFormats.begin(), formats::kFormats.end(),
                                   [&](const NamedFormat& format) { return format.name == name; });
  return found == formats::kFormats.end() ? nullptr : found;
}

std::span<const FunctionRow> FormatFunctions() {
  return formats::kRows;
}

}  // namespace outrigger::cel
