#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "console/args/command.h"

namespace outrigger::cli {

/// A flag as completion sees it.
struct FlagShape {
  std::string name;  // "--log-level"
  bool takes_value = true;
  bool is_file = false;
  bool is_list = false;             // values are joined by commas
  std::vector<std::string> values;  // the words that are accepted, if they are few
};

/// A subcommand as completion sees it; the program itself has an empty name.
struct CommandShape {
  std::string name;  // "serve", "explain pod"
  std::string summary;
  std::vector<FlagShape> flags;
  std::vector<std::string> positional_values;
  bool positional_is_file = false;
};

/// What a command line asks for.
struct Parsed {
  std::string help;                  // to be printed, if `command` is null
  const Command* command = nullptr;  // of the CommandLine
  Given given;
};

/// The command line of the program: parses it, and describes itself.
class CommandLine {
 public:
  /// `program` is what texts call the program, such as "outrigger". Of `commands` the one with the
  /// name "version" also answers to --version.
  explicit CommandLine(std::vector<Command> commands, const std::string& program = "outrigger");
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// `arguments` without the program's name; once per object. InvalidArgument says what is wrong,
  /// the nearest known name, and where to read on. Values of settings are not checked here.
  absl::StatusOr<Parsed> Parse(const std::vector<std::string>& arguments);

  /// The program first, then its subcommands, each followed by its own, without hidden ones.
  std::vector<CommandShape> Shapes() const;

  /// Returns the sections of docs/commands.md (commands_page.h).
  std::vector<std::string> CommandSections() const;

 private:
  class Tree;
  std::unique_ptr<Tree> tree_;
};

}  // namespace outrigger::cli
