#include "console/args/commands_page.h"

#include <utility>

#include "console/args/command_line.h"
#include "console/args/command_tree.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

constexpr const char* kIntroduction = R"(# Commands

<!-- Written by scripts/update-docs from the command line in the code; do not edit. -->

This page lists the flags and arguments of every command, as `outrigger COMMAND --help` prints them; those that are
settings stand in [settings.md](settings.md). A flag without a value is off by default; any other flag without a stated
default is unset.

Exit codes: 0 done, 1 it failed (a file cannot be read, a port is taken), 2 the command line, the settings or the
content of a file is wrong. `doctor` also exits with 1 if it finds errors.
)";

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

// Former names of settings have no group.
bool IsOfSettings(const std::string& group) {
  return group.empty() || group.starts_with("Settings");
}

std::string Section(const std::string& title, const CLI::App& command) {
  std::string rows;
  bool has_settings = false;
  for (const CLI::Option* option : command.get_options()) {
    has_settings |= option->get_group().starts_with("Settings");
    const bool is_help = option == command.get_help_ptr();
    if (!is_help && !IsOfSettings(option->get_group())) rows += Row(*option);
  }
  if (rows.empty() && !has_settings) return {};
  std::string text = fmt::format("## `{}`\n\n{}.\n", title, command.get_description());
  if (has_settings) text += "Takes [settings](settings.md) as flags.\n";
  if (rows.empty()) return text;
  return text + "\n| flag | value | meaning |\n|---|---|---|\n" + rows;
}

void AddSections(const std::string& program, const CLI::App& parent,
                 std::vector<std::string>* sections) {
  for (const CLI::App* command : parent.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) continue;  // for maintainers
    const std::string title = program + " " + command->get_name();
    std::string section = Section(title, *command);
    if (!section.empty()) sections->push_back(std::move(section));
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
