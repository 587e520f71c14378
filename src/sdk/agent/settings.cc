#include "outrigger/agent/settings.h"

#include <charconv>
#include <cmath>

#include "absl/strings/charconv.h"
#include "fmt/format.h"

namespace outrigger {

const SettingSpec* SettingsSchema::Find(std::string_view name) const {
  for (const SettingSpec& spec : specs_) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

namespace internal {
namespace {

template <typename T>
bool ParseWhole(std::string_view text, T* value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* end = text.data() + text.size();
  if constexpr (std::is_same_v<T, double>) {
    if (text.find_first_of("xX") != std::string_view::npos) return false;  // absl takes hexadecimal
    const auto result = absl::from_chars(text.data(), end, *value);
    return result.ec == std::errc() && result.ptr == end;
  } else {
    const auto result = std::from_chars(text.data(), end, *value);
    return result.ec == std::errc() && result.ptr == end;
  }
}

}  // namespace

absl::Status NotAccepted(std::string_view accepted) {
  return absl::InvalidArgumentError(absl::string_view(accepted.data(), accepted.size()));
}

absl::Status ParseSetting(std::string_view text, std::string_view accepted, bool* value) {
  if (text != "true" && text != "false") return NotAccepted(accepted);
  *value = text == "true";
  return absl::OkStatus();
}

absl::Status ParseSetting(std::string_view text, std::string_view accepted, int64_t* value) {
  return ParseWhole(text, value) ? absl::OkStatus() : NotAccepted(accepted);
}

absl::Status ParseSetting(std::string_view text, std::string_view accepted, double* value) {
  return ParseWhole(text, value) && std::isfinite(*value) ? absl::OkStatus()
                                                          : NotAccepted(accepted);
}

absl::Status ParseSetting(std::string_view text, std::string_view /*accepted*/,
                          std::string* value) {
  *value = text;
  return absl::OkStatus();
}

absl::Status ParsePercent(std::string_view text, double* value) {
  int64_t percent = 0;
  if (!ParseWhole(text, &percent) || percent < 0 || percent > 100) {
    return NotAccepted("an integer from 0 to 100");
  }
  *value = static_cast<double>(percent) / 100;
  return absl::OkStatus();
}

std::string PrintSetting(bool value) {
  return value ? "true" : "false";
}
std::string PrintSetting(int64_t value) {
  return fmt::format("{}", value);
}
std::string PrintSetting(double value) {
  return fmt::format("{}", value);
}
std::string PrintSetting(const std::string& value) {
  return value;
}

bool IsChoice(std::string_view text, std::string_view choices) {
  while (true) {
    const size_t bar = choices.find('|');
    if (choices.substr(0, bar) == text) return true;
    if (bar == std::string_view::npos) return false;
    choices.remove_prefix(bar + 1);
  }
}

}  // namespace internal
}  // namespace outrigger
