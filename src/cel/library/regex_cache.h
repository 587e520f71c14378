#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace outrigger::cel {

/// A compiled regular expression in RE2's syntax as Go has it: (?<name>x) is accepted, \C is not.
/// nullptr where it is malformed, repeats more than 1000 times or would need too much memory.
std::shared_ptr<const re2::RE2> CompileRegex(std::string_view pattern);

/// Keeps the last pattern: most expressions that make their patterns have one.
class RegexCache {
 public:
  /// As CompileRegex(). Valid until the next call.
  const re2::RE2* Get(std::string_view pattern);

 private:
  std::string pattern_;
  std::shared_ptr<const re2::RE2> regex_;
};

}  // namespace outrigger::cel
