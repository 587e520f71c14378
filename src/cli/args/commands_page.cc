#include "cli/args/commands_page.h"

#include <string_view>

#include "cli/args/command_line.h"
#include "cli/args/command_tree.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

constexpr const char* kIntroduction = R"(# Commands

<!-- Written by scripts/update-docs from the command line in the code; do not edit. -->

This page lists the flags and arguments of every command, as `outrigger COMMAND --help` prints them. A flag without
a value is off by default; any other flag without a stated default is unset.
The settings of the agents, which `serve`, `doctor` and `explain pod` take as flags (`--gang.timeout`), stand in
[settings.md](settings.md), which has each setting with its environment variable and its key in the settings file.

Exit codes: 0 done, 1 it failed (a file cannot be read, a port is taken), 2 the command line, the settings or the
content of a file is wrong. `doctor` also exits with 1 if it finds errors.
)";

constexpr std::string_view kAgentGroup = "Settings of agent ";

// Descriptions are wrapped for a terminal, and a cell of a table must not end early.
std::string CellText(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|' || c == '<') cell += '\\';
    cell += c == '\n' ? ' ' : c;
  }
  return cell;
}

std::string Row(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  std::string value;
  // Code spans keep '<' as it is; a '|' ends a cell even there.
  if (option.get_type_size() > 0 && !type.empty()) value = fmt::format("`{}`", CellText(type));
  return fmt::format("| `{}` | {} | {} |\n", option.get_name(false, true), value,
                     CellText(option.get_description()));
}

std::string Section(const std::string& title, const CLI::App& command, const std::string& group) {
  const std::string of = group == "Options" ? "" : ": " + group;
  std::string text = fmt::format("## `{}`{}\n\n{}.\n\n| flag | value | meaning |\n|---|---|---|\n",
                                 title, of, command.get_description());
  for (const CLI::Option* option : command.get_options()) {
    if (option == command.get_help_ptr()) continue;
    if (option->get_group() == group) text += Row(*option);
  }
  return text;
}

void AddSections(const std::string& program, const CLI::App& parent,
                 std::vector<std::string>* sections) {
  for (const CLI::App* command : parent.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) continue;  // for maintainers
    const std::string title = program + " " + command->get_name();
    for (const std::string& group : command->get_groups()) {
      if (group.empty() || group.starts_with(kAgentGroup)) continue;  // former names have none
      const std::string section = Section(title, *command, group);
      if (!section.ends_with("|---|\n")) sections->push_back(section);
    }
    AddSections(title, *command, sections);
  }
}

}  // namespace

std::vector<std::string> CommandLine::CommandSections() const {
  std::vector<std::string> sections;
  AddSections("outrigger", tree_->app(), &sections);
  return sections;
}

std::vector<std::string> CommandSections(const std::vector<AgentInfo>& registry) {
  return CommandLine(registry).CommandSections();
}

std::string CommandsPage(const std::vector<AgentInfo>& registry) {
  std::string page = kIntroduction;
  for (const std::string& section : CommandSections(registry)) page += "\n" + section;
  return page;
}

}  // namespace outrigger::cli
