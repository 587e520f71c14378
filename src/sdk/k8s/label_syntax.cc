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

// Upstream's IsDNS1123Subdomain() limits the whole, not each part between dots.
bool IsSubdomain(std::string_view text) {
  if (text.empty() || text.size() > kMaxSubdomain) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsLowerOrDigit(text[i])) continue;
    const bool at_edge = i == 0 || i + 1 == text.size();
    if (at_edge || (text[i] != '-' && text[i] != '.')) return false;
    // A dot stands between letters or digits.
    if (text[i] == '.' && !(IsLowerOrDigit(text[i - 1]) && IsLowerOrDigit(text[i + 1]))) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool IsLabelKey(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) return IsName(key);
  return IsSubdomain(key.substr(0, slash)) && IsName(key.substr(slash + 1));
}

bool IsLabelValue(std::string_view value) {
  return value.empty() || IsName(value);
}

}  // namespace outrigger
