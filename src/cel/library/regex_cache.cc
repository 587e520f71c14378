#include "cel/library/regex_cache.h"

#include <re2/re2.h>

namespace outrigger::cel {
namespace {

constexpr int64_t kMostMemory = int64_t{8} << 20U;

// Go's spelling in RE2's. Nothing where Go does not accept what RE2 does.
bool Translate(std::string_view pattern, std::string& out) {
  bool in_class = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view rest = pattern.substr(i);
    if (rest.starts_with("\\C") && !in_class) return false;
    if (rest.starts_with("\\Q")) {
      const size_t end = std::min(pattern.find("\\E", i), pattern.size());
      out += pattern.substr(i, end - i);
      i = end - 1;
      continue;
    }
    if (rest[0] == '\\' && rest.size() > 1) {
      out += rest.substr(0, 2);
      ++i;
      continue;
    }
    if (rest[0] == '[') in_class = true;
    if (rest[0] == ']') in_class = false;
    out += rest[0];
    const bool named = !in_class && rest.starts_with("(?<") && !rest.starts_with("(?<=") &&
                       !rest.starts_with("(?<!");
    if (named) {
      out += "?P";
      ++i;
    }
  }
  return true;
}

}  // namespace

std::shared_ptr<const re2::RE2> CompileRegex(std::string_view pattern) {
  std::string translated;
  if (!Translate(pattern, translated)) return nullptr;
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMostMemory);
  auto regex = std::make_shared<const re2::RE2>(translated, options);
  return regex->ok() ? regex : nullptr;
}

const re2::RE2* RegexCache::Get(std::string_view pattern) {
  if (regex_ == nullptr || pattern_ != pattern) {
    pattern_ = pattern;
    regex_ = CompileRegex(pattern);
  }
  return regex_.get();
}

}  // namespace outrigger::cel
