#include "outrigger/agent/request.h"

#include <charconv>

#include "absl/strings/charconv.h"

namespace outrigger {
namespace {

// Go's ParseInt and ParseFloat take a leading '+', std::from_chars and absl::from_chars do not.
std::string_view WithoutPlus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

}  // namespace

std::optional<int64_t> Request::AnnotationInt(const Node& node, std::string_view key) const {
  const std::string* text = node.annotations.Find(key);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits = WithoutPlus(*text);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end == digits.data() + digits.size()) return value;
  diagnostics.Malformed(node.name, key, *text, "a base-10 integer");
  return std::nullopt;
}

std::optional<double> Request::AnnotationDouble(const Node& node, std::string_view key) const {
  const std::string* text = node.annotations.Find(key);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits = WithoutPlus(*text);
  double value = 0;
  const auto [end, error] = absl::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end == digits.data() + digits.size()) return value;
  diagnostics.Malformed(node.name, key, *text, "a decimal number");
  return std::nullopt;
}

}  // namespace outrigger
