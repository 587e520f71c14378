#include "console/args/commands_page.h"

namespace outrigger::cli {
namespace {

constexpr const char* kIntroduction = R"(# Commands

<!-- Written by scripts/update-docs from the command line in the code; do not edit. -->

This page lists the flags and arguments of every command, as `outrigger COMMAND --help` prints them; those that are
settings stand in [settings.md](settings.md). A flag without a value is off by default; any other flag without a stated
default is unset.

Exit codes: 0 success, 1 failure (a file cannot be read, a port is in use), 2 the command line, the settings or the
content of a file is wrong. `doctor` also exits with 1 if it finds errors.
)";

}  // namespace

std::string CommandsPage(const CommandLine& line) {
  std::string page = kIntroduction;
  for (const std::string& section : line.CommandSections()) page += "\n" + section;
  return page;
}

}  // namespace outrigger::cli
