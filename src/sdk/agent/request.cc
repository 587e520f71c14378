#include "outrigger/agent/request.h"

#include <charconv>
#include <cmath>

#include "absl/strings/charconv.h"

namespace outrigger {
namespace {

// Go's ParseInt and ParseFloat take a leading '+', std::from_chars and absl::from_chars do not.
std::string_view WithoutPlus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

// As Go's ParseFloat reads decimal numbers: absl takes "-nan" and "nan(x)", Go takes no sign and no
// payload there; absl takes hexadecimal; absl calls what is too small for a double out of range, Go
// calls it 0.
bool ParseGoFloat(std::string_view text, double* value) {
  const std::string_view digits = WithoutPlus(text);
  const char* end = digits.data() + digits.size();
  const auto result = absl::from_chars(digits.data(), end, *value);
  if (result.ptr != end || digits.find_first_of("xX") != std::string_view::npos) return false;
  if (result.ec == std::errc::result_out_of_range) return std::abs(*value) < 1;
  if (result.ec != std::errc()) return false;
  return !std::isnan(*value) || text.size() == 3;
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
  double value = 0;
  if (ParseGoFloat(*text, &value)) return value;
  diagnostics.Malformed(node.name, key, *text, "a decimal number");
  return std::nullopt;
}

}  // namespace outrigger
