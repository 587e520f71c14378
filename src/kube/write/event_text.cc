#include "kube/write/event_text.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
namespace {

using Json = nlohmann::json;

// The API server's limit, less the point and the 16 digits of a number.
constexpr size_t kLongestEventName = 253 - 17;

bool IsLowerOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/// Whether `name` is an RFC 1123 subdomain, of any length: labels with points between.
bool IsSubdomain(std::string_view name) {
  bool inside = false;  // a label whose last character may end it
  for (size_t i = 0; i < name.size(); ++i) {
    const bool hyphen = name[i] == '-';
    if (name[i] == '.' ? !inside : hyphen ? i == 0 || name[i - 1] == '.' : !IsLowerOrDigit(name[i]))
      return false;
    inside = IsLowerOrDigit(name[i]);
  }
  return inside;
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

std::string EventName(const EventObject& about, uint64_t number) {
  std::string name = about.name.substr(0, kLongestEventName);
  while (!name.empty() && !IsLowerOrDigit(name.back())) name.pop_back();
  if (!IsSubdomain(name)) name = Lower(about.kind);
  if (!IsSubdomain(name)) name = "event";
  return fmt::format("{}.{:x}", name, number);
}

}  // namespace outrigger::kube
