#include "cel/library/format_number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace outrigger::cel {
namespace {

constexpr int kFirstScientific = 6;  // the least exponent that is written

}  // namespace

std::string FormatDouble(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "+Inf" : "-Inf";
  std::array<char, 64> buffer = {};
  const auto scientific =
      std::to_chars(buffer.begin(), buffer.end(), number, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<size_t>(scientific.ptr - buffer.data()));
  const int exponent = std::atoi(buffer.data() + text.find('e') + 1);
  if (exponent < -4 || exponent >= kFirstScientific) return std::string(text);
  std::array<char, 64> fixed_buffer = {};
  const auto fixed =
      std::to_chars(fixed_buffer.begin(), fixed_buffer.end(), number, std::chars_format::fixed);
  return {fixed_buffer.data(), static_cast<size_t>(fixed.ptr - fixed_buffer.data())};
}

}  // namespace outrigger::cel
