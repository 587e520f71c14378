#include "console/args/command_line.h"

#include <algorithm>
#include <utility>

#include "CLI/CLI.hpp"
#include "console/format/text.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 success, 1 failure (a file cannot be read, a port is in use), 2 the "
    "command\nline, the settings or the content of a file is wrong.";

// CLI11 indents the lines of a description but does not break them.
std::string Wrapped(const std::string& text) {
  constexpr size_t kWidth = 62;
  std::string wrapped;
  size_t line = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    if (line > 0 && line + 1 + (end - begin) > kWidth) {
      wrapped += '\n';
      line = 0;
    } else if (line > 0) {
      wrapped += ' ';
      ++line;
    }
    wrapped.append(text, begin, end - begin);
    line += end - begin;
    begin = end + 1;
  }
  return wrapped;
}

// "table, json or yaml".
std::string AnyOf(const std::vector<std::string>& words) {
  std::string list = fmt::format("{}", fmt::join(words.begin(), words.end() - 1, ", "));
  if (words.size() > 1) list += " or ";
  return list + words.back();
}

// A setting as the flag that it is; what stands for its value is "FILE", "NUMBER", "text|json".
Flag FlagOf(const BoundSetting& setting) {
  const SettingSpec& spec = setting.spec;
  const std::vector<std::string> choices = setting.Choices();
  Flag flag{
      .name = setting.flag,
      .value = choices.empty() ? UpperCase(spec.type) : fmt::format("{}", fmt::join(choices, "|")),
      .help = fmt::format("{} ({}; default {})", spec.help, spec.accepted,
                          spec.default_text.empty() ? "empty" : spec.default_text),
      .offered = choices,
      .is_file = spec.accepted == "the path of a file",
      .is_list = spec.type == "list"};
  if (flag.is_file) flag.value = "FILE";
  if (!setting.IsSwitch()) return flag;
  flag.value = "[true|false]";
  flag.offered = {"true", "false"};
  return flag;
}

std::string Title(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : Title(*parent) + " " + command.get_name();
}

absl::Status Wrong(const CLI::App& command, const std::string& text) {
  return absl::InvalidArgumentError(fmt::format("{}; see `{} --help`", text, Title(command)));
}

std::vector<std::string> NamesBelow(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
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
  const std::vector<std::string> names = NamesBelow(command);
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
std::vector<const CLI::App*> Chosen(const CLI::App& app) {
  std::vector<const CLI::App*> chosen = {&app};
  while (true) {
    const auto subcommands = chosen.back()->get_subcommands(
        [](const CLI::App* sub) { return sub->count_all() > 0 || sub->parsed(); });
    if (subcommands.empty()) return chosen;
    chosen.push_back(subcommands.back());
  }
}

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

}  // namespace

// The commands in CLI11. A command's name is that of the whole path: "explain pod".
class CommandLine::Tree {
 public:
  Tree(std::vector<Command> commands, const std::string& program);

  CLI::App& app() { return app_; }
  absl::StatusOr<Parsed> Read(const CLI::App& chosen) const;
  std::vector<CommandShape> Shapes() const;
  std::vector<std::string> Sections() const;

 private:
  struct Entry {
    const Command* command = nullptr;
    CLI::App* app = nullptr;
    std::vector<std::pair<const Flag*, const CLI::Option*>> flags = {};
    std::vector<std::pair<std::string, const CLI::Option*>> settings = {};  // by flag
  };

  void Add(const Command& command);
  CLI::Option* AddFlag(CLI::App* app, const Flag& flag);
  void AddSettings(const FlagSettings& part, Entry* entry);
  CLI::App* FindParent(const std::string& name);
  const Entry* Find(const CLI::App& app) const;
  const Flag* FlagOf(const CLI::Option* option) const;
  absl::Status CheckFlags(const Entry& entry) const;
  std::string Section(const Entry& entry) const;

  const std::vector<Command> commands_;
  CLI::App app_;
  std::vector<Entry> entries_;
  std::map<const CLI::Option*, Flag> flags_;
};

CommandLine::Tree::Tree(std::vector<Command> commands, const std::string& program)
    : commands_(std::move(commands)),
      app_("Sidecar agents that extend the stock kube-scheduler.", program) {
  app_.allow_extras();  // what is unknown is reported by us, with the nearest name
  app_.require_subcommand(0, 1);
  app_.footer(kExitCodes);
  app_.get_formatter()->column_width(36);
  app_.get_formatter()->label("Subcommands", "Commands");
  app_.add_flag("--version")->description("Print the version");
  for (const Command& command : commands_) Add(command);
}

CLI::App* CommandLine::Tree::FindParent(const std::string& name) {
  const size_t space = name.rfind(' ');
  if (space == std::string::npos) return &app_;
  return app_.get_subcommand(name.substr(0, space));
}

void CommandLine::Tree::Add(const Command& command) {
  Entry entry{.command = &command};
  const std::string name = command.name.substr(command.name.rfind(' ') + 1);  // npos + 1 is 0
  entry.app = FindParent(command.name)->add_subcommand(name, command.summary);
  entry.app->allow_extras();
  if (command.is_hidden) entry.app->group("");
  entry.app->footer(command.notes.empty() ? kExitCodes
                                          : fmt::format("{}\n{}", command.notes, kExitCodes));
  for (const Flag& flag : command.flags) {
    entry.flags.emplace_back(&flag, AddFlag(entry.app, flag));
  }
  for (const FlagSettings& part : command.settings) AddSettings(part, &entry);
  entries_.push_back(std::move(entry));
}

CLI::Option* CommandLine::Tree::AddFlag(CLI::App* app, const Flag& flag) {
  CLI::Option* option = nullptr;
  if (flag.IsSwitch()) {
    option = app->add_flag(flag.name)->description(Wrapped(flag.help));
  } else {
    option = app->add_option(flag.name, CLI::callback_t([](const CLI::results_t&) { return true; }),
                             Wrapped(flag.help));
    option->type_size(1)->expected(1)->allow_extra_args(false)->type_name(flag.value);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (flag.IsArgument() && flag.is_repeatable) {
      option->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
    }
  }
  if (!flag.group.empty()) option->group(flag.group);
  if (flag.is_hidden) option->group("");
  flags_.emplace(option, flag);
  return option;
}

void CommandLine::Tree::AddSettings(const FlagSettings& part, Entry* entry) {
  const auto add = [&](const Flag& flag, bool may_be_bare) {
    CLI::Option* const option = AddFlag(entry->app, flag);
    if (may_be_bare) option->expected(0, 1);
    entry->settings.emplace_back(flag.name, option);
  };
  // With a value or without, as it was.
  const auto add_former = [&](const std::string& name) {
    add({.name = name, .value = "VALUE", .is_hidden = true}, true);
  };
  for (const BoundSetting& setting : part.settings) {
    Flag flag = cli::FlagOf(setting);
    flag.group = part.title;
    if (setting.spec.name == "agents") flag.offered = part.agents;
    add(flag, setting.IsSwitch());
    if (!setting.former_switch.flag.empty()) add_former(setting.former_switch.flag);
  }
  for (const RetiredSetting& retired : part.retired) add_former(retired.flag);
}

const CommandLine::Tree::Entry* CommandLine::Tree::Find(const CLI::App& app) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.app == &app; });
  return found == entries_.end() ? nullptr : &*found;
}

const Flag* CommandLine::Tree::FlagOf(const CLI::Option* option) const {
  const auto found = flags_.find(option);
  return found == flags_.end() ? nullptr : &found->second;
}

// No flag is given twice that may not be, and words are words.
absl::Status CommandLine::Tree::CheckFlags(const Entry& entry) const {
  for (const CLI::Option* option : entry.app->get_options()) {
    const Flag* const flag = FlagOf(option);
    if (flag == nullptr || option->count() == 0) continue;
    if (option->count() > 1 && !flag->IsSwitch() && !flag->is_repeatable) {
      return Wrong(*entry.app, option->get_name() + " is given twice");
    }
    for (const std::string& value : option->results()) {
      const std::vector<std::string>& words = flag->words;
      if (words.empty() || std::find(words.begin(), words.end(), value) != words.end()) continue;
      return absl::InvalidArgumentError(fmt::format("{}: \"{}\" is not accepted; expected {}{}",
                                                    option->get_name(), value, AnyOf(words),
                                                    DidYouMean(value, words)));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Parsed> CommandLine::Tree::Read(const CLI::App& chosen) const {
  if (chosen.get_parent() == nullptr) {
    for (const Entry& entry : entries_) {
      if (chosen.count("--version") == 0 || entry.command->name != "version") continue;
      return Parsed{"", entry.command, Given(app_.get_name(), entry.command->name)};
    }
    return Wrong(app_, "a command is missing");
  }
  const Entry& entry = *Find(chosen);
  const Command& command = *entry.command;
  if (command.has_subcommands) {
    const std::vector<std::string> names = NamesBelow(chosen);
    return Wrong(chosen, fmt::format("{} needs a subcommand: {}", command.name, AnyOf(names)));
  }
  absl::Status checked = CheckFlags(entry);
  if (!checked.ok()) return checked;
  Parsed parsed{"", &command, Given(app_.get_name(), command.name)};
  for (const auto& [flag, option] : entry.flags) {
    if (option->count() > 0) parsed.given.Add(flag->Key(), option->results());
  }
  for (const auto& [flag, option] : entry.settings) {
    if (option->count() == 0) continue;
    const std::string value = option->results().back();
    const bool is_bare = option->get_expected_min() == 0 && value.empty();
    parsed.given.AddSetting(flag, is_bare ? "true" : value);
  }
  return parsed;
}

CommandLine::CommandLine(std::vector<Command> commands, const std::string& program)
    : tree_(std::make_unique<Tree>(std::move(commands), program)) {}
CommandLine::~CommandLine() = default;

absl::StatusOr<Parsed> CommandLine::Parse(const std::vector<std::string>& arguments) {
  CLI::App& app = tree_->app();
  std::vector<std::string> reversed = SplitEmptyValues(arguments);
  std::reverse(reversed.begin(), reversed.end());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return Parsed{app.help(), nullptr, Given(app.get_name(), "")};
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what();
    return Wrong(*Chosen(app).back(), what.substr(0, what.find(':')) + " needs a value");
  } catch (const CLI::ParseError& error) {
    return Wrong(*Chosen(app).back(), error.what());
  }
  const std::vector<const CLI::App*> chosen = Chosen(app);
  for (const CLI::App* command : chosen) {
    if (!command->remaining().empty()) return Unknown(*command, command->remaining().front());
  }
  return tree_->Read(*chosen.back());
}

// ---- What describes the command line ----

std::vector<CommandShape> CommandLine::Tree::Shapes() const {
  std::vector<CommandShape> shapes;
  const auto add = [&](const std::string& name, const CLI::App& app) {
    CommandShape shape;
    shape.name = name;
    shape.summary = app.get_description();
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group().empty()) continue;  // a former name
      const Flag* const known = FlagOf(option);
      Flag flag = known == nullptr ? Flag{} : *known;
      if (flag.offered.empty()) flag.offered = flag.words;
      if (option->get_lnames().empty()) {
        shape.positional_values = flag.offered;
        shape.positional_is_file = flag.is_file;
        continue;
      }
      // A bare switch and a flag that may go without a value complete to themselves alone.
      shape.flags.push_back({"--" + option->get_lnames()[0], option->get_expected_min() > 0,
                             flag.is_file, flag.is_list, flag.offered});
    }
    shapes.push_back(std::move(shape));
  };
  add("", app_);
  for (const Entry& entry : entries_) {
    if (!entry.command->is_hidden) add(entry.command->name, *entry.app);
  }
  return shapes;
}

std::string CommandLine::Tree::Section(const Entry& entry) const {
  std::string rows;
  for (const CLI::Option* option : entry.app->get_options()) {
    // Former names have no group; --help is no Flag, and settings have a page of their own.
    const std::string& group = option->get_group();
    if (FlagOf(option) != nullptr && !group.empty() && !group.starts_with("Settings")) {
      rows += Row(*option);
    }
  }
  const bool has_settings = !entry.command->settings.empty();
  if (rows.empty() && !has_settings) return {};
  std::string text = fmt::format("## `{}`\n\n{}.\n", Title(*entry.app), entry.command->summary);
  if (has_settings) text += "Takes [settings](settings.md) as flags.\n";
  if (rows.empty()) return text;
  return text + "\n| flag | value | meaning |\n|---|---|---|\n" + rows;
}

std::vector<std::string> CommandLine::Tree::Sections() const {
  std::vector<std::string> sections;
  for (const Entry& entry : entries_) {
    if (entry.command->is_hidden) continue;
    std::string section = Section(entry);
    if (!section.empty()) sections.push_back(std::move(section));
  }
  return sections;
}

std::vector<CommandShape> CommandLine::Shapes() const {
  return tree_->Shapes();
}

std::vector<std::string> CommandLine::CommandSections() const {
  return tree_->Sections();
}

}  // namespace outrigger::cli
