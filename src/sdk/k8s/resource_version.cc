#include "outrigger/k8s/resource_version.h"

#include <algorithm>

namespace outrigger {
namespace {

bool IsNumber(std::string_view text) {
  return !text.empty() && text.front() != '0' &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool IsOlderVersion(std::string_view a, std::string_view b) {
  if (!IsNumber(a) || !IsNumber(b)) return false;
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace outrigger
