// Describes the command line to completion.

#include <utility>

#include "console/args/command_tree.h"

namespace outrigger::cli {

namespace {

// `command` and all below it, without hidden ones, with the name that each is called by.
void Collect(const CLI::App* command, const std::string& name,
             std::vector<std::pair<std::string, const CLI::App*>>* commands) {
  commands->emplace_back(name, command);
  for (const CLI::App* sub : command->get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_group().empty()) continue;
    Collect(sub, name.empty() ? sub->get_name() : name + " " + sub->get_name(), commands);
  }
}

}  // namespace

std::vector<CommandShape> CommandLine::Shapes() const {
  std::vector<std::pair<std::string, const CLI::App*>> commands;
  Collect(&tree_->app(), "", &commands);
  std::vector<CommandShape> shapes;
  for (const auto& [name, command] : commands) {
    CommandShape shape;
    shape.name = name;
    shape.summary = command->get_description();
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_group().empty()) continue;  // a former name
      const FlagExtra& extra = tree_->ExtraOf(option);
      if (option->get_lnames().empty()) {
        shape.positional_values = extra.values;
        shape.positional_is_file = extra.is_file;
        continue;
      }
      // A bare switch and a flag that may go without a value complete to themselves alone.
      shape.flags.push_back({"--" + option->get_lnames()[0], option->get_expected_min() > 0,
                             extra.is_file, extra.is_list, extra.values});
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace outrigger::cli
