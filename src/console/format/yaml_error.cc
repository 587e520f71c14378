#include "console/format/yaml_error.h"

#include "fmt/format.h"

namespace outrigger::cli {
namespace {

// Line `number`, from 0; empty if there is none.
std::string_view Line(std::string_view text, int number) {
  for (; number > 0; --number) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

}  // namespace

// yaml-cpp stumbles behind a tab, in that line or the next, and says something else of it.
std::string YamlErrorText(std::string_view name, std::string_view text,
                          const YAML::Exception& error) {
  const int at = error.mark.line;
  for (int number = at - 1; number <= at; ++number) {
    if (number < 0) continue;
    const std::string_view line = Line(text, number);
    const size_t indent = line.find_first_not_of(' ');
    if (indent == std::string_view::npos || line[indent] != '\t') continue;
    return fmt::format("{}:{}:{}: not YAML: a tab in the indentation; YAML takes blanks there",
                       name, number + 1, indent + 1);
  }
  return fmt::format("{}:{}:{}: not YAML: {}", name, at + 1, error.mark.column + 1, error.msg);
}

}  // namespace outrigger::cli
