#include "console/format/text.h"

#include <algorithm>
#include <cctype>

#include "fmt/format.h"
#include "sdk/base/nearest.h"

namespace outrigger::cli {
namespace {

char Upper(char c) {
  return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
}

}  // namespace

std::string CamelCase(std::string_view kebab) {
  std::string camel;
  bool raise = false;
  for (const char c : kebab) {
    if (c == '-') {
      raise = true;
      continue;
    }
    camel += raise ? Upper(c) : c;
    raise = false;
  }
  return camel;
}

std::string UpperCase(std::string_view kebab) {
  std::string upper;
  for (const char c : kebab) upper += c == '-' ? '_' : Upper(c);
  return upper;
}

std::string DidYouMean(std::string_view text, const std::vector<std::string>& candidates) {
  const std::string nearest = Nearest(text, candidates);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
}

std::vector<std::string> NearNames(std::string_view text, const std::vector<std::string>& names) {
  constexpr size_t kMost = 5;
  std::vector<std::string> near;
  for (const std::string& name : names) {
    if (name.starts_with(text) || text.starts_with(name)) near.push_back(name);
  }
  if (near.empty()) near.push_back(Nearest(text, names));
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  if (near.size() > kMost) near.resize(kMost);
  if (near.front().empty()) near.clear();
  return near;
}

std::string Listed(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  std::string text = names[0];
  for (size_t i = 1; i < names.size(); ++i) {
    text += (i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

}  // namespace outrigger::cli
