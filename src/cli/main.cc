#include "cli/main.h"

#include <unistd.h>

#include <exception>
#include <iostream>

#include "cli/command.h"
#include "cli/run.h"

namespace outrigger::cli {

int Main(int argc, char** argv, const std::vector<AgentInfo>& registry,
         const std::vector<std::string>& left_out) {
  // Exceptions of the libraries (CLI11, yaml-cpp) that were not foreseen end here.
  try {
    const World world{registry, left_out, ReadEnvironment(environ), std::cin, std::cout, std::cerr};
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return Run(arguments, world);
  } catch (const std::exception& error) {
    std::cerr << "outrigger: internal error: " << error.what() << "\n";
    return kFailed;
  }
}

}  // namespace outrigger::cli
