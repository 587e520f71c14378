#include "outrigger/k8s/label_syntax.h"

#include <algorithm>
#include <cstddef>

namespace outrigger {
namespace {

constexpr size_t kMaxName = 63;
constexpr size_t kMaxSubdomain = 253;

// Locale-free, and false for every byte past ASCII.
bool IsLowerOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool IsAlphanumeric(char c) {
  return IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z');
}

bool IsName(std::string_view text) {
  return !text.empty() && text.size() <= kMaxName && IsAlphanumeric(text.front()) &&
         IsAlphanumeric(text.back()) && std::all_of(text.begin(), text.end(), [](char c) {
           return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.';
         });
}

}  // namespace

bool IsLabelKey(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) return IsName(key);
  return IsDnsSubdomain(key.substr(0, slash)) && IsName(key.substr(slash + 1));
}

bool IsLabelValue(std::string_view value) {
  return value.empty() || IsName(value);
}

// Upstream's IsDNS1123Subdomain() limits the whole, not each part between dots.
bool IsDnsSubdomain(std::string_view name) {
  if (name.empty() || name.size() > kMaxSubdomain) return false;
  for (size_t i = 0; i < name.size(); ++i) {
    if (IsLowerOrDigit(name[i])) continue;
    const bool at_edge = i == 0 || i + 1 == name.size();
    if (at_edge || (name[i] != '-' && name[i] != '.')) return false;
    // A dot stands between letters or digits.
    if (name[i] == '.' && !(IsLowerOrDigit(name[i - 1]) && IsLowerOrDigit(name[i + 1]))) {
      return false;
    }
  }
  return true;
}

bool IsDnsLabel(std::string_view name) {
  return name.size() <= kMaxName && name.find('.') == std::string_view::npos &&
         IsDnsSubdomain(name);
}

}  // namespace outrigger
