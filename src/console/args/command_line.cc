#include "console/args/command_line.h"

#include <algorithm>

#include "console/args/command_tree.h"
#include "console/format/text.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

std::string Title(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : Title(*parent) + " " + command.get_name();
}

absl::Status Wrong(const CLI::App& command, const std::string& text) {
  return absl::InvalidArgumentError(fmt::format("{}; see `{} --help`", text, Title(command)));
}

std::vector<std::string> FlagsOf(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

absl::Status Unknown(const CLI::App& command, const std::string& argument) {
  if (argument.starts_with("-")) {
    const std::string flag = argument.substr(0, argument.find('='));
    return Wrong(command, fmt::format("{} has no flag {}{}", Title(command), flag,
                                      DidYouMean(flag, FlagsOf(command))));
  }
  std::vector<std::string> names;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  if (names.empty()) {
    return Wrong(command, fmt::format("{} takes no argument \"{}\"", Title(command), argument));
  }
  const std::string which =
      command.get_parent() == nullptr ? argument : command.get_name() + " " + argument;
  return Wrong(command,
               fmt::format("there is no command \"{}\"{}", which, DidYouMean(argument, names)));
}

// CLI11 takes the next argument as the value of "--flag=": here it is the empty text.
std::vector<std::string> SplitEmptyValues(const std::vector<std::string>& arguments) {
  std::vector<std::string> split;
  for (const std::string& argument : arguments) {
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      split.push_back(argument.substr(0, argument.size() - 1));
      split.emplace_back();
    } else {
      split.push_back(argument);
    }
  }
  return split;
}

// The program, the subcommand that was given, and so on down to the innermost.
std::vector<const CLI::App*> Given(const CLI::App& app) {
  std::vector<const CLI::App*> given = {&app};
  while (true) {
    const auto subcommands = given.back()->get_subcommands(
        [](const CLI::App* sub) { return sub->count_all() > 0 || sub->parsed(); });
    if (subcommands.empty()) return given;
    given.push_back(subcommands.back());
  }
}

}  // namespace

absl::Status CommandLine::Tree::CheckCounts(const CLI::App& command) const {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 1 && option->get_type_size() > 0 && !ExtraOf(option).is_repeatable) {
      return Wrong(command, option->get_name() + " is given twice");
    }
  }
  return absl::OkStatus();
}

CommandLine::CommandLine(const std::vector<AgentInfo>& registry, const std::string& program)
    : tree_(std::make_unique<Tree>(registry, program)) {}
CommandLine::~CommandLine() = default;

absl::StatusOr<Command> CommandLine::Parse(const std::vector<std::string>& arguments) {
  CLI::App& app = tree_->app();
  std::vector<std::string> reversed = SplitEmptyValues(arguments);
  std::reverse(reversed.begin(), reversed.end());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    Command help;
    help.text = app.help();
    return help;
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what();
    return Wrong(*Given(app).back(), what.substr(0, what.find(':')) + " needs a value");
  } catch (const CLI::ParseError& error) {
    return Wrong(*Given(app).back(), error.what());
  }
  const std::vector<const CLI::App*> given = Given(app);
  for (const CLI::App* command : given) {
    if (!command->remaining().empty()) return Unknown(*command, command->remaining().front());
  }
  absl::Status status = tree_->CheckCounts(*given.back());
  if (!status.ok()) return status;
  return tree_->Read(*given.back());
}

}  // namespace outrigger::cli
