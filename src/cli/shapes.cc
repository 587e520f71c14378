// Describes the command line to completion.

#include "cli/command_tree.h"

namespace outrigger::cli {

std::vector<CommandShape> CommandLine::Shapes() const {
  std::vector<const CLI::App*> commands = {&tree_->app()};
  for (const CLI::App* sub : tree_->app().get_subcommands([](const CLI::App*) { return true; })) {
    if (!sub->get_group().empty()) commands.push_back(sub);
  }
  std::vector<CommandShape> shapes;
  for (const CLI::App* command : commands) {
    CommandShape shape;
    if (command->get_parent() != nullptr) shape.name = command->get_name();
    shape.summary = command->get_description();
    for (const CLI::Option* option : command->get_options()) {
      const FlagExtra& extra = tree_->ExtraOf(option);
      if (option->get_lnames().empty()) {
        shape.positional_values = extra.values;
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
