#include "console/format/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <regex>
#include <set>
#include <string_view>

#include "fmt/format.h"

namespace outrigger::cli {
namespace {

using Kind = ScalarForm::Kind;

const std::set<std::string_view> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                          "True", "TRUE", "on",  "On",  "ON"};
const std::set<std::string_view> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                           "False", "FALSE", "off", "Off", "OFF"};
const std::set<std::string_view> kNull = {"", "~", "null", "Null", "NULL"};
const std::set<std::string_view> kBeyondJson = {".nan",  ".NaN",  ".NAN",  ".inf",
                                                ".Inf",  ".INF",  "+.inf", "+.Inf",
                                                "+.INF", "-.inf", "-.Inf", "-.INF"};

// 0x1f, 0b11, 0o17 and 017, and decimals without a prefix; nothing if it is none of these or does
// not fit 64 bits.
std::optional<std::string> Integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  const auto prefix = [&](std::string_view lower, std::string_view upper, int of) {
    if (!text.starts_with(lower) && !text.starts_with(upper)) return false;
    text.remove_prefix(lower.size());
    base = of;
    return true;
  };
  if (!prefix("0x", "0X", 16) && !prefix("0b", "0B", 2) && !prefix("0o", "0O", 8) &&
      text.size() > 1) {
    prefix("0", "0", 8);
  }
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  const uint64_t most = uint64_t{std::numeric_limits<int64_t>::max()} + 1;
  if (negative && number > most) return std::nullopt;
  return fmt::format("{}{}", negative && number > 0 ? "-" : "", number);
}

std::optional<std::string> Float(const std::string& text) {
  static const std::regex json_number(R"(-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?)");
  static const std::regex number(R"([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?)");
  // A regular expression recurses on the length of the text, which may be anything.
  constexpr size_t kLongest = 512;
  if (text.size() > kLongest || !std::regex_match(text, number)) return std::nullopt;
  if (std::regex_match(text, json_number)) return text;
  double value = 0;
  const char* const begin = text.data() + (text[0] == '+' ? 1 : 0);
  const auto [stop, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return fmt::format("{}", value);
}

std::optional<std::string> Number(const std::string& value) {
  if (value.empty() || std::string_view("+-.0123456789").find(value[0]) == std::string_view::npos) {
    return std::nullopt;
  }
  std::string digits = value;
  digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
  std::optional<std::string> integer = Integer(digits);
  return integer ? integer : Float(digits);
}

}  // namespace

ScalarForm FormOf(const std::string& tag, const std::string& value) {
  constexpr std::string_view kTyped[] = {"?", "tag:yaml.org,2002:int", "tag:yaml.org,2002:float",
                                         "tag:yaml.org,2002:bool", "tag:yaml.org,2002:null"};
  if (std::find(std::begin(kTyped), std::end(kTyped), tag) == std::end(kTyped)) return {};
  if (kTrue.count(value) > 0) return {Kind::kOther, "true"};
  if (kFalse.count(value) > 0) return {Kind::kOther, "false"};
  if (kNull.count(value) > 0) return {Kind::kOther, "null"};
  if (kBeyondJson.count(value) > 0) return {Kind::kImpossible, ""};
  const std::optional<std::string> number = Number(value);
  return number ? ScalarForm{Kind::kOther, *number} : ScalarForm{};
}

}  // namespace outrigger::cli
